// The tokens of one unit of documents, counted by class before they are added to a shard: most occurrences repeat a
// recent token, which is still in the cache. A token of up to 24 bytes and its counts share one cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "document_values.hpp"
#include "suffice/hash_slots.hpp"
#include "suffice/inline_text.hpp"
#include "suffice/pages.hpp"

namespace suffice {

class UnitCounts final {
  public:
    struct alignas(64) Token {
        std::uint64_t hash;
        InlineText text;  // for a longer token, where its bytes start
        std::uint32_t length;
        std::uint32_t code;
        std::uint32_t first, last;  // the first and last document in which it occurs
        double count, documents;    // documents: those after the first, which may have been counted before
    };
    static_assert(sizeof(Token) == 64);

    struct Document {
        std::uint32_t row, code;
        double weight;
    };

    UnitCounts() { clear(); }

    static constexpr std::size_t batch = 64;  // occurrences that are added at a time

    // Adds up to `batch` occurrences in a document, in order. 24 bytes must be readable from the start of each in
    // `bytes`.
    void add(const char* bytes, std::span<const DocumentValues::Token> occurrences, const Document& in);

    // The tokens in order of first occurrence.
    std::span<const Token> tokens() const { return std::span(tokens_).subspan(1); }
    std::string_view text(const Token& token) const { return long_ones_.text(token.text, token.length); }
    void clear();

  private:
    static std::uint64_t key_of(std::uint64_t hash, std::uint32_t code) {
        const std::uint64_t mixed = (hash ^ code) * 0x9e3779b97f4a7c15u;
        return mixed ^ mixed >> 32;
    }

    Token& token_of(const char* text, std::uint32_t length, std::uint64_t hash, const Document& in);

    std::vector<Token, PageAllocator<Token>> tokens_;  // preceded by a dummy token
    HashSlots<TaggedSlot> slots_{1024};
    LongTexts long_ones_;
};

}  // namespace suffice
