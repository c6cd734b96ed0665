// The distinct tokens of one document with their numbers of occurrences, for values that are a function of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "suffice/hash_slots.hpp"
#include "suffice/tokens.hpp"

namespace suffice {

class DocumentValues final {
  public:
    struct Token {
        std::uint64_t hash;
        std::uint32_t start, length;
        double value;  // number of occurrences; after `finish`, the value
    };

    void clear();
    void add(const char* bytes, std::uint64_t hash, std::uint32_t start, std::uint32_t length);
    // Turns numbers of occurrences into values. Sums run over the tokens in order of first occurrence.
    void finish(const TokenValues& values);
    const std::vector<Token>& tokens() const { return tokens_; }

  private:
    struct Slot {
        std::uint32_t number = 0;  // 1 + the index of a token
        bool taken() const { return number != 0; }
    };

    std::vector<Token> tokens_;
    HashSlots<Slot> slots_{256};
};

}  // namespace suffice
