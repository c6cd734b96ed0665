// Scores of sparse rows. Under counts and presences only the stored cells cost anything; other terms see the row spelled out.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "sparse.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"
#include "tile_scorer.hpp"

namespace suffice {

class SparseScorer {
  public:
    SparseScorer(const CompiledTables& compiled, const Csr& x, const SparseRows& rows, Wanted wanted, std::size_t per_row, Scores& scores);

    void work(std::size_t unit, Checkpoint& checkpoint);
    void merge(std::size_t) { scores_.impossible += impossible_; }

  private:
    static constexpr std::uint32_t nowhere = no_slot;
    static constexpr std::size_t rows_at_once = 16;  // what is gathered for them stays in cache

    // The weights of the stored cells of a tile: see gather_terms.
    struct Gathered {
        std::vector<const double*> from;
        std::vector<double> values;
        std::vector<std::size_t> starts;
        void clear() { from.clear(), values.clear(), starts.clear(); }
    };

    // The position of each column of x among a block's own; empty when that is the column itself.
    std::vector<std::uint32_t> places(const std::vector<std::size_t>& columns) const;
    std::uint32_t place_of(std::size_t block, std::size_t column) const {
        return places_[block].empty() ? static_cast<std::uint32_t>(column) : places_[block][column];
    }

    // False when a stored cell is missing under weights or presences: the tile is then scored the general way.
    bool add_stored(std::size_t first, std::size_t rows);
    void begin_gathering();
    void end_gathering(std::size_t r, std::size_t rows);
    // The presences of the row that was read, the r-th of the tile. False when a cell is missing.
    bool add_present(std::size_t r);
    // The weights of the row that was read. False when a cell is missing.
    bool gather_weights(std::size_t row);
    // The terms of counts in the row that was read, the r-th of the tile.
    void add_counts(std::size_t row, std::size_t r);
    void add_spelled_out(std::size_t first, std::size_t rows);

    const CompiledTables& compiled_;
    const Csr& x_;
    const SparseRows& rows_;
    Wanted wanted_;
    std::size_t per_row_;
    Scores& scores_;
    NeededColumns needed_;
    TileScorer scorer_;
    SparseRow row_;
    bool counts_alone_ = true;
    std::vector<Aligned> all_absent_;
    std::vector<std::vector<std::uint32_t>> places_;
    std::vector<Gathered> weights_;
    Aligned tile_;
    std::size_t impossible_ = 0;
};

}  // namespace suffice
