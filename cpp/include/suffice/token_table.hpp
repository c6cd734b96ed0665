// Tokens and what is known of each: an open hash table of what is mostly short. A token of up to 8 bytes is found without a look at
// the bytes of others, and what is known of it lies beside it: one line of the cache for most of the work.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "suffice/texts.hpp"

namespace suffice {

class TokenTable final {
  public:
    struct Token {
        std::uint64_t hash;
        std::uint64_t head;           // its first 8 bytes, and zeros
        std::uint32_t start, length;  // in bytes_
        std::uint32_t row = UINT32_MAX, cell = UINT32_MAX;  // where it was last counted: in which document, and cell
    };

    TokenTable() : slots_(64) {}

    std::size_t size() const { return tokens_.size(); }
    std::string_view text(std::size_t at) const { return {bytes_.data() + tokens_[at].start, tokens_[at].length}; }
    Token& operator[](std::size_t at) { return tokens_[at]; }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
    void prefetch_token(std::uint64_t hash) const { __builtin_prefetch(tokens_.data() + likely(hash)); }
    // Where the token probably is, as its first slot says.
    std::uint32_t likely(std::uint64_t hash) const { return slots_[hash & (slots_.size() - 1)].place; }

    // Where a token is, which is added if it was not there. 8 bytes can be read from `text`, whatever its length.
    std::uint32_t of(const char* text, std::uint32_t length, std::uint64_t hash) {
        const std::uint64_t head = head_of(text, length);
        const std::size_t at = slot_of(text, length, hash, head);
        return slots_[at].tag != 0 ? slots_[at].place : add(text, length, hash, head, at);
    }
    // Where a token is, or a negative number.
    std::int32_t find(const char* text, std::uint32_t length, std::uint64_t hash) const {
        const Slot& slot = slots_[slot_of(text, length, hash, head_of(text, length))];
        return slot.tag != 0 ? static_cast<std::int32_t>(slot.place) : -1;
    }

  private:
    struct Slot {
        std::uint32_t tag = 0, place = 0;  // a tag of 0 is free
    };

    static std::uint64_t head_of(const char* text, std::uint32_t length) {
        std::uint64_t head = load<std::uint64_t>(text, 0);
        if constexpr (std::endian::native == std::endian::big) head = __builtin_bswap64(head);
        return length >= 8 ? head : head & ((std::uint64_t{1} << (8 * length)) - 1);
    }
    // Where it is, or would go.
    std::size_t slot_of(const char* text, std::uint32_t length, std::uint64_t hash, std::uint64_t head) const {
        const std::size_t mask = slots_.size() - 1;
        const auto tag = static_cast<std::uint32_t>(hash >> 32) | 1u;
        std::size_t at = hash & mask;
        for (; slots_[at].tag != 0; at = (at + 1) & mask) {
            if (slots_[at].tag != tag) continue;
            const Token& token = tokens_[slots_[at].place];
            if (token.head == head && token.length == length && (length <= 8 || std::memcmp(bytes_.data() + token.start, text, length) == 0)) break;
        }
        return at;
    }
    std::uint32_t add(const char* text, std::uint32_t length, std::uint64_t hash, std::uint64_t head, std::size_t slot);
    void widen();

    std::vector<Slot> slots_;  // a power of two, at most half of them taken
    std::vector<Token> tokens_;
    std::vector<char> bytes_;
};

}  // namespace suffice
