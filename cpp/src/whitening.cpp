#include "whitening.hpp"

#include <algorithm>
#include <cmath>

namespace suffice {
namespace {

constexpr double rounding = 0x1p-52;
constexpr std::size_t most_sweeps = 60;

// Overwrites the lower triangle of a with L. False when a pivot is not positive.
bool cholesky(std::vector<double>& a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = a[i * n + j];
            for (std::size_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            if (i != j) {
                a[i * n + j] = sum / a[j * n + j];
            } else {
                if (!(sum > 0) || !std::isfinite(sum)) return false;
                a[i * n + i] = std::sqrt(sum);
            }
        }
    return true;
}

// Jacobi's rotations, row by row, until nothing is left beside the diagonal. Rows of `vectors` are the eigenvectors.
void eigen(std::vector<double>& a, std::size_t n, std::vector<double>& vectors) {
    vectors.assign(n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k) vectors[k * n + k] = 1.0;
    for (std::size_t sweep = 0; sweep < most_sweeps; ++sweep) {
        double off = 0, on = 0;
        for (std::size_t i = 0; i < n; ++i) {
            on = std::max(on, std::fabs(a[i * n + i]));
            for (std::size_t j = 0; j < i; ++j) off = std::max(off, std::fabs(a[i * n + j]));
        }
        if (off <= on * 0x1p-60) return;
        for (std::size_t p = 0; p + 1 < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                const double apq = a[p * n + q];
                if (apq == 0) continue;
                const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
                const double t = (theta < 0 ? -1.0 : 1.0) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double kp = a[k * n + p], kq = a[k * n + q];
                    a[k * n + p] = c * kp - s * kq;
                    a[k * n + q] = s * kp + c * kq;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double pk = a[p * n + k], qk = a[q * n + k];
                    a[p * n + k] = c * pk - s * qk;
                    a[q * n + k] = s * pk + c * qk;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double pk = vectors[p * n + k], qk = vectors[q * n + k];
                    vectors[p * n + k] = c * pk - s * qk;
                    vectors[q * n + k] = s * pk + c * qk;
                }
            }
    }
}

Whitening by_eigenvectors(std::vector<double> a, std::size_t n, double least, bool drop) {
    Whitening found;
    std::vector<double> vectors;
    eigen(a, n, vectors);
    found.rows.assign(n * n, 0.0);
    double greatest = 0;
    for (std::size_t k = 0; k < n; ++k) greatest = std::max(greatest, a[k * n + k]);
    const double floor = std::max(least, greatest * rounding);
    for (std::size_t k = 0; k < n; ++k) {
        double value = a[k * n + k];
        if (!(value > floor)) {
            if (drop || floor == 0) continue;
            value = floor;
        }
        const double root = std::sqrt(value);
        for (std::size_t j = 0; j < n; ++j) found.rows[k * n + j] = vectors[k * n + j] / root;
        found.log_determinant += std::log(value);
        ++found.rank;
    }
    return found;
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
    Whitening found;
    found.rank = n;
    found.rows.assign(n * n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        found.log_determinant += 2 * std::log(factor[i * n + i]);
        found.rows[i * n + i] = 1 / factor[i * n + i];
        for (std::size_t j = 0; j < i; ++j) {
            double sum = 0;
            for (std::size_t k = j; k < i; ++k) sum += factor[i * n + k] * found.rows[k * n + j];
            found.rows[i * n + j] = -sum / factor[i * n + i];
        }
    }
    return found;
}

}  // namespace suffice
