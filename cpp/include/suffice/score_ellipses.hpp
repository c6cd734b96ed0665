// Terms for several columns jointly: a normal or Student-t density with a full covariance or scale matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace suffice {

// With d = z − mean_c, z = (x − centre) · scale, Σ_c the matrix of class c (or the matrix shared by all classes) and K
// the number of columns observed in a row:
//
//   normal      −½ dᵀ Σ_c⁻¹ d − ½ log|Σ_c| − ½ K log 2π + Σ log scale
//   Student     norming[K, c] − ½ log|Σ_c| − ½ (ν_c + K) log(1 + dᵀ Σ_c⁻¹ d / ν_c) + Σ log scale
//
// Missing columns are dropped from d and from Σ_c, which is then factored again (whitening.hpp): the result is the
// marginal density of the observed columns. `whitening` holds the factors of the complete matrices, WᵀW = Σ⁻¹, one per
// matrix; `log_determinant` and `rank` belong to those factors.
struct EllipseTerms {
    std::vector<std::size_t> columns;
    std::vector<double> centre, scale, log_scale;  // columns
    std::vector<double> mean;                      // classes × columns
    std::vector<double> matrix, whitening;         // matrices × columns × columns: one per class, or one
    std::vector<double> log_determinant, rank;     // matrices
    double least = 0;                              // lower bound on the eigenvalues of a matrix
    // Drop directions with eigenvalues ≤ least; otherwise raise those eigenvalues to it
    bool drop = false;
    std::vector<double> degrees;  // classes, or empty for the normal density
    std::vector<double> norming;  // (columns + 1) × classes, or empty
    bool linear = false;          // shared matrix: omit terms that are the same for every class

    std::size_t matrices() const { return log_determinant.size(); }
};

}  // namespace suffice
