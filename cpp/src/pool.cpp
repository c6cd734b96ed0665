#include "suffice/pool.hpp"

#include <algorithm>

namespace suffice {
namespace {

constexpr std::size_t block_rows = 1024;
// A class with a smaller posterior probability does not change any digit of a sum.
constexpr double least_posterior = 1e-20;

class PoolScorer {
  public:
    PoolScorer(const Pool& pool, const double* weights, double* out) : pool_(pool), weights_(weights), out_(out) {}

    void work(std::size_t block, Checkpoint&) {
        const std::size_t classes = pool_.classes, end = std::min(pool_.rows, (block + 1) * block_rows);
        for (std::size_t i = block * block_rows; i < end; ++i) {
            const double* z = pool_.z + i * pool_.units * classes;
            double* const sums = out_ + i * classes;
            std::fill_n(sums, classes, 0.0);
            for (std::size_t t = 0; t < pool_.units; ++t, z += classes)
                for (std::size_t c = 0; c < classes; ++c) sums[c] += weights_[t] * z[c];
        }
    }
    void merge(std::size_t) {}

  private:
    const Pool& pool_;
    const double* weights_;
    double* out_;
};

// The sums of one block, and the totals that they are added to.
class DerivativeSums {
  public:
    DerivativeSums(const Pool& pool, const double* posterior, const std::int64_t* codes, const double* shares, PoolDerivatives& total)
        : pool_(pool), posterior_(posterior), codes_(codes), shares_(shares), total_(total), size_(pool.units + pool.classes),
          own_{std::vector<double>(size_), std::vector<double>(size_ * size_)}, mean_(pool.units), deviation_(pool.units) {}

    void work(std::size_t block, Checkpoint&) {
        std::fill(own_.slope.begin(), own_.slope.end(), 0.0);
        std::fill(own_.curvature.begin(), own_.curvature.end(), 0.0);
        const std::size_t end = std::min(pool_.rows, (block + 1) * block_rows);
        for (std::size_t i = block * block_rows; i < end; ++i)
            if (shares_[i] > 0) add_row(i);
    }

    void merge(std::size_t) {
        for (std::size_t k = 0; k < size_; ++k) total_.slope[k] += own_.slope[k];
        for (std::size_t k = 0; k < size_ * size_; ++k) total_.curvature[k] += own_.curvature[k];
    }

  private:
    void add_row(std::size_t i) {
        const std::size_t units = pool_.units, classes = pool_.classes, y = static_cast<std::size_t>(codes_[i]);
        const double* const z = pool_.z + i * units * classes;
        const double* const p = posterior_ + i * classes;
        const double v = shares_[i];
        for (std::size_t t = 0; t < units; ++t) {
            double sum = 0;
            for (std::size_t c = 0; c < classes; ++c) sum += p[c] * z[t * classes + c];
            mean_[t] = sum;
            own_.slope[t] += v * (sum - z[t * classes + y]);
        }
        for (std::size_t c = 0; c < classes; ++c) {
            own_.slope[units + c] += v * (c == y ? p[c] - 1 : p[c]);
            if (p[c] < least_posterior) continue;
            const double share = v * p[c];
            for (std::size_t t = 0; t < units; ++t) deviation_[t] = z[t * classes + c] - mean_[t];
            for (std::size_t t = 0; t < units; ++t) {
                double* const row = own_.curvature.data() + t * size_;
                const double scaled = share * deviation_[t];
                for (std::size_t u = 0; u <= t; ++u) row[u] += scaled * deviation_[u];
                own_.curvature[(units + c) * size_ + t] += scaled;
            }
            double* const row = own_.curvature.data() + (units + c) * size_ + units;
            for (std::size_t d = 0; d < c; ++d) row[d] -= share * p[d];
            row[c] += share * (1 - p[c]);
        }
    }

    const Pool& pool_;
    const double* posterior_;
    const std::int64_t* codes_;
    const double* shares_;
    PoolDerivatives& total_;
    std::size_t size_;
    PoolDerivatives own_;  // the lower triangle of the curvature
    std::vector<double> mean_, deviation_;
};

std::size_t blocks_of(const Pool& pool) { return (pool.rows + block_rows - 1) / block_rows; }

}  // namespace

void pool_scores(const Pool& pool, const double* weights, double* out, std::size_t threads, const Interrupt& interrupt) {
    run_in_order(blocks_of(pool), threads_for(pool.rows * pool.units * pool.classes, threads), interrupt,
                 [&] { return PoolScorer(pool, weights, out); });
}

PoolDerivatives pool_derivatives(const Pool& pool, const double* posterior, const std::int64_t* codes, const double* shares,
                                 std::size_t threads, const Interrupt& interrupt) {
    const std::size_t size = pool.units + pool.classes;
    PoolDerivatives total{std::vector<double>(size), std::vector<double>(size * size)};
    run_in_order(blocks_of(pool), threads_for(pool.rows * pool.units * pool.classes * size, threads), interrupt,
                 [&] { return DerivativeSums(pool, posterior, codes, shares, total); });
    for (std::size_t k = 0; k < size; ++k)
        for (std::size_t l = 0; l < k; ++l) total.curvature[l * size + k] = total.curvature[k * size + l];
    return total;
}

}  // namespace suffice
