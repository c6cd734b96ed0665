// Scores of one tile of rows: every term adds its contribution, and the last step converts the sums to the requested
// score.
#pragma once

#include <variant>
#include <vector>

#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "suffice/score.hpp"
#include "term_scorer.hpp"

namespace suffice {

inline constexpr std::size_t unit_rows = 2048;  // rows per unit of work

class TileScorer {
  public:
    TileScorer(const CompiledTables& compiled, const NeededColumns& needed);

    // Adds the terms of a tile that has been started and whose first row is `first`. `x` is needed columns × height, or
    // null if no column is needed; `finite` means that every cell is finite. `table` has the codes of levels, or is
    // null if there are none.
    void add(const double* x, bool finite, std::size_t first, const Table* table);

    template <class Visitor>
    void each(Visitor&& visitor) {
        for (AnyScorer& scorer : scorers_) std::visit(visitor, scorer);
    }
    // Stops at the first term for which the visitor returns false.
    template <class Visitor>
    bool all(Visitor&& visitor) {
        for (AnyScorer& scorer : scorers_)
            if (!std::visit(visitor, scorer)) return false;
        return true;
    }
    TileSums& sums() { return sums_; }
    const TileSums& sums() const { return sums_; }

  private:
    void find_places();

    const CompiledTables& compiled_;
    const NeededColumns& needed_;
    // The positions of each term's columns in a tile: computed for the first tile of numbers.
    std::vector<std::vector<std::size_t>> places_;
    bool placed_ = false;
    std::vector<AnyScorer> scorers_;
    TileSums sums_;
};

}  // namespace suffice
