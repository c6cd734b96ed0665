// Log-factorial sums by class, which cannot be recovered from sums of counts.
//
//   cells   ℓ = Σ_j ln x_j!, for integer counts           rows   ℓ = max(ln n! − Σ_j ln x_j!, 0),  n = Σ_j x_j
// over the observed columns of a row. ℓ = coarse · 2⁻²⁰ + fine · 2⁻⁴³ with integer parts, coarse rounded down and fine
// rounded to nearest. Both parts are summed with the row's weight: exact for integer weights as long as the coarse sum
// stays below 2⁵³.
#pragma once

#include <vector>

#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

enum class CountLogs { cells, rows };

// classes × 2: coarse and fine. Dense and sparse rows give the same bits.
std::vector<double> count_logs(const Table& x, const Labels& labels, CountLogs kind, std::size_t threads,
                               const Interrupt& interrupt);
std::vector<double> count_logs(const Csr& x, const Labels& labels, CountLogs kind, std::size_t threads,
                               const Interrupt& interrupt);

}  // namespace suffice
