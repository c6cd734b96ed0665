// How a kind of term is scored. `Scorer<Terms>` is the state of one thread for a term, and `Scorer<Terms>::Tables` the
// compiled form for the kernels, which is created once and shared by all threads.
//
//   static constexpr bool depends_on_rows      whether the tables depend on the number of dense rows to be scored
//   Tables(terms, classes[, dense_rows])
//   Scorer(terms, tables)
//   add(tile, sums)                            adds the terms of a tile of rows; for codes: add(table, first, sums)
//
// and, if sparse rows can be scored from their stored cells only: takes_stored(), place(), begin(), add_stored(),
// end().
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "sparse.hpp"
#include "suffice/kernels.hpp"
#include "suffice/rows.hpp"
#include "suffice/score.hpp"

namespace suffice {

inline constexpr std::size_t tile_rows = 64;  // at most

// Some rows of a table as numbers: `cells` has the columns of one term. `first` is the tile's first row, and `finite`
// means that every cell is finite.
struct NumberTile {
    RowTile cells;
    std::size_t rows, first;
    bool finite;
};

// The stored cells of one sparse row: the r-th of a tile, and `row` of the data.
struct StoredRow {
    const SparseRow& cells;
    std::size_t r, row;
};

// The sums of a tile's terms, and the outputs computed from them.
class TileSums {
  public:
    explicit TileSums(const std::vector<double>& log_prior);

    // Starts a tile of at most tile_rows rows. Its height is their number, rounded up to whole lanes.
    void start(std::size_t rows);

    std::size_t rows() const { return rows_; }
    std::size_t height() const { return height_; }
    std::size_t classes() const { return log_prior_.size(); }
    std::size_t width() const { return width_; }

    double* by_class() { return by_class_.data(); }  // classes × height
    double* by_row();                                // height × width
    double* row(std::size_t r) { return by_row() + r * width_; }
    void add_to_every_class(std::size_t r, double value);
    // Rows of weights, gathered: see gather_terms.
    void add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                      const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows);
    // Scratch space for a slot of each row and column.
    std::uint32_t* slots(std::size_t columns);

    // Whether a cell whose presence was scored is infinite, in any tile so far.
    bool infinite = false;

    // Returns the number of rows that are impossible under every class. Throws InvalidInput if a score is undefined;
    // `first` is the tile's first row.
    std::size_t finish(const Asked& asked, double* out, std::size_t first);

  private:
    const std::vector<double>& log_prior_;
    std::size_t width_, rows_ = 0, height_ = 0;
    bool row_terms_ = false;  // whether a term of this tile is in by_row_
    Aligned by_class_, by_row_, gathered_;
    std::vector<double> no_prior_;  // zeros
    std::vector<std::uint32_t> slots_;
};

// The position of each column of a table among those of a term.
class StoredPlaces {
  public:
    void find(const std::vector<std::size_t>& columns, std::size_t cols);
    std::uint32_t of(std::size_t column) const { return place_.empty() ? static_cast<std::uint32_t>(column) : place_[column]; }
    // Empty when every column has its own index as position; no_slot for a column that does not belong to the term.
    const std::vector<std::uint32_t>& all() const { return place_; }

  private:
    std::vector<std::uint32_t> place_;
};

template <class Terms>
class Scorer;

// The defaults of all kinds, which a kind redefines where it differs.
template <class Terms, class Tables_>
class TermScorer {
  public:
    using Tables = Tables_;
    static constexpr bool depends_on_rows = false;

    TermScorer(const Terms& terms, const Tables& tables) : terms_(terms), tables_(tables) {}

    // Sparse rows of `cols` columns: place() is called once; then, for each group of rows, begin(), add_stored() for
    // each row, which returns false if the tile must be scored in dense form, and end() with the first row of the group
    // in the tile and their number.
    bool takes_stored() const { return false; }
    void place(std::size_t) {}
    void begin() {}
    bool add_stored(const StoredRow&, TileSums&) { return false; }
    void end(std::size_t, std::size_t, TileSums&) {}

  protected:
    const Terms& terms_;
    const Tables& tables_;
};

// Pads rows of `classes` numbers to `width` numbers with zeros.
Aligned padded_rows(const std::vector<double>& table, std::size_t classes);
bool all_finite(const std::vector<double>& values);

}  // namespace suffice
