#pragma once

#include "door.hpp"

namespace suffice::door {

void define_tokens(nb::module_& m);

}  // namespace suffice::door
