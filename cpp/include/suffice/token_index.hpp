// Which tokens a reading knows, and the column of each: a vocabulary, or all of 2^k hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "suffice/text_hash.hpp"
#include "suffice/token_table.hpp"
#include "suffice/tokens.hpp"

namespace suffice {

class TokenIndex final {
  public:
    // Of tokens that lie end to end, `ends` after a leading 0. Those that are not `kept` (null: all are) are unknown; the
    // others are columns 0, 1, … in their order.
    TokenIndex(std::string_view bytes, std::span<const std::int64_t> ends, const bool* kept);
    // Of hashed columns; those that are not kept are unknown.
    TokenIndex(std::size_t columns, const bool* kept);

    std::size_t columns() const { return columns_; }
    bool hashed() const { return hashed_ != 0; }

    std::uint64_t hash(std::string_view token) const { return hash_(token); }
    void prefetch(std::uint64_t hash) const {
        if (hashed_ == 0) words_.prefetch(hash);
    }
    void prefetch_token(std::uint64_t hash) const {
        if (hashed_ == 0) words_.prefetch_token(hash);
    }
    // The column of a token, or a negative number. 24 bytes can be read from `token`, whatever its length.
    std::int32_t find(const char* token, std::uint32_t length, std::uint64_t hash) const {
        return hashed_ == 0 ? words_.find(token, length, hash) : places_[hashed_column(hash, hashed_)];
    }

  private:
    TextHash hash_;
    TokenTable words_;
    std::size_t columns_ = 0, hashed_ = 0;
    std::vector<std::int32_t> places_;  // of hashed columns
};

}  // namespace suffice
