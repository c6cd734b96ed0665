#pragma once

#include "door.hpp"

namespace suffice::door {

void define_count_logs(nb::module_& m);

}  // namespace suffice::door
