// Scores of dense rows: what one thread does with its units.
#pragma once

#include <cstdint>
#include <vector>

#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"
#include "tile_loader.hpp"
#include "tile_scorer.hpp"

namespace suffice {

class DenseScorer {
  public:
    DenseScorer(const CompiledTables& compiled, const Table& x, Wanted wanted, std::size_t per_row, Scores& scores);

    void work(std::size_t unit, Checkpoint&);
    void merge(std::size_t) {
        scores_.impossible += impossible_;
        scores_.infinite |= scorer_.infinite();
    }

  private:
    void load_slots(std::size_t block, std::size_t first, std::size_t rows);

    const CompiledTables& compiled_;
    const Table& x_;
    Wanted wanted_;
    std::size_t per_row_;
    Scores& scores_;
    NeededColumns needed_;
    TileScorer scorer_;
    TileLoader loader_;
    std::vector<std::uint32_t> slots_;
    std::size_t impossible_ = 0;
};

}  // namespace suffice
