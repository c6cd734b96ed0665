// The tokens of one shard: which there are, and their counts by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "token_cells.hpp"
#include "suffice/token_table.hpp"

namespace suffice {

inline constexpr std::size_t token_shards = 16;

struct Occurrence {
    std::uint64_t hash;
    std::uint32_t start, length;  // in the bytes of its unit
    std::uint32_t row;
};

// What the occurrences of a unit are counted by: the bytes that they lie in, the classes and weights of documents, and
// `values`, which are none (each counts its document's weight) or one for each occurrence.
struct Counted {
    const char* bytes;
    const std::int64_t* codes;
    const double* weights;
    std::span<const double> values;
};

class TokenShard final {
  public:
    // Hashed when there are columns: those of this shard then are `columns / token_shards`.
    explicit TokenShard(std::size_t columns) : columns_(columns), marks_(columns / token_shards, Mark{}) {}

    // Adds occurrences, in order.
    void add(std::span<const Occurrence> found, const Counted& by);

    const TokenTable& words() const { return words_; }
    // The counts of hashed columns, and those of tokens in other classes than the one in which they were first seen.
    const TokenCells& cells() const { return cells_; }

    // Lets go of all that adding needs: only what was counted stays.
    void close() {
        words_.forget_slots();
        cells_.forget_slots();
        marks_ = {};
        tokens_ = {};
    }

    // Calls visit(token, class, count, documents) for every count.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t k = 0; k < words_.size(); ++k)
            visit(static_cast<std::uint32_t>(k), words_[k].code, words_[k].count, words_[k].documents);
        for (std::size_t k = 0; k < cells_.size(); ++k) visit(cells_[k].token, cells_[k].code, cells_[k].count, cells_[k].documents);
    }

  private:
    struct Mark {
        std::uint32_t row = UINT32_MAX, cell = 0;  // the document in which a column was last counted, and where
    };

    void add_exact(std::span<const Occurrence> found, const Counted& by);
    void add_hashed(std::span<const Occurrence> found, const Counted& by);

    std::size_t columns_;
    TokenTable words_;
    TokenCells cells_;
    std::vector<Mark> marks_;             // by hashed column
    std::vector<std::uint32_t> tokens_;  // of the occurrences that are being added
};

// Which shard a token goes to. The bits are others than those that find its slot there.
inline std::size_t shard_of(std::uint64_t hash) { return hash >> 60; }
// Columns are dealt out by their last bits: the column is number · token_shards + shard.
inline std::size_t shard_of_column(std::uint32_t column) { return column % token_shards; }

}  // namespace suffice
