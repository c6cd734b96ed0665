// Terms of several columns together: a normal or Student-t density with a full matrix.
#pragma once

#include <cstddef>
#include <vector>

namespace suffice {

// With d = z − mean_c, z = (x − centre) · scale, and Σ_c the matrix of class c (or the one of all classes), of the K columns
// that are known in a row:
//
//   normal      −½ dᵀ Σ_c⁻¹ d − ½ log|Σ_c| − ½ K log 2π + Σ log scale
//   Student     norming[K, c] − ½ log|Σ_c| − ½ (ν_c + K) log(1 + dᵀ Σ_c⁻¹ d / ν_c) + Σ log scale
//
// Columns that are missing are left out of d and of Σ_c, which is then factored again (whitening.hpp): the density is that of
// the columns which are known. `whitening` are the factors of the whole matrices, WᵀW = Σ⁻¹, one for each matrix, and
// `log_determinant`, `rank` what belongs to them.
struct EllipseTerms {
    std::vector<std::size_t> columns;
    std::vector<double> centre, scale, log_scale;       // columns
    std::vector<double> mean;                           // classes × columns
    std::vector<double> matrix, whitening;              // matrices × columns × columns: one for each class, or one
    std::vector<double> log_determinant, rank;          // matrices
    double least = 0;                                   // of the eigenvalues of a matrix
    bool drop = false;                                  // directions of no more than that say nothing; else they count as that
    std::vector<double> degrees;                        // classes, or none where it is normal
    std::vector<double> norming;                        // (columns + 1) × classes, or none
    bool linear = false;                                // of one matrix: leave out what is the same for every class

    std::size_t matrices() const { return log_determinant.size(); }
};

}  // namespace suffice
