#pragma once

#include "bindings.hpp"

namespace suffice::bindings {

void define_scores(nb::module_& m);

}  // namespace suffice::bindings
