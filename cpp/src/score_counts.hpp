// Count terms for tiles of dense rows and for sparse rows.
//
//   delta_j(x) = [ln Γ(start_j + x) − ln Γ(start_j)] + x · slope_j − [ln x!]     change from base for a count x > 0
//
// Dense rows: the delta of a small integer count is looked up in a table, 1 … depth for each column; other deltas are
// computed by the same function, so the bits do not depend on the depth, which is chosen by its memory and by the
// number of rows. Sparse rows: Σ_j ln Γ(start + x) − ln Γ(start) over small integer counts is the log of one product;
// other counts are computed separately. Sparse table lookups are scattered in memory, so they are prefetched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "aligned.hpp"
#include "log_factorials.hpp"
#include "suffice/kernels.hpp"
#include "suffice/rows.hpp"
#include "suffice/score_counts.hpp"
#include "term_scorer.hpp"

namespace suffice {

// The tables of one block with rows of `width` numbers, compiled once per call and shared by its threads.
class CompiledCounts {
  public:
    // `dense_rows` is the number of rows that will use the table.
    CompiledCounts(const CountTerms& terms, std::size_t classes, std::size_t dense_rows);

    const CountTerms& terms() const { return terms_; }
    std::size_t columns() const { return terms_.columns.size(); }
    std::size_t width() const { return width_; }
    std::size_t depth() const { return depth_; }
    // Row 0 is zero; row j · depth + x is delta_j(x).
    const double* table() const { return table_.data(); }
    // Whether the product of rising_terms is valid for every start.
    bool factors() const { return factors_; }
    const double* start(std::size_t j) const { return start_.data() + j * width_; }
    const double* slope(std::size_t j) const { return slope_.data() + j * width_; }
    const double* base(std::size_t j) const { return base_.data() + j * width_; }
    const Aligned& all_start() const { return all_start_; }  // Σ_j, in column order
    const Aligned& all_base() const { return all_base_; }

    void delta(std::size_t j, double x, double* out) const;

  private:
    const CountTerms& terms_;
    std::size_t width_, depth_;
    bool factors_ = false;
    Aligned start_, slope_, base_, table_, all_start_, all_base_;
};

template <>
class Scorer<CountTerms> : public TermScorer<CountTerms, CompiledCounts> {
  public:
    static constexpr bool depends_on_rows = true;

    Scorer(const CountTerms& terms, const CompiledCounts& tables);

    void add(const NumberTile& tile, TileSums& sums);

    bool takes_stored() const { return true; }
    void place(std::size_t cols) { places_.find(terms_.columns, cols); }
    void begin();
    bool add_stored(const StoredRow& stored, TileSums& sums);
    void end(std::size_t r, std::size_t rows, TileSums& sums);

  private:
    struct Row {
        std::size_t in_tile, first_aside, first_missing;
        double total, factorials;
    };
    struct Cell {
        std::size_t j;
        double x;
    };
    // The inputs of gather_terms (suffice/kernels.hpp).
    struct Gathered {
        std::vector<const double*> from;
        std::vector<double> counts;
        std::vector<std::size_t> starts;
        std::size_t size = 0;
        void clear() { size = 0, starts.clear(); }
        void open(std::size_t most) {
            starts.push_back(size);
            if (from.size() < size + most + gathered_ahead)
                from.resize(2 * size + most + gathered_ahead), counts.resize(from.size());
        }
        void add(const double* row, double x) { from[size] = row, counts[size++] = x; }
        void close(const double* anywhere) {
            starts.push_back(size);
            std::fill_n(from.begin() + static_cast<std::ptrdiff_t>(size), gathered_ahead, anywhere);
        }
    };
    using Missing = std::span<const std::size_t>;

    void work_out(const RowTile& tile, std::size_t r, std::size_t row);
    void add_row(const double* sums, double total, Missing missing, double* scores);
    const double* rising_of_total(double total, Missing missing);
    void observe(Aligned& observed, const Aligned& all, Missing missing, bool starts);

    StoredPlaces places_;
    std::vector<std::uint32_t> slots_;
    std::vector<double> totals_;
    std::vector<std::uint8_t> state_;
    std::vector<Row> rows_;
    std::vector<Cell> aside_;
    std::vector<std::size_t> missing_;
    Gathered starts_, slopes_;
    Aligned sums_, slope_sums_, delta_, observed_, rising_, risings_;
    std::vector<bool> risen_;
};

struct NoTables {
    NoTables(const CoefficientTerms&, std::size_t) {}
};

template <>
class Scorer<CoefficientTerms> : public TermScorer<CoefficientTerms, NoTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
    bool takes_stored() const { return true; }
    void place(std::size_t cols) { places_.find(terms_.columns, cols); }
    bool add_stored(const StoredRow& stored, TileSums& sums);

  private:
    StoredPlaces places_;
};

// ln n! − Σ_j ln x_j! of a row whose cells are added one by one; lane j mod 8 holds column j, as in the kernel.
class RowCoefficient {
  public:
    void add(std::size_t j, double x, const LogFactorials& factorials = LogFactorials::shared()) {
        sums_[j % lanes] += x;
        logs_[j % lanes] += factorials.of(x);
    }
    void add_checked(std::size_t j, double x, std::size_t row, std::size_t column);  // ignores a missing count
    double cells() const;                                                            // Σ_j ln x_j!
    double total() const;
    double log() const;

  private:
    double logs_[lanes] = {}, sums_[lanes] = {};
};

// Throws for a count that is negative or infinite.
inline void require_count(double x, std::size_t row, std::size_t column) {
    if (!(x >= 0 && x <= std::numeric_limits<double>::max()))
        throw InvalidInput{InvalidInput::Kind::bad_count, row, column, x};
}

}  // namespace suffice
