// Scores of dense rows: what one thread does with its units.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"
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
    // The needed columns of some rows, one after the other, each as long as the rows padded to whole lanes. Rows beyond the
    // last repeat it; nobody looks at their scores. False when a cell is not finite.
    bool load(std::size_t first, std::size_t rows);
    bool load_rows(std::size_t first, std::size_t rows);
    // Asks for the memory of the eight rows from `first`.
    void ask_for(std::size_t first) const;
    void load_slots(std::size_t block, std::size_t first, std::size_t rows);
    const std::byte* row(std::size_t r) const { return x_.data + static_cast<std::ptrdiff_t>(r) * x_.row_stride; }

    const CompiledTables& compiled_;
    const Table& x_;
    Wanted wanted_;
    std::size_t per_row_;
    Scores& scores_;
    NeededColumns needed_;
    TileScorer scorer_;
    bool by_rows_, direct_;  // whether cells lie side by side and all are needed; whether they are doubles too
    std::size_t ahead_;      // rows between those that are read and those that are asked for, 0 not to ask
    Aligned tile_, eight_;
    std::vector<std::uint32_t> slots_;
    std::size_t impossible_ = 0;
};

}  // namespace suffice
