// Scores of one tile of rows: each block of columns adds its terms, and the last step turns them into what is wanted.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "compiled_tables.hpp"
#include "score_counts.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score.hpp"

namespace suffice {

// Rows of a tile, and of the unit of work that a thread takes.
inline constexpr std::size_t tile_rows = 64, unit_rows = 2048;

class TileScorer {
  public:
    explicit TileScorer(const CompiledTables& compiled);

    void start();

    // The terms of real columns, counts and presences of the `rows` rows from `first`: `x` is columns × tile_rows, and
    // `place[j]` the position of column j in it.
    void add(const double* x, std::size_t columns, const std::vector<std::size_t>& place, std::size_t first, std::size_t rows);
    // The terms of histograms, and of whether a cell is known.
    void add_steps(const double* x, const std::vector<std::size_t>& place);
    void add_levels(std::size_t block, const std::uint32_t* slots, std::size_t rows);
    // Rows of weights, gathered: see gather_terms.
    void add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                      const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows);
    void add_to_every_class(std::size_t r, double value);
    CountScorer& counts(std::size_t block) { return counts_[block]; }
    double* row(std::size_t r) { return by_row_.data() + r * compiled_.width; }

    // The number of rows that no class can have produced.
    std::size_t finish(std::size_t rows, Wanted wanted, double* out);

  private:
    void add_coefficient(const RowTile& tile, const CoefficientTerms& block, std::size_t first, std::size_t rows);
    void add_sums(std::size_t first, std::size_t rows);
    static void refuse_counts(const RowTile& tile, const std::vector<std::size_t>& columns, std::size_t first, std::size_t rows);
    void condition_on_observed(const LinearTerms& terms, const RowTile& tile, std::size_t r);

    const CompiledTables& compiled_;
    Aligned by_class_, by_row_, sums_;  // classes × tile_rows; tile_rows × width, twice
    std::vector<CountScorer> counts_;
    std::vector<std::size_t> where_;
    std::vector<std::uint32_t> slots_;
};

}  // namespace suffice
