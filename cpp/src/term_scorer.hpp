// How a kind of term is scored. `Scorer<Terms>` is what one thread keeps of a term, and `Scorer<Terms>::Tables` what the
// kernels want of it: made once and shared by all threads.
//
//   static constexpr bool depends_on_rows      whether the tables depend on how many dense rows will be scored
//   Tables(terms, classes[, dense_rows])
//   Scorer(terms, tables)
//   add(tile, sums)                            the terms of a tile of rows; of codes: add(table, first, sums)
//
// and, where sparse rows can be scored by their stored cells alone, takes_stored(), place(), begin(), add_stored(), end().
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

// Some rows of a table as numbers: `cells` has the columns of one term. `first` is the tile's first row, and `finite` says
// that every cell is.
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

// The sums of a tile's terms, and what is made of them.
class TileSums {
  public:
    explicit TileSums(const std::vector<double>& log_prior);

    // A tile of that many rows, tile_rows at most. Its height is what they make in whole lanes.
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

    // The number of rows that no class can have produced. Throws an InvalidInput where a score is no number; `first` is the tile's first row.
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
    // Empty when every column is its own; no_slot for a column that is not the term's.
    const std::vector<std::uint32_t>& all() const { return place_; }

  private:
    std::vector<std::uint32_t> place_;
};

template <class Terms>
class Scorer;

// What kinds share. A kind defines anew what it does otherwise.
template <class Terms, class Tables_>
class TermScorer {
  public:
    using Tables = Tables_;
    static constexpr bool depends_on_rows = false;

    TermScorer(const Terms& terms, const Tables& tables) : terms_(terms), tables_(tables) {}

    // Sparse rows of `cols` columns: place() once, and for some rows begin(), add_stored() of each, which is false where the
    // tile has to be spelled out, and end() with the first of them in the tile and how many they are.
    bool takes_stored() const { return false; }
    void place(std::size_t) {}
    void begin() {}
    bool add_stored(const StoredRow&, TileSums&) { return false; }
    void end(std::size_t, std::size_t, TileSums&) {}

  protected:
    const Terms& terms_;
    const Tables& tables_;
};

// classes numbers a row → width numbers, padded with zeros.
Aligned padded_rows(const std::vector<double>& table, std::size_t classes);
bool all_finite(const std::vector<double>& values);

}  // namespace suffice
