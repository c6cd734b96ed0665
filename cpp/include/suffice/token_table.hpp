// Tokens and their counts: an open-addressing hash table in which a token of up to 24 bytes and its count in the class
// where it last occurred share one cache line. The bytes of longer tokens are stored separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "suffice/hash_slots.hpp"
#include "suffice/inline_text.hpp"
#include "suffice/pages.hpp"

namespace suffice {

class TokenTable final {
  public:
    struct alignas(64) Token {
        std::uint64_t hash;
        InlineText text;  // for a longer token, where its bytes start
        std::uint32_t length;
        std::uint32_t row = UINT32_MAX;   // the document in which it was last counted
        std::uint32_t code = UINT32_MAX;  // the class of that document
        double count = 0.0, documents = 0.0;
    };
    static_assert(sizeof(Token) == 64);

    std::size_t size() const { return tokens_.size(); }
    std::string_view text(std::size_t at) const { return long_ones_.text(tokens_[at].text, tokens_[at].length); }
    Token& operator[](std::size_t at) { return tokens_[at]; }
    const Token& operator[](std::size_t at) const { return tokens_[at]; }

    void prefetch(std::uint64_t hash) const { slots_.prefetch(hash); }
    // Prefetches the token in the first slot of its hash.
    void prefetch_token(std::uint64_t hash) const { __builtin_prefetch(tokens_.data() + slots_.first(hash).place); }

    // The position of a token, added if it is new. 24 bytes must be readable at `text`, whatever its length.
    std::uint32_t of(const char* text, std::uint32_t length, std::uint64_t hash) {
        const std::uint32_t tag = TaggedSlot::tag_of(hash);
        const std::size_t at = slots_.find(hash, [&](const TaggedSlot& one) {
            if (one.tag != tag) return false;
            const Token& token = tokens_[one.place];
            return token.hash == hash && token.length == length && long_ones_.is(token.text, text, length);
        });
        return slots_[at].taken() ? slots_[at].place : add(text, length, hash, at);
    }

    // Frees the slots; no token can be looked up afterwards.
    void forget_slots() { slots_ = {}; }

  private:
    std::uint32_t add(const char* text, std::uint32_t length, std::uint64_t hash, std::size_t slot);

    HashSlots<TaggedSlot, PageAllocator<TaggedSlot>> slots_{64};
    std::vector<Token, PageAllocator<Token>> tokens_;
    LongTexts long_ones_;
};

}  // namespace suffice
