// The tokens of one shard: which there are, and their counts by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suffice/token_table.hpp"
#include "token_cells.hpp"
#include "unit_counts.hpp"

namespace suffice {

inline constexpr std::size_t token_shards = 16;

// What the tokens of a unit are added by: the unit, and the weights of documents, or null.
struct Counted {
    const UnitCounts& unit;
    const double* weights;

    // The documents of a token of the unit, if the one that had it last before is `row`.
    double documents(const UnitCounts::Token& token, std::uint32_t row) const {
        if (row == token.first) return token.documents;
        return token.documents + (weights == nullptr ? 1.0 : weights[token.first]);
    }
};

// On lines of the cache of its own, since threads work on neighbours.
class alignas(128) TokenShard final {
  public:
    // Hashed when there are columns: those of this shard then are `columns / token_shards`.
    explicit TokenShard(std::size_t columns) : columns_(columns), rows_(columns / token_shards, UINT32_MAX) {}

    // Adds some tokens of a unit, in order.
    void add(std::span<const std::uint32_t> places, const Counted& by);

    const TokenTable& words() const { return words_; }
    // The counts of hashed columns, and those of tokens in other classes than the one in which they were first seen.
    const TokenCells& cells() const { return cells_; }

    // Lets go of all that adding needs: only what was counted stays.
    void close() {
        words_.forget_slots();
        cells_.forget_slots();
        rows_ = {};
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
    void add_exact(std::span<const std::uint32_t> places, const Counted& by);
    void add_hashed(std::span<const std::uint32_t> places, const Counted& by);

    std::size_t columns_;
    TokenTable words_;
    TokenCells cells_;
    std::vector<std::uint32_t> rows_;    // by hashed column, the document in which it was last counted
    std::vector<std::uint32_t> tokens_;  // those that are being added
};

// Which shard a token goes to. The bits are others than those that find its slot there.
inline std::size_t shard_of(std::uint64_t hash) { return hash >> 60; }
// Columns are dealt out by their last bits: the column is number · token_shards + shard.
inline std::size_t shard_of_column(std::uint32_t column) { return column % token_shards; }

}  // namespace suffice
