#pragma once

#include "bindings.hpp"

namespace suffice::bindings {

void define_count_logs(nb::module_& m);

}  // namespace suffice::bindings
