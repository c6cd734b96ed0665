// Count terms over tiles of rows and over sparse rows.
//
//   delta_j(x) = [ln Γ(start_j + x) − ln Γ(start_j)] + x · slope_j − [ln x!]          what a count x > 0 adds to its base
//
// Small whole counts find their delta in a table, 1 … depth for each column; others are worked out by the same function,
// so the bits do not depend on the depth, which is chosen by the memory it takes and the rows that will profit.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score_counts.hpp"

namespace suffice {

// One block's tables with rows of `width` numbers, made once a call and shared by its threads.
class CompiledCounts {
  public:
    CompiledCounts(const CountTerms& terms, std::size_t classes, std::size_t rows);

    const CountTerms& terms() const { return terms_; }
    std::size_t columns() const { return terms_.columns.size(); }
    std::size_t width() const { return width_; }
    std::size_t depth() const { return depth_; }
    // Its row 0 is zero; row j · depth + x is delta_j(x).
    const double* table() const { return table_.data(); }
    const double* start(std::size_t j) const { return start_.data() + j * width_; }
    const double* base(std::size_t j) const { return base_.data() + j * width_; }
    const Aligned& all_start() const { return all_start_; }  // Σ_j, in the order of the columns
    const Aligned& all_base() const { return all_base_; }

    // The row of the table, or null when the count is not in it.
    const double* listed(std::size_t j, double x) const {
        if (!(x <= static_cast<double>(depth_))) return nullptr;
        const auto whole = static_cast<std::size_t>(x);
        return static_cast<double>(whole) == x ? table_.data() + (j * depth_ + whole) * width_ : nullptr;
    }
    void delta(std::size_t j, double x, double* out) const;

  private:
    const CountTerms& terms_;
    std::size_t width_, depth_;
    Aligned start_, slope_, base_, table_, all_start_, all_base_;
};

// One thread's scratch space for one block.
class CountScorer {
  public:
    explicit CountScorer(const CompiledCounts& compiled);

    // Adds the terms of the first `rows` rows of a tile to its scores, rows × width. `first_row` is for messages.
    void add(const RowTile& tile, std::size_t rows, std::size_t first_row, double* scores);

    // Sparse rows: begin(), cell() for each stored cell in the order of the columns, then end().
    void begin();
    void cell(std::size_t j, double x, std::size_t row);
    void end(double* scores);

  private:
    void add_row(const double* sums, double total, double* scores);
    const double* rising_of_total(double total);
    void observe(Aligned& observed, const Aligned& all, bool starts);

    const CompiledCounts& compiled_;
    std::vector<std::uint32_t> slots_;
    std::vector<double> totals_;
    std::vector<std::uint8_t> state_;
    std::vector<std::size_t> missing_, aside_;  // aside_: which of rows_ stand in worked_out_
    std::vector<const double*> rows_;
    Aligned sums_, row_sums_, worked_out_, observed_start_, observed_base_, one_rising_, risings_;
    std::vector<bool> risen_;
    double total_ = 0;
};

// ln n! − Σ_j ln x_j! of a row whose cells are handed over one by one; lane j mod 8 holds column j, as in the kernel.
class RowCoefficient {
  public:
    void add(std::size_t j, double x);
    void add_checked(std::size_t j, double x, std::size_t row, std::size_t column);  // a missing count is left out
    double cells() const;  // Σ_j ln x_j!
    double total() const;
    double log() const;

  private:
    double logs_[lanes] = {}, sums_[lanes] = {};
};

// Refuses a count that is negative or infinite.
void require_count(double x, std::size_t row, std::size_t column);

}  // namespace suffice
