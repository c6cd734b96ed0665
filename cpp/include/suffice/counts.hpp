// Weighted counts by class: sums of x, presence of x > threshold, and levels of coded columns.
//
//   sums      values[c, j] = Σ w x_j              presence  values[c, j] = Σ w [x_j > threshold]
//   levels    values[c, base_j + k] = Σ w [x_j = k]
// over the rows of class c in which x_j is observed; the weight of those rows is observed[c, j].
// Integer counts below 2⁵³ are exact, whatever the order.
#pragma once

#include <span>
#include <vector>

#include "suffice/pages.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

// `values` is classes × columns. `observed` is classes × columns, or classes × 1 when nothing was missing.
struct CountTable {
    Unset values;
    std::vector<double> observed;
    bool by_column = false;  // whether `observed` has one entry per column
};

CountTable sums(const Table& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt);
CountTable sums(const Csr& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt);

CountTable presence(const Table& x, const Labels& labels, double threshold, std::size_t threads,
                    const Interrupt& interrupt);
// Duplicates are summed before they are compared with the threshold. Below 0, an absent cell counts as present.
CountTable presence(const Csr& x, const Labels& labels, double threshold, std::size_t threads,
                    const Interrupt& interrupt);

// classes × Σ_j sizes[j], the levels of column j contiguous. Codes are integers 0 … sizes[j]−1, or −1 for missing.
std::vector<double> levels(const Table& x, const Labels& labels, std::span<const std::size_t> sizes,
                           std::size_t threads, const Interrupt& interrupt);

// The weight of each class.
std::vector<double> tally(std::size_t rows, const Labels& labels, std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
