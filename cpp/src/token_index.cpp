#include "suffice/token_index.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>

namespace suffice {

TokenIndex::TokenIndex(std::string_view bytes, std::span<const std::int64_t> ends, const bool* kept)
    : hash_(TextHash::drawn()) {
    const std::size_t tokens = ends.empty() ? 0 : ends.size() - 1;
    if (tokens > INT32_MAX) throw std::length_error("an index holds at most 2³¹ − 1 tokens.");
    const std::size_t known =
        kept == nullptr ? tokens : static_cast<std::size_t>(std::count(kept, kept + tokens, true));
    entries_.reset(std::bit_ceil(std::max<std::size_t>(2 * known, 2)));
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const std::int64_t start = ends[k], end = ends[k + 1];
        if (start < 0 || end < start || static_cast<std::size_t>(end) > bytes.size())
            throw std::invalid_argument("ends must increase from 0 to the number of bytes, " +
                                        std::to_string(bytes.size()) + ": token " + std::to_string(k) + " runs from " +
                                        std::to_string(start) + " to " + std::to_string(end) + ".");
        if (kept != nullptr && !kept[k]) continue;
        const std::string_view token =
            bytes.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
        if (token.size() > UINT32_MAX) throw std::length_error("a token must take less than 4 GiB.");
        const auto length = static_cast<std::uint32_t>(token.size());
        const bool is_inline = length <= InlineText::most;
        const InlineText inlined =
            is_inline ? InlineText::of(token.data(), length) : InlineText{};  // beyond the last, nothing can be read
        const std::uint64_t hash = hash_(token);
        Entry& entry = entries_[entry_of(is_inline ? inlined.bytes.data() : token.data(), length, hash)];
        if (entry.column >= 0)
            throw std::invalid_argument("tokens must be distinct: token " + std::to_string(k) + " is a duplicate.");
        entry = {tag_of(length, hash), static_cast<std::int32_t>(columns_), long_ones_.hold(token.data(), length)};
        ++columns_;
    }
}

TokenIndex::TokenIndex(std::size_t columns)
    : hash_(TextHash::fixed()), columns_(columns), hashed_(columns), places_(columns) {
    std::iota(places_.begin(), places_.end(), 0);
}

TokenIndex::TokenIndex(std::size_t columns, std::span<const std::int64_t> kept)
    : hash_(TextHash::fixed()), columns_(kept.size()), hashed_(columns) {
    constexpr std::size_t most_places = std::size_t{1} << 22;
    std::int64_t before = -1;
    for (const std::int64_t column : kept) {
        if (column <= before || static_cast<std::size_t>(column) >= columns)
            throw std::invalid_argument("kept columns must increase from 0 to " + std::to_string(columns - 1) +
                                        ": got " + std::to_string(column) + " after " + std::to_string(before) + ".");
        before = column;
    }
    if (columns > most_places && columns / 4 > kept.size()) {
        few_.assign(kept.begin(), kept.end());
        return;
    }
    places_.assign(columns, -1);
    for (std::size_t k = 0; k < kept.size(); ++k)
        places_[static_cast<std::size_t>(kept[k])] = static_cast<std::int32_t>(k);
}

}  // namespace suffice
