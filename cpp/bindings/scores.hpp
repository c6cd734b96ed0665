#pragma once

#include "door.hpp"

namespace suffice::door {

void define_scores(nb::module_& m);

}  // namespace suffice::door
