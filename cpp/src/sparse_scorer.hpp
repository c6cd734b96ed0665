// Scores of sparse rows. For counts and presences the cost depends only on the stored cells; other terms use the dense
// form of the row.
#pragma once

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
    SparseScorer(const CompiledTables& compiled, const Csr& x, const SparseRows& rows, const Asked& asked, std::size_t per_row, Scores& scores);

    void work(std::size_t unit, Checkpoint& checkpoint);
    void merge(std::size_t) { scores_.impossible += impossible_; }

  private:
    static constexpr std::size_t rows_at_once = 16;  // their gathered values stay in cache

    // Returns false when a stored cell is missing under weights or presences: the tile is then scored in dense form.
    bool add_stored(std::size_t first, std::size_t rows);
    void add_spelled_out(std::size_t first, std::size_t rows);

    const Csr& x_;
    const SparseRows& rows_;
    Asked asked_;
    std::size_t per_row_;
    Scores& scores_;
    NeededColumns needed_;
    TileScorer scorer_;
    SparseRow row_;
    bool by_stored_;  // whether every term can be scored by the stored cells
    Aligned tile_;
    std::size_t impossible_ = 0;
};

}  // namespace suffice
