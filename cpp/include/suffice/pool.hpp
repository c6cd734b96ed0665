// A weighted pool of evidence: s_c(x) = log π_c + b_c + Σ_t w_t ℓ_t(x, c), and the derivatives of its log loss.
//
// Symbols: n rows, T units of columns, C classes; z = ℓ, rows × units × classes; p_ic = p(c | x_i); v_i the normalised
// weight of a row; m_it = Σ_c p_ic z_itc the posterior mean of a unit.
//
//   ∂L/∂w_t           Σ_i v_i (m_it − z_it,y_i)                    ∂L/∂b_c           Σ_i v_i (p_ic − [c = y_i])
//   ∂²L/∂w_t ∂w_u     Σ_i v_i Σ_c p_ic (z_itc − m_it)(z_iuc − m_iu)
//   ∂²L/∂w_t ∂b_c     Σ_i v_i p_ic (z_itc − m_it)                 ∂²L/∂b_c ∂b_d     Σ_i v_i p_ic ([c = d] − p_id)
//
// Rows are summed in blocks of a fixed size, and blocks in their order, so the bits are the same for any number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suffice/parallel.hpp"

namespace suffice {

// z of held-out rows. Where a class is impossible z is 0, and its posterior must be 0.
struct Pool {
    const double* z;  // rows × units × classes
    std::size_t rows, units, classes;
};

// Writes Σ_t weights[t] z[i, t, c] to `out`, rows × classes.
void pool_scores(const Pool& pool, const double* weights, double* out, std::size_t threads, const Interrupt& interrupt);

struct PoolDerivatives {
    std::vector<double> slope;      // units, then classes
    std::vector<double> curvature;  // of both, a symmetric matrix
};

PoolDerivatives pool_derivatives(const Pool& pool, const double* posterior, const std::int64_t* codes, const double* shares,
                                 std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
