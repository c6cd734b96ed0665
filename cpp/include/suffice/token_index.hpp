// The column of each known token: a vocabulary, or 2^k hashed columns.
//
// A vocabulary is an open-addressing hash table with two entries per cache line: looking up a token of up to 24 bytes
// reads one line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "suffice/hash_slots.hpp"
#include "suffice/inline_text.hpp"
#include "suffice/pages.hpp"
#include "suffice/text_hash.hpp"
#include "suffice/tokens.hpp"

namespace suffice {

class TokenIndex final {
  public:
    // From tokens stored end to end, `ends` preceded by a 0. Tokens that are not `kept` (null: all are) are unknown;
    // the others are columns 0, 1, … in order.
    TokenIndex(std::string_view bytes, std::span<const std::int64_t> ends, const bool* kept);
    // All hashed columns.
    explicit TokenIndex(std::size_t columns);
    // Some hashed columns: `kept` is increasing, and the others are unknown. Needs at most 4 bytes per kept column, or
    // 16 MB.
    TokenIndex(std::size_t columns, std::span<const std::int64_t> kept);

    std::size_t columns() const { return columns_; }
    bool hashed() const { return hashed_ != 0; }

    std::uint64_t hash(const char* token, std::uint32_t length) const { return hash_.ahead(token, length); }
    void prefetch(std::uint64_t hash) const {
        if (hashed_ == 0) entries_.prefetch(hash);
    }
    // The column of a token, or a negative number. 24 bytes must be readable at `token`, whatever its length.
    std::int32_t find(const char* token, std::uint32_t length, std::uint64_t hash) const {
        if (hashed_ == 0) return entries_[entry_of(token, length, hash)].column;
        const std::uint32_t column = hashed_column(hash, hashed_);
        return places_.empty() ? place_of_few(column) : places_[column];
    }

  private:
    struct alignas(32) Entry {
        std::uint32_t tag = 0;
        std::int32_t column = -1;  // negative: free
        InlineText text{};         // as LongTexts holds it
        bool taken() const { return column >= 0; }
    };
    static_assert(sizeof(Entry) == 32);
    static constexpr std::uint32_t long_length = 255;

    // Part of the hash, with the length in the last byte.
    static std::uint32_t tag_of(std::uint32_t length, std::uint64_t hash) {
        return (static_cast<std::uint32_t>(hash >> 32) & ~std::uint32_t{255}) |
               (length <= InlineText::most ? length : long_length);
    }
    // The position of the token, or of the free entry where it would be inserted.
    std::size_t entry_of(const char* token, std::uint32_t length, std::uint64_t hash) const {
        const std::uint32_t tag = tag_of(length, hash);
        return entries_.find(
            hash, [&](const Entry& entry) { return entry.tag == tag && long_ones_.is(entry.text, token, length); });
    }
    std::int32_t place_of_few(std::uint32_t column) const {
        const auto at = std::lower_bound(few_.begin(), few_.end(), column);
        return at == few_.end() || *at != column ? -1 : static_cast<std::int32_t>(at - few_.begin());
    }

    TextHash hash_;
    HashSlots<Entry, PageAllocator<Entry>> entries_;
    LongTexts long_ones_;
    std::size_t columns_ = 0, hashed_ = 0;
    std::vector<std::int32_t> places_;  // column of each hash, or
    std::vector<std::uint32_t> few_;    // the kept hashes, when a full table would be much larger
};

}  // namespace suffice
