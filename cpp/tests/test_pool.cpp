#include "suffice/pool.hpp"

#include <random>

#include "check.hpp"

using namespace suffice;

namespace {

// Held-out evidence with impossible classes, and a posterior that is 0 there.
struct RandomPool {
    std::size_t rows, units, classes;
    std::vector<double> z, posterior, shares;
    std::vector<std::int64_t> codes;

    RandomPool(std::size_t n, std::size_t t, std::size_t c) : rows(n), units(t), classes(c), z(n * t * c), posterior(n * c) {
        std::mt19937_64 random(7);
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform(0, 1);
        for (std::size_t i = 0; i < n; ++i) {
            codes.push_back(static_cast<std::int64_t>(random() % c));
            shares.push_back(i % 11 == 3 ? 0 : uniform(random) / static_cast<double>(n));
            double sum = 0;
            for (std::size_t k = 0; k < c; ++k) {
                const bool possible = k == static_cast<std::size_t>(codes[i]) || uniform(random) > 0.2;
                for (std::size_t u = 0; u < t; ++u) z[(i * t + u) * c + k] = possible ? normal(random) : 0;
                sum += posterior[i * c + k] = possible ? uniform(random) : 0;
            }
            for (std::size_t k = 0; k < c; ++k) posterior[i * c + k] /= sum;
        }
    }
    Pool pool() const { return {z.data(), rows, units, classes}; }
    // z extended by the columns that belong to the offsets: 1 in their class, 0 elsewhere.
    long double extended(std::size_t i, std::size_t k, std::size_t c) const {
        return k < units ? static_cast<long double>(z[(i * units + k) * classes + c]) : (k - units == c ? 1.0L : 0.0L);
    }
};

PoolDerivatives derivatives(const RandomPool& from, std::size_t threads) {
    return pool_derivatives(from.pool(), from.posterior.data(), from.codes.data(), from.shares.data(), threads, {});
}

}  // namespace

TEST(pooled_scores_are_weighted_sums) {
    const RandomPool from(2500, 5, 3);
    const std::vector<double> weights = {0.5, 0, 1, 2, -1};
    std::vector<double> out(from.rows * from.classes);
    pool_scores(from.pool(), weights.data(), out.data(), 2, {});
    for (std::size_t i = 0; i < from.rows; ++i)
        for (std::size_t c = 0; c < from.classes; ++c) {
            long double sum = 0;
            for (std::size_t t = 0; t < from.units; ++t) sum += static_cast<long double>(weights[t]) * from.extended(i, t, c);
            CHECK(std::fabs(out[i * from.classes + c] - static_cast<double>(sum)) <= 1e-14);
        }
}

TEST(pool_derivatives_are_their_definition) {
    const RandomPool from(2500, 5, 3);
    const PoolDerivatives got = derivatives(from, 2);
    const std::size_t size = from.units + from.classes;
    for (std::size_t k = 0; k < size; ++k)
        for (std::size_t l = 0; l < size; ++l) {
            long double slope = 0, curvature = 0;
            for (std::size_t i = 0; i < from.rows; ++i) {
                long double first = 0, second = 0, both = 0;
                for (std::size_t c = 0; c < from.classes; ++c) {
                    const long double p = from.posterior[i * from.classes + c];
                    first += p * from.extended(i, k, c);
                    second += p * from.extended(i, l, c);
                    both += p * from.extended(i, k, c) * from.extended(i, l, c);
                }
                slope += from.shares[i] * (first - from.extended(i, k, static_cast<std::size_t>(from.codes[i])));
                curvature += from.shares[i] * (both - first * second);
            }
            CHECK(std::fabs(got.slope[k] - static_cast<double>(slope)) <= 1e-14);
            CHECK(std::fabs(got.curvature[k * size + l] - static_cast<double>(curvature)) <= 1e-14);
        }
}

TEST(pool_derivatives_are_the_same_bits_on_any_number_of_threads) {
    const RandomPool from(5000, 20, 4);
    const PoolDerivatives one = derivatives(from, 1), many = derivatives(from, 7);
    CHECK(one.slope == many.slope);
    CHECK(one.curvature == many.curvature);
}

TEST(a_pool_without_rows_or_units_is_zero) {
    const RandomPool none(0, 2, 2), unitless(10, 0, 2);
    for (const double value : derivatives(none, 2).curvature) CHECK_EQUAL(value, 0.0);
    CHECK_EQUAL(derivatives(unitless, 1).slope.size(), std::size_t{2});
}
