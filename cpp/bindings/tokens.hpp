#pragma once

#include "bindings.hpp"

namespace suffice::bindings {

void define_tokens(nb::module_& m);

}  // namespace suffice::bindings
