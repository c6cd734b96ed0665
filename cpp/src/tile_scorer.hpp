// Scores of one tile of rows: each block of columns adds its terms, and the last step turns them into what is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "score_counts.hpp"
#include "score_ellipses.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score.hpp"

namespace suffice {

// Rows of a tile, and of the unit of work that a thread takes.
inline constexpr std::size_t tile_rows = 64, unit_rows = 2048;

class TileScorer {
  public:
    TileScorer(const CompiledTables& compiled, const NeededColumns& needed);

    // A tile of that many rows, tile_rows at most. Its height is what they make in whole lanes.
    void start(std::size_t rows);

    // The terms of real columns, counts and presences: `x` is needed columns × height, `finite` says that every cell is,
    // and `first` is the tile's first row.
    void add(const double* x, bool finite, std::size_t first);
    // The terms of histograms, and of whether a cell is known.
    void add_steps(const double* x);
    void add_levels(std::size_t block, const std::uint32_t* slots);
    // Rows of weights, gathered: see gather_terms.
    void add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                      const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows);
    void add_to_every_class(std::size_t r, double value);
    CountScorer& counts(std::size_t block) { return counts_[block]; }
    double* row(std::size_t r) { return by_row() + r * compiled_.width; }

    // Whether a cell whose presence was scored is infinite, in any tile so far.
    bool infinite() const { return infinite_; }

    // The number of rows that no class can have produced. Throws a Flaw where a score is no number; `first` is the tile's first row.
    std::size_t finish(Wanted wanted, double* out, std::size_t first);

  private:
    // Where the columns of each block of a kind stand in a tile: found when a tile of numbers first comes.
    using Places = std::vector<std::vector<std::size_t>>;

    double* by_row();
    std::uint32_t* slots(std::size_t columns);
    void add_coefficient(const RowTile& tile, const CoefficientTerms& block, std::size_t first);
    void add_sums(std::size_t first, std::size_t rows);
    void refuse_counts(const RowTile& tile, const std::vector<std::size_t>& columns, std::size_t first) const;
    void condition_on_observed(const LinearTerms& terms, const RowTile& tile, std::size_t r);

    void find_places();

    const CompiledTables& compiled_;
    const NeededColumns& needed_;
    bool placed_ = false;
    Places quadratic_, student_, presence_, linear_, count_, coefficient_, step_, observed_, ellipse_;
    std::size_t rows_ = 0, height_ = 0;
    bool infinite_ = false;
    bool row_terms_ = false;            // whether a term of this tile is in by_row_
    Aligned by_class_, by_row_, sums_;  // classes × height; rows × width, twice
    std::vector<CountScorer> counts_;
    std::vector<EllipseScorer> ellipses_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace suffice
