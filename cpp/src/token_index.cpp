#include "suffice/token_index.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

namespace suffice {

TokenIndex::TokenIndex(std::string_view bytes, std::span<const std::int64_t> ends, const bool* kept) : hash_(TextHash::drawn()) {
    for (std::size_t k = 0; k + 1 < ends.size(); ++k) {
        const std::int64_t start = ends[k], end = ends[k + 1];
        if (start < 0 || end < start || static_cast<std::size_t>(end) > bytes.size())
            throw std::invalid_argument("ends must rise from 0 to the number of bytes, " + std::to_string(bytes.size()) + ": token " +
                                        std::to_string(k) + " runs from " + std::to_string(start) + " to " + std::to_string(end) + ".");
        if (kept != nullptr && !kept[k]) continue;
        const std::string_view token = bytes.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
        if (token.size() > UINT32_MAX) throw std::length_error("a token must take less than 4 GiB.");
        char head[TokenTable::near] = {};  // of a short one at the end of all bytes, where nothing more can be read
        if (token.size() < sizeof head) std::memcpy(head, token.data(), token.size());
        const char* text = token.size() < sizeof head ? head : token.data();
        if (words_.of(text, static_cast<std::uint32_t>(token.size()), hash_(token)) != columns_)
            throw std::invalid_argument("tokens must differ: token " + std::to_string(k) + " was there before.");
        ++columns_;
    }
}

TokenIndex::TokenIndex(std::size_t columns, const bool* kept) : hash_(TextHash::fixed()), hashed_(columns), places_(columns, -1) {
    for (std::size_t k = 0; k < columns; ++k)
        if (kept == nullptr || kept[k]) places_[k] = static_cast<std::int32_t>(columns_++);
}

}  // namespace suffice
