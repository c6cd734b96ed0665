// Texts sorted by their bytes, which for UTF-8 is the order of their characters.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "suffice/pages.hpp"

namespace suffice {

struct OrderedText {
    std::uint64_t prefix;  // the first 8 bytes, big-endian, padded with zeros
    std::string_view text;
    std::uint32_t shard, number;
};

using OrderedTexts = std::vector<OrderedText, UnsetAllocator<OrderedText>>;

std::uint64_t prefix_of(std::string_view text);

// Sorts distinct texts on up to `threads` threads.
void sort_texts(OrderedTexts& texts, std::size_t threads);

}  // namespace suffice
