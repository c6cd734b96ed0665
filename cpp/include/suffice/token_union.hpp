// The union of two sorted vocabularies.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace suffice {

struct SortedTokens {
    std::string_view bytes;
    std::span<const std::int64_t> ends;  // preceded by a 0
};

struct TokenUnion {
    std::vector<char> bytes;
    std::vector<std::int64_t> ends, left, right;  // left, right: positions of the tokens of each side in the union
};

// Throws std::invalid_argument when the tokens of a side are not strictly increasing.
TokenUnion unite_tokens(const SortedTokens& left, const SortedTokens& right);

}  // namespace suffice
