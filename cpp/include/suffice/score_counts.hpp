// Terms for rows of counts x ≥ 0 that need more than a product: Pólya, Poisson, negative binomial, and the multinomial
// coefficient. A missing count contributes nothing.
#pragma once

#include <cstddef>
#include <vector>

namespace suffice {

// term = Σ_j over the observed columns of
//   base + [ln Γ(start + x) − ln Γ(start)] + x · slope − [ln x!],      0 · (−inf) = 0
// and, if `whole_row`, minus ln Γ(A + n) − ln Γ(A) with A = Σ_j start and n = Σ_j x over the observed columns. start,
// slope and base are columns × classes, or empty when the part is absent; base is finite.
//
//   Pólya               start = α, whole_row
//   Poisson             slope = ln λ, base = −λ, factorials
//   negative binomial   start = r, slope = −ln(β + 1), base = r ln(β/(β + 1)), factorials
struct CountTerms {
    std::vector<std::size_t> columns;
    std::vector<double> start, slope, base;
    bool factorials = false, whole_row = false;
};

// term = ln n! − Σ_j ln x_j!, the same for every class.
struct CoefficientTerms {
    std::vector<std::size_t> columns;
};

}  // namespace suffice
