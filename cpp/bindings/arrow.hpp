#pragma once

#include "door.hpp"

namespace suffice::door {

void define_arrow(nb::module_& m);

}  // namespace suffice::door
