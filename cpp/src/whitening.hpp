// Symmetric matrices factored for densities: W with WᵀW = Σ⁻¹, and log|Σ|.
//
//   Σ = L Lᵀ, W = L⁻¹ (lower triangular)                    where every eigenvalue of Σ is above `least`
//   Σ = Σ_k λ_k v_k v_kᵀ, row k of W is v_k / √λ_k          elsewhere: λ_k ≤ least counts as `least`, or not at all
//
// "Above" is decided by whether Σ − least · I has a Cholesky factor, so that one cheap answer does for nearly every matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace suffice {

struct Whitening {
    std::vector<double> rows;  // size × size; a direction that does not count is a row of zeros
    double log_determinant = 0;
    std::size_t rank = 0;
};

Whitening whiten(const std::vector<double>& matrix, std::size_t size, double least, bool drop);

}  // namespace suffice
