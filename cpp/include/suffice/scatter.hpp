// (weight, mean vector, S = Σ w (x − m)(x − m)ᵀ) per class in one pass. As stable as `moments` and by the same method:
// sums about a pivot row within a block, then S = S_a + S_b + δ δᵀ n_a n_b / n between blocks. A row with a missing
// cell is excluded whole; the weight of such rows is `left_out`.
#pragma once

#include <vector>

#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

struct ScatterTable {
    std::vector<double> weight, left_out;  // classes
    std::vector<double> mean, mean_low;    // classes × columns
    std::vector<double> scatter;           // classes × columns × columns, symmetric
};

ScatterTable scatter(const Table& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
