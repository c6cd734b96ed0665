// Doubles that start on a cache line, large arrays of them on large pages.
#pragma once

#include "suffice/pages.hpp"

namespace suffice {

using Aligned = std::vector<double, PageAllocator<double>>;

}  // namespace suffice
