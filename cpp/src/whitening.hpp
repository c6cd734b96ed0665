// Factors of symmetric matrices for densities: W with WᵀW = Σ⁻¹, and log|Σ|.
//
//   Σ = L Lᵀ, W = L⁻¹ (lower triangular)                    if every eigenvalue of Σ is above `least`
//   Σ = Σ_k λ_k v_k v_kᵀ, row k of W is v_k / √λ_k          otherwise: λ_k ≤ least is raised to `least`, or dropped
//
// "Above" is decided by whether Σ − least · I has a Cholesky factor, which is cheap and suffices for nearly every
// matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace suffice {

struct Whitening {
    std::vector<double> rows;  // size × size; a dropped direction is a row of zeros
    double log_determinant = 0;
    std::size_t rank = 0;
};

Whitening whiten(const std::vector<double>& matrix, std::size_t size, double least, bool drop);

}  // namespace suffice
