// Scores of one tile of rows: every term adds what is its own, and the last step turns the sums into what is wanted.
#pragma once

#include <variant>
#include <vector>

#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "suffice/score.hpp"
#include "term_scorer.hpp"

namespace suffice {

inline constexpr std::size_t unit_rows = 2048;  // the unit of work that a thread takes

class TileScorer {
  public:
    TileScorer(const CompiledTables& compiled, const NeededColumns& needed);

    // The terms of a tile that has been started, whose first row is `first`. `x` is needed columns × height, `finite` says
    // that every cell is; null where no column is needed. `table` has the codes of levels; null where there are none.
    void add(const double* x, bool finite, std::size_t first, const Table* table);

    template <class Visitor>
    void each(Visitor&& visitor) {
        for (AnyScorer& scorer : scorers_) std::visit(visitor, scorer);
    }
    // Until one of them says false.
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
    // Where the columns of each term stand in a tile: found when a tile of numbers first comes.
    std::vector<std::vector<std::size_t>> places_;
    bool placed_ = false;
    std::vector<AnyScorer> scorers_;
    TileSums sums_;
};

}  // namespace suffice
