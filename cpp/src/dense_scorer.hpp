// Scores of dense rows: the work of one thread.
#pragma once

#include <algorithm>

#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"
#include "tile_loader.hpp"
#include "tile_scorer.hpp"

namespace suffice {

class DenseScorer {
  public:
    DenseScorer(const CompiledTables& compiled, const Table& x, const Asked& asked, std::size_t per_row, Scores& scores)
        : x_(x), asked_(asked), per_row_(per_row), scores_(scores), needed_(compiled.tables, x.cols),
          scorer_(compiled, needed_), loader_(x, needed_, tile_rows) {}

    void work(std::size_t unit, Checkpoint&) {
        impossible_ = 0;
        const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
        for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
            const std::size_t rows = std::min(tile_rows, end - first);
            scorer_.sums().start(rows);
            const bool numbers = !needed_.columns.empty(), finite = !numbers || loader_.load(first, rows);
            scorer_.add(numbers ? loader_.tile() : nullptr, finite, first, &x_);
            impossible_ += scorer_.sums().finish(asked_, scores_.values.data() + first * per_row_, first);
        }
    }
    void merge(std::size_t) {
        scores_.impossible += impossible_;
        scores_.infinite |= scorer_.sums().infinite;
    }

  private:
    const Table& x_;
    Asked asked_;
    std::size_t per_row_;
    Scores& scores_;
    NeededColumns needed_;
    TileScorer scorer_;
    TileLoader loader_;
    std::size_t impossible_ = 0;
};

}  // namespace suffice
