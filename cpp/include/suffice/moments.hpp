// (weight, mean, dp) per class and column in one pass.
//
//   n = Σ w,   mean = Σ w x / n,   dp = Σ w (x − mean)²        over the rows of the class where x is observed
//
// Within a block of rows the sums are taken about a pivot, the first observed value of that class and column:
//   s₁ = Σ w (x − pivot),  s₂ = Σ w (x − pivot)²,  mean = pivot + s₁/n,  dp = s₂ − s₁²/n.
// The pivot is one of the values, so s₂ exceeds dp by at most a factor of the block's length, and no digits are lost at
// mean 10⁹ and sd 1. Blocks merge by Chan, Golub & LeVeque (1983):
//   δ = mean_b − mean_a,  mean = mean_a + δ n_b/n,  dp = dp_a + dp_b + δ² n_a n_b/n,
// with the mean carried as an unevaluated sum mean + mean_low, because δ is a difference of nearly equal numbers.
#pragma once

#include <vector>

#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

// classes × columns, row-major.
struct MomentTable {
    std::vector<double> weight, mean, mean_low, dp;

    MomentTable() = default;
    explicit MomentTable(std::size_t cells) : weight(cells), mean(cells), mean_low(cells), dp(cells) {}
};

MomentTable moments(const Table& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt);

// Absent cells are 0; a stored NaN is missing.
MomentTable moments(const Csr& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
