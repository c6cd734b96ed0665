#pragma once

#include "bindings.hpp"

namespace suffice::bindings {

void define_arrow(nb::module_& m);

}  // namespace suffice::bindings
