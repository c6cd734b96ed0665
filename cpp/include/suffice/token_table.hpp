// Tokens and what is known of each: an open hash table in which a token of up to 24 bytes, and its count in the class
// that it was last seen in, are one line of the cache. Longer ones have their bytes elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "suffice/near_text.hpp"
#include "suffice/pages.hpp"

namespace suffice {

class TokenTable final {
  public:
    struct alignas(64) Token {
        std::uint64_t hash;
        NearText text;                 // of a longer one, where its bytes start
        std::uint32_t length;
        std::uint32_t row = UINT32_MAX;   // the document in which it was last counted,
        std::uint32_t code = UINT32_MAX;  // its class, and what was counted there
        double count = 0.0, documents = 0.0;
    };
    static_assert(sizeof(Token) == 64);

    TokenTable() : slots_(64) {}

    std::size_t size() const { return tokens_.size(); }
    std::string_view text(std::size_t at) const {
        const Token& token = tokens_[at];
        return {token.length <= NearText::most ? token.text.bytes.data() : bytes_.data() + far_start(token), token.length};
    }
    Token& operator[](std::size_t at) { return tokens_[at]; }
    const Token& operator[](std::size_t at) const { return tokens_[at]; }

    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }
    // The token that the first slot of its hash says.
    void prefetch_token(std::uint64_t hash) const { __builtin_prefetch(tokens_.data() + slots_[hash & (slots_.size() - 1)].place); }

    // Where a token is, which is added if it was not there. 24 bytes can be read from `text`, whatever its length.
    std::uint32_t of(const char* text, std::uint32_t length, std::uint64_t hash) {
        const std::size_t at = slot_of(text, length, hash);
        return slots_[at].tag != 0 ? slots_[at].place : add(text, length, hash, at);
    }

    // Lets go of what finds tokens; no more are looked for.
    void forget_slots() { slots_ = {}; }

  private:
    struct Slot {
        std::uint32_t tag = 0, place = 0;  // a tag of 0 is free
    };

    static std::size_t far_start(const Token& token) { return std::bit_cast<std::array<std::size_t, 3>>(token.text)[0]; }
    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32) | 1u; }
    bool is(const Token& token, const char* text, std::uint32_t length, std::uint64_t hash) const {
        if (token.hash != hash || token.length != length) return false;
        if (length > NearText::most) return std::memcmp(bytes_.data() + far_start(token), text, length) == 0;
        return token.text.is(text, length);
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

    std::vector<Slot, PageAllocator<Slot>> slots_;  // a power of two, at most half of them taken
    std::vector<Token, PageAllocator<Token>> tokens_;
    std::vector<char> bytes_;  // of the long ones
};

}  // namespace suffice
