// Two sorted vocabularies as one.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace suffice {

struct SortedTokens {
    std::string_view bytes;
    std::span<const std::int64_t> ends;  // after a leading 0
};

struct TokenUnion {
    std::vector<char> bytes;
    std::vector<std::int64_t> ends, left, right;  // where the tokens of each side stand
};

// std::invalid_argument when the tokens of a side do not rise.
TokenUnion unite_tokens(const SortedTokens& left, const SortedTokens& right);

}  // namespace suffice
