// A vector of doubles that starts on a cache line; large ones use large pages.
#pragma once

#include "suffice/pages.hpp"

namespace suffice {

using Aligned = std::vector<double, PageAllocator<double>>;

}  // namespace suffice
