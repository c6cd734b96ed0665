#pragma once

#include "bindings.hpp"

namespace suffice::bindings {

void define_lines(nb::module_& m);

}  // namespace suffice::bindings
