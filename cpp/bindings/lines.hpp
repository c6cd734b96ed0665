#pragma once

#include "door.hpp"

namespace suffice::door {

void define_lines(nb::module_& m);

}  // namespace suffice::door
