// The distinct tokens of one document with how often each occurs, for what counts a function of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "suffice/tokens.hpp"

namespace suffice {

class DocumentValues final {
  public:
    struct Token {
        std::uint64_t hash;
        std::uint32_t start, length;
        double value;  // how often it occurs; after `finish`, what that counts
    };

    void clear();
    void add(const char* bytes, std::uint64_t hash, std::uint32_t start, std::uint32_t length);
    // Turns numbers of occurrences into values. Sums run in the order in which tokens first occur.
    void finish(const TokenValues& values);
    const std::vector<Token>& tokens() const { return tokens_; }

  private:
    void widen();

    std::vector<Token> tokens_;
    std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(256, 0);  // 1 + the place of a token; 0 is free
};

}  // namespace suffice
