// Texts in the order of their bytes, which is that of their characters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "suffice/pages.hpp"

namespace suffice {

struct OrderedText {
    std::uint64_t prefix;  // the first 8 bytes, the first of them the highest, and zeros
    std::string_view text;
    std::uint32_t shard, number;
};

using OrderedTexts = std::vector<OrderedText, UnsetAllocator<OrderedText>>;

std::uint64_t prefix_of(std::string_view text);

// Sorts distinct texts, on up to so many threads.
void sort_texts(OrderedTexts& texts, std::size_t threads);

}  // namespace suffice
