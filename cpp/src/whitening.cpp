#include "whitening.hpp"

#include <algorithm>
#include <cmath>

namespace suffice {
namespace {

constexpr double rounding = 0x1p-52;
constexpr std::size_t most_turns = 60;

// Overwrites the upper triangle of a with R, Rᵀ R = a: L is Rᵀ. Returns false when a pivot is not positive. Whole rows
// are subtracted, so the inner loop has no dependent sum.
bool cholesky(std::vector<double>& a, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) {
        double* row = a.data() + k * n;
        if (!(row[k] > 0) || !std::isfinite(row[k])) return false;
        const double root = std::sqrt(row[k]);
        row[k] = root;
        for (std::size_t j = k + 1; j < n; ++j) row[j] /= root;
        for (std::size_t i = k + 1; i < n; ++i) {
            double* below = a.data() + i * n;
            const double factor = row[i];
            for (std::size_t j = i; j < n; ++j) below[j] -= factor * row[j];
        }
    }
    return true;
}

// Householder tridiagonalisation: a = V T Vᵀ with T tridiagonal, given by `diagonal` and `off_diagonal` (from index 1).
// The rows of a become those of Vᵀ. The algorithm is tred2 of EISPACK (Bowdler, Martin, Reinsch, Wilkinson 1968), along
// rows instead of columns.
void tridiagonal(std::vector<double>& a, std::size_t n, std::vector<double>& diagonal,
                 std::vector<double>& off_diagonal) {
    std::vector<double> v(n), p(n);
    std::vector<double> turned(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) turned[k * n + k] = 1.0;
    for (std::size_t k = 0; k + 2 < n; ++k) {
        // Reflect the part of row k to the right of the diagonal onto its first entry.
        double scale = 0;
        for (std::size_t j = k + 1; j < n; ++j) scale = std::max(scale, std::fabs(a[k * n + j]));
        if (scale == 0) continue;
        double square = 0;
        for (std::size_t j = k + 1; j < n; ++j) {
            v[j] = a[k * n + j] / scale;
            square += v[j] * v[j];
        }
        double rest = square - v[k + 1] * v[k + 1];
        if (rest <= 0) continue;  // zero beyond the first entry
        const double length = v[k + 1] > 0 ? -std::sqrt(square) : std::sqrt(square);
        v[k + 1] -= length;
        rest += v[k + 1] * v[k + 1];  // |v|²
        // p = 2 A v / |v|², w = p − (pᵀ v / |v|²) v, A ← A − v wᵀ − w vᵀ on the remaining part of A.
        std::fill(p.begin(), p.end(), 0.0);
        for (std::size_t i = k + 1; i < n; ++i)
            for (std::size_t j = k + 1; j < n; ++j) p[j] += a[i * n + j] * v[i];
        double along = 0;
        for (std::size_t j = k + 1; j < n; ++j) {
            p[j] *= 2 / rest;
            along += p[j] * v[j];
        }
        along /= rest;
        for (std::size_t j = k + 1; j < n; ++j) p[j] -= along * v[j];
        for (std::size_t i = k + 1; i < n; ++i)
            for (std::size_t j = k + 1; j < n; ++j) a[i * n + j] -= v[i] * p[j] + p[i] * v[j];
        a[k * n + k + 1] = a[(k + 1) * n + k] = length * scale;
        for (std::size_t j = k + 2; j < n; ++j) a[k * n + j] = a[j * n + k] = 0;
        // Vᵀ ← H Vᵀ
        std::fill(p.begin(), p.end(), 0.0);
        for (std::size_t i = k + 1; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) p[j] += v[i] * turned[i * n + j];
        for (std::size_t i = k + 1; i < n; ++i) {
            const double factor = 2 / rest * v[i];
            for (std::size_t j = 0; j < n; ++j) turned[i * n + j] -= factor * p[j];
        }
    }
    diagonal.assign(n, 0.0), off_diagonal.assign(n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
        diagonal[k] = a[k * n + k];
        if (k > 0) off_diagonal[k] = a[k * n + k - 1];
    }
    a.swap(turned);
}

// Eigenvalues into `values`, eigenvectors into the rows of a: QL rotations with Wilkinson's shift (tql2 of EISPACK).
void eigen(std::vector<double>& a, std::size_t n, std::vector<double>& values) {
    std::vector<double> off_diagonal;
    tridiagonal(a, n, values, off_diagonal);
    for (std::size_t k = 1; k < n; ++k) off_diagonal[k - 1] = off_diagonal[k];
    if (n > 0) off_diagonal[n - 1] = 0;
    for (std::size_t l = 0; l < n; ++l)
        for (std::size_t turn = 0; turn < most_turns; ++turn) {
            std::size_t m = l;
            for (; m + 1 < n; ++m) {
                const double scale = std::fabs(values[m]) + std::fabs(values[m + 1]);
                if (std::fabs(off_diagonal[m]) <= rounding * scale) break;
            }
            if (m == l) break;
            double g = (values[l + 1] - values[l]) / (2 * off_diagonal[l]);
            double r = std::sqrt(g * g + 1);
            g = values[m] - values[l] + off_diagonal[l] / (g + (g < 0 ? -r : r));
            double s = 1, c = 1, shift = 0;
            std::size_t i = m;
            bool split = false;
            while (i-- > l) {
                const double f = s * off_diagonal[i], b = c * off_diagonal[i];
                r = std::sqrt(f * f + g * g);
                off_diagonal[i + 1] = r;
                if (r == 0) {
                    values[i + 1] -= shift;
                    off_diagonal[m] = 0;
                    split = true;
                    break;
                }
                s = f / r, c = g / r;
                g = values[i + 1] - shift;
                r = (values[i] - g) * s + 2 * c * b;
                shift = s * r;
                values[i + 1] = g + shift;
                g = c * r - b;
                double *upper = a.data() + i * n, *lower = upper + n;
                for (std::size_t k = 0; k < n; ++k) {
                    const double below = lower[k], above = upper[k];
                    lower[k] = s * above + c * below;
                    upper[k] = c * above - s * below;
                }
            }
            if (split) continue;
            values[l] -= shift;
            off_diagonal[l] = g;
            off_diagonal[m] = 0;
        }
}

Whitening by_eigenvectors(std::vector<double> a, std::size_t n, double least, bool drop) {
    Whitening result;
    std::vector<double> values;
    eigen(a, n, values);
    result.rows.assign(n * n, 0.0);
    double greatest = 0;
    for (const double value : values) greatest = std::max(greatest, value);
    const double floor = std::max(least, greatest * rounding);
    for (std::size_t k = 0; k < n; ++k) {
        double value = values[k];
        if (!(value > floor)) {
            if (drop || floor == 0) continue;
            value = floor;
        }
        const double root = std::sqrt(value);
        for (std::size_t j = 0; j < n; ++j) result.rows[k * n + j] = a[k * n + j] / root;
        result.log_determinant += std::log(value);
        ++result.rank;
    }
    return result;
}

}  // namespace

Whitening whiten(const std::vector<double>& matrix, std::size_t n, double least, bool drop) {
    std::vector<double> factor = matrix;
    for (std::size_t k = 0; k < n; ++k) factor[k * n + k] -= least;
    bool above = cholesky(factor, n);
    if (above && least > 0) {
        factor = matrix;
        above = cholesky(factor, n);
    }
    if (!above) return by_eigenvectors(matrix, n, least, drop);
    // Row i of W: (e_i − Σ_{k < i} L_ik W_k) / L_ii.
    Whitening result;
    result.rank = n;
    result.rows.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        double* row = result.rows.data() + i * n;
        for (std::size_t k = 0; k < i; ++k) {
            const double* earlier = result.rows.data() + k * n;
            const double part = factor[k * n + i];
            for (std::size_t j = 0; j <= k; ++j) row[j] -= part * earlier[j];
        }
        row[i] = 1;
        const double pivot = factor[i * n + i];
        for (std::size_t j = 0; j <= i; ++j) row[j] /= pivot;
        result.log_determinant += 2 * std::log(pivot);
    }
    return result;
}

}  // namespace suffice
