// The tokens of one shard: which there are, and their counts by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suffice/dictionary.hpp"
#include "token_cells.hpp"

namespace suffice {

inline constexpr std::size_t token_shards = 16;

struct Occurrence {
    std::uint64_t hash;
    std::uint32_t start, length;  // in the bytes of its unit
    std::uint32_t row;
};

class TokenShard final {
  public:
    // Hashed when there are columns: those of this shard then are `columns / token_shards`.
    explicit TokenShard(std::size_t columns) : columns_(columns), marks_(columns / token_shards, Mark{}) {}

    // Adds occurrences, in order. `values` is empty (each counts its document's weight), or has one for each.
    void add(std::span<const Occurrence> found, std::span<const double> values, const char* bytes, const std::int64_t* codes, const double* weights);

    Dictionary& words() { return words_; }
    TokenCells& cells() { return cells_; }

  private:
    struct Mark {
        std::uint32_t row = UINT32_MAX;  // the last document that it was found in,
        std::uint32_t cell = 0;          // and where that counts
    };

    std::size_t columns_;
    Dictionary words_;
    TokenCells cells_;
    std::vector<Mark> marks_;  // by token
};

// Which shard a token goes to. The bits are others than those that find its slot there.
inline std::size_t shard_of(std::uint64_t hash) { return hash >> 60; }
// Columns are dealt out by their last bits: the column is number · token_shards + shard.
inline std::size_t shard_of_column(std::uint32_t column) { return column % token_shards; }

}  // namespace suffice
