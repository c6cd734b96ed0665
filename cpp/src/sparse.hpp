// Compressed sparse rows, and a pass over them one class at a time.
//
// Rows are first sorted by class (stably), so that the accumulators of one class, one number per column, stay in the
// cache; classes × columns is never a working set. A class with many stored cells is cut into units of a fixed number
// of cells, merged in order, so the bits do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "blocks.hpp"

namespace suffice {

// Rows of one class: positions first … last−1 of `order`.
struct SparseUnit {
    std::size_t cls, first, last;
    bool only;  // the only unit of its class
};

// The starts of the rows, validated and copied, because the caller's array may be modified meanwhile. Throws
// InvalidInput.
class SparseRows {
  public:
    explicit SparseRows(const Csr& x);
    std::size_t start(std::size_t row) const { return starts_[row]; }

  private:
    std::vector<std::size_t> starts_;
};

class SparsePass {
  public:
    // Validates every class and weight too; throws InvalidInput.
    SparsePass(const Csr& x, const Labels& labels);

    const std::vector<SparseUnit>& units() const { return units_; }
    const std::vector<double>& class_weight() const { return class_weight_; }
    std::size_t row(std::size_t position) const { return order_[position]; }
    double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
    const SparseRows& rows() const { return rows_; }

  private:
    SparseRows rows_;
    std::vector<std::size_t> order_;
    std::vector<double> weights_, class_weight_;
    std::vector<SparseUnit> units_;
};

// The stored cells of one row as (column, value) pairs with every column at most once.
class SparseRow {
  public:
    explicit SparseRow(const Csr& x) : x_(x) {}

    void read(const SparseRows& rows, std::size_t row);
    // Prefetches the cells of a row that is read soon: rows of one class are scattered in memory.
    void prefetch(const SparseRows& rows, std::size_t row) const;

    std::size_t size() const { return columns_.size(); }
    std::size_t column(std::size_t k) const { return columns_[k]; }
    double value(std::size_t k) const { return values_[k]; }

  private:
    template <class Index>
    bool read_columns(std::size_t begin, std::size_t row);
    void merge_duplicates();

    const Csr& x_;
    std::vector<std::size_t> columns_, by_column_;
    std::vector<double> values_;
};

// Weight of the missing cells, classes × columns; empty until one is met. Merging is serial, so no lock is needed.
class MissingCells {
  public:
    MissingCells(std::size_t classes, std::size_t cols) : classes_(classes), cols_(cols) {}
    bool any() const { return !weight_.empty(); }
    double at(std::size_t cell) const { return weight_.empty() ? 0.0 : weight_[cell]; }
    void add(std::size_t cls, std::vector<std::pair<std::size_t, double>>& cells) {
        if (!cells.empty() && weight_.empty()) weight_.resize(classes_ * cols_);
        for (const auto& [column, w] : cells) weight_[cls * cols_ + column] += w;
        cells.clear();
    }

  private:
    std::size_t classes_, cols_;
    std::vector<double> weight_;
};

// a − b for weights, where b is part of a. Exact for integers below 2⁵³; for other weights a residue of at most 2⁻⁴⁰ a
// is rounding error and becomes 0.
inline double remaining(double a, double b) {
    const double rest = a - b;
    const bool exact = a < 0x1p53 && std::trunc(a) == a && std::trunc(b) == b;
    return !exact && rest <= std::ldexp(a, -40) ? 0.0 : rest;
}

}  // namespace suffice
