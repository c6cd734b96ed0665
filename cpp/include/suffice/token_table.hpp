// Tokens and what is known of each: an open hash table in which a token of up to 24 bytes, and its count in the class
// that it was first seen in, are one line of the cache. Longer ones have their bytes elsewhere.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "suffice/pages.hpp"

namespace suffice {

class TokenTable final {
  public:
    static constexpr std::size_t near = 24;  // bytes that can be read from whatever is looked up, whatever its length

    struct alignas(64) Token {
        std::uint64_t hash;
        char head[near];               // its first bytes, and zeros; of a longer one where the others start comes last
        std::uint32_t length;
        std::uint32_t row = UINT32_MAX;   // the document in which it was last counted,
        std::uint32_t cell = UINT32_MAX;  // and the cell, where that is not of the first class
        std::uint32_t code = UINT32_MAX;  // the first class, and what was counted there
        double count = 0.0, documents = 0.0;
    };
    static_assert(sizeof(Token) == 64);

    TokenTable() : slots_(64) {}

    std::size_t size() const { return tokens_.size(); }
    std::string_view text(std::size_t at) const {
        const Token& token = tokens_[at];
        return {token.length <= near ? token.head : bytes_.data() + far_start(token), token.length};
    }
    Token& operator[](std::size_t at) { return tokens_[at]; }
    const Token& operator[](std::size_t at) const { return tokens_[at]; }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
    // The token that the first slot of its hash says.
    void prefetch_token(std::uint64_t hash) const { __builtin_prefetch(tokens_.data() + slots_[hash & (slots_.size() - 1)].place); }

    // Where a token is, which is added if it was not there.
    std::uint32_t of(const char* text, std::uint32_t length, std::uint64_t hash) {
        const std::size_t at = slot_of(text, length, hash);
        return slots_[at].tag != 0 ? slots_[at].place : add(text, length, hash, at);
    }
    // Where a token is, or a negative number.
    std::int32_t find(const char* text, std::uint32_t length, std::uint64_t hash) const {
        const Slot& slot = slots_[slot_of(text, length, hash)];
        return slot.tag != 0 ? static_cast<std::int32_t>(slot.place) : -1;
    }

    // Lets go of what finds tokens; no more are looked for.
    void forget_slots() { slots_ = {}; }

  private:
    struct Slot {
        std::uint32_t tag = 0, place = 0;  // a tag of 0 is free
    };

    static std::uint64_t far_start(const Token& token) {
        std::uint64_t start;
        std::memcpy(&start, token.head + near - sizeof start, sizeof start);
        return start;
    }
    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32) | 1u; }
    bool is(const Token& token, const char* text, std::uint32_t length, std::uint64_t hash) const {
        if (token.hash != hash || token.length != length) return false;
        if (length > near) return std::memcmp(bytes_.data() + far_start(token), text, length) == 0;
        char padded[near];
        std::memcpy(padded, text, near);
        for (std::size_t k = 0; k < near; ++k) padded[k] = k < length ? padded[k] : char{0};  // a mask, no branch
        return std::memcmp(padded, token.head, near) == 0;
    }
    // Where it is, or would go.
    std::size_t slot_of(const char* text, std::uint32_t length, std::uint64_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        const std::uint32_t tag = tag_of(hash);
        std::size_t at = hash & mask;
        for (; slots_[at].tag != 0; at = (at + 1) & mask)
            if (slots_[at].tag == tag && is(tokens_[slots_[at].place], text, length, hash)) break;
        return at;
    }
    std::uint32_t add(const char* text, std::uint32_t length, std::uint64_t hash, std::size_t slot);
    void widen();

    std::vector<Slot> slots_;  // a power of two, at most half of them taken
    std::vector<Token, PageAllocator<Token>> tokens_;
    std::vector<char> bytes_;  // of the long ones
};

}  // namespace suffice
