// The logs that sums of counts do not know, added up by class.
//
//   cells   ℓ = Σ_j ln x_j!, of whole counts              rows   ℓ = max(ln n! − Σ_j ln x_j!, 0),  n = Σ_j x_j
// over the observed columns of a row. ℓ = coarse · 2⁻²⁰ + fine · 2⁻⁴³ in whole numbers, coarse rounded down and fine to the
// nearest, and both are added up with the row's weight: exact for whole weights as long as the coarse sum is below 2⁵³.
#pragma once

#include <vector>

#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

enum class CountLogs { cells, rows };

// classes × 2, coarse and fine. Dense and sparse rows give the same bits.
std::vector<double> count_logs(const Table& x, const Labels& labels, CountLogs kind, std::size_t threads,
                               const Interrupt& interrupt);
std::vector<double> count_logs(const Csr& x, const Labels& labels, CountLogs kind, std::size_t threads,
                               const Interrupt& interrupt);

}  // namespace suffice
