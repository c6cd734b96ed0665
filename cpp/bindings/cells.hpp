#pragma once

#include "bindings.hpp"

namespace suffice::bindings {

void define_cells(nb::module_& m);

}  // namespace suffice::bindings
