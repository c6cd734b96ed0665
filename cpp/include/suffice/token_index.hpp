// Which tokens a reading knows, and the column of each: a vocabulary, or all of 2^k hashes.
//
// A vocabulary is an open hash table, two entries to a line of the cache: one line says whether a token of up to 24 bytes
// is there and which column it is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "suffice/hash_slots.hpp"
#include "suffice/near_text.hpp"
#include "suffice/pages.hpp"
#include "suffice/text_hash.hpp"
#include "suffice/tokens.hpp"

namespace suffice {

class TokenIndex final {
  public:
    // Of tokens that lie end to end, `ends` after a leading 0. Those that are not `kept` (null: all are) are unknown; the
    // others are columns 0, 1, … in their order.
    TokenIndex(std::string_view bytes, std::span<const std::int64_t> ends, const bool* kept);
    // Of all hashed columns.
    explicit TokenIndex(std::size_t columns);
    // Of hashed columns; those that are not `kept`, which rise, are unknown. Takes no more memory than 4 bytes for each that
    // is kept, or 16 MB.
    TokenIndex(std::size_t columns, std::span<const std::int64_t> kept);

    std::size_t columns() const { return columns_; }
    bool hashed() const { return hashed_ != 0; }

    std::uint64_t hash(const char* token, std::uint32_t length) const { return hash_.ahead(token, length); }
    void prefetch(std::uint64_t hash) const {
        if (hashed_ == 0) entries_.prefetch(hash);
    }
    // The column of a token, or a negative number. Here and for its hash 24 bytes can be read, whatever its length.
    std::int32_t find(const char* token, std::uint32_t length, std::uint64_t hash) const {
        if (hashed_ == 0) return entries_[entry_of(token, length, hash)].column;
        const std::uint32_t column = hashed_column(hash, hashed_);
        return places_.empty() ? place_of_few(column) : places_[column];
    }

  private:
    struct alignas(32) Entry {
        std::uint32_t tag = 0;
        std::int32_t column = -1;  // negative: free
        NearText text{};           // as LongTexts holds it
        bool taken() const { return column >= 0; }
    };
    static_assert(sizeof(Entry) == 32);
    static constexpr std::uint32_t far = 255;

    // Some of the hash, and the length in the last byte.
    static std::uint32_t tag_of(std::uint32_t length, std::uint64_t hash) {
        return (static_cast<std::uint32_t>(hash >> 32) & ~std::uint32_t{255}) | (length <= NearText::most ? length : far);
    }
    // Where it is, or would go.
    std::size_t entry_of(const char* token, std::uint32_t length, std::uint64_t hash) const {
        const std::uint32_t tag = tag_of(length, hash);
        return entries_.find(hash, [&](const Entry& entry) { return entry.tag == tag && long_ones_.is(entry.text, token, length); });
    }
    std::int32_t place_of_few(std::uint32_t column) const {
        const auto at = std::lower_bound(few_.begin(), few_.end(), column);
        return at == few_.end() || *at != column ? -1 : static_cast<std::int32_t>(at - few_.begin());
    }

    TextHash hash_;
    HashSlots<Entry, PageAllocator<Entry>> entries_;
    LongTexts long_ones_;
    std::size_t columns_ = 0, hashed_ = 0;
    std::vector<std::int32_t> places_;  // of hashed columns, or
    std::vector<std::uint32_t> few_;    // those that are kept, where there would be many more places
};

}  // namespace suffice
