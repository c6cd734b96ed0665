#include <algorithm>
#include <limits>
#include <random>

#include "check.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score.hpp"
#include "whitening.hpp"

using namespace suffice;

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

struct Rows {
    std::size_t rows, cols;
    std::vector<double> x;
    Table table() const {
        return {
            rows, cols, reinterpret_cast<const std::byte*>(x.data()), Dtype::f64, static_cast<std::ptrdiff_t>(8 * cols),
            8,    {}};
    }
};

std::vector<double> random_matrix(std::size_t n, std::size_t rank, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::vector<double> a(n * rank), out(n * n);
    for (double& v : a) v = normal(random);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < rank; ++k)
                out[i * n + j] += a[i * rank + k] * a[j * rank + k] / static_cast<double>(rank);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) out[i * n + j] = out[j * n + i];
    return out;
}

Rows random_rows(std::size_t rows, std::size_t cols, double gaps, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Rows r{rows, cols, std::vector<double>(rows * cols)};
    for (double& v : r.x) v = uniform(random) < gaps ? missing : normal(random);
    return r;
}

EllipseTerms terms_of(std::size_t n, std::size_t classes, bool shared, bool student, std::size_t rank, bool drop,
                      unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    EllipseTerms t;
    t.least = 1e-9, t.drop = drop;
    for (std::size_t j = 0; j < n; ++j) {
        t.columns.push_back(j);
        t.centre.push_back(normal(random));
        t.scale.push_back(std::exp(0.3 * normal(random)));
        t.log_scale.push_back(std::log(t.scale.back()));
    }
    for (std::size_t k = 0; k < classes * n; ++k) t.mean.push_back(normal(random));
    for (std::size_t k = 0; k < (shared ? 1 : classes); ++k) {
        const std::vector<double> m = random_matrix(n, rank, random);
        const Whitening w = whiten(m, n, t.least, drop);
        t.matrix.insert(t.matrix.end(), m.begin(), m.end());
        t.whitening.insert(t.whitening.end(), w.rows.begin(), w.rows.end());
        t.log_determinant.push_back(w.log_determinant);
        t.rank.push_back(static_cast<double>(w.rank));
    }
    if (student) {
        for (std::size_t c = 0; c < classes; ++c) t.degrees.push_back(2.5 + static_cast<double>(c));
        for (std::size_t d = 0; d <= n; ++d)
            for (std::size_t c = 0; c < classes; ++c) {
                const double nu = t.degrees[c], half = 0.5 * static_cast<double>(d);
                t.norming.push_back(std::lgamma(0.5 * nu + half) - std::lgamma(0.5 * nu) -
                                    half * std::log(nu * 3.14159265358979323846));
            }
    }
    return t;
}

// One row and class, slowly: the observed part of the matrix, whitened, in long doubles.
long double expected_term(const EllipseTerms& t, const Rows& rows, std::size_t r, std::size_t c) {
    const std::size_t n = t.columns.size(), k = t.matrices() == 1 ? 0 : c;
    std::vector<std::size_t> known;
    for (std::size_t j = 0; j < n; ++j)
        if (!std::isnan(rows.x[r * rows.cols + t.columns[j]])) known.push_back(j);
    std::vector<double> part;
    for (const std::size_t i : known)
        for (const std::size_t j : known) part.push_back(t.matrix[(k * n + i) * n + j]);
    const std::size_t d = known.size();
    const Whitening w = whiten(part, d, t.least, t.drop);
    long double square = 0, log_scale = 0;
    for (std::size_t i = 0; i < d; ++i) {
        long double sum = 0;
        for (std::size_t j = 0; j < d; ++j) {
            const std::size_t at = known[j];
            const double z = (rows.x[r * rows.cols + t.columns[at]] - t.centre[at]) * t.scale[at];
            sum += static_cast<long double>(w.rows[i * d + j]) * (z - t.mean[c * n + at]);
        }
        square += sum * sum;
        log_scale += t.log_scale[known[i]];
    }
    const long double half = 0.5L * w.log_determinant;
    if (t.degrees.empty())
        return -0.5L * square - half - 0.5L * static_cast<long double>(w.rank) * 1.8378770664093454836L + log_scale;
    const long double nu = t.degrees[c];
    return t.norming[d * (t.norming.size() / (n + 1)) + c] - half -
           0.5L * (nu + static_cast<long double>(d)) * std::log1p(square / nu) + log_scale;
}

void check_terms(const EllipseTerms& given, std::size_t classes, const Rows& rows) {
    ScoreTables t;
    t.log_prior.assign(classes, -0.5);
    t.add(given);
    const Scores got = score(t, rows.table(), Wanted::joint, 2, {}), one = score(t, rows.table(), Wanted::joint, 1, {});
    CHECK(std::equal(got.values.begin(), got.values.end(), one.values.begin()));
    for (std::size_t r = 0; r < rows.rows; ++r)
        for (std::size_t c = 0; c < classes; ++c) {
            const long double expected = expected_term(given, rows, r, c) - 0.5L;
            CHECK(std::fabs(static_cast<double>(got.values[r * classes + c] - expected)) <=
                  1e-11 * (1 + std::fabs(static_cast<double>(expected))));
        }
}

}  // namespace

TEST(whitening_inverts_a_matrix) {
    std::mt19937_64 random(7);
    for (const std::size_t n : {1u, 2u, 5u, 13u}) {
        const std::vector<double> m = random_matrix(n, 2 * n, random);
        const Whitening w = whiten(m, n, 1e-9, false);
        CHECK_EQUAL(w.rank, n);
        for (std::size_t i = 0; i < n; ++i)  // W Σ Wᵀ = I
            for (std::size_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::size_t a = 0; a < n; ++a)
                    for (std::size_t b = 0; b < n; ++b) sum += w.rows[i * n + a] * m[a * n + b] * w.rows[j * n + b];
                CHECK(std::fabs(sum - (i == j)) < 1e-10);
            }
    }
}

TEST(whitening_finds_the_eigenvectors_of_any_matrix) {
    std::mt19937_64 random(17);
    for (const std::size_t n : {1u, 2u, 3u, 7u, 30u, 61u})
        for (const int kind : {0, 1, 2, 3}) {
            std::vector<double> m(n * n);
            if (kind == 0) m = random_matrix(n, n > 1 ? n / 2 : 1, random);
            if (kind == 1)
                for (std::size_t k = 0; k < n; ++k) m[k * n + k] = k % 2 == 0 ? 2.0 : 0.0;  // diagonal already
            if (kind == 2) std::fill(m.begin(), m.end(), 1.0);                              // rank one
            if (kind == 3) m = random_matrix(n, 1, random), m[0] += 1e-14;
            const Whitening w = whiten(m, n, 1e-3, true);
            for (std::size_t i = 0; i < n; ++i)  // rows are orthogonal in Σ, of length 1 or 0
                for (std::size_t j = 0; j < n; ++j) {
                    double sum = 0, size = 0;
                    for (std::size_t a = 0; a < n; ++a) {
                        for (std::size_t b = 0; b < n; ++b) sum += w.rows[i * n + a] * m[a * n + b] * w.rows[j * n + b];
                        size += w.rows[i * n + a] * w.rows[i * n + a];
                    }
                    CHECK(std::fabs(sum - (i == j && size > 0)) < 1e-8);
                }
            if (kind == 2) CHECK_CLOSE(w.log_determinant, std::log(static_cast<double>(n)), 1e-12);
            if (kind == 1) CHECK_EQUAL(w.rank, (n + 1) / 2);
        }
}

TEST(whitening_raises_or_drops_small_eigenvalues) {
    std::mt19937_64 random(8);
    const std::size_t n = 6;
    const std::vector<double> m = random_matrix(n, 2, random);
    const Whitening dropped = whiten(m, n, 1e-9, true), floored = whiten(m, n, 1e-9, false);
    CHECK_EQUAL(dropped.rank, 2u);
    CHECK_EQUAL(floored.rank, n);
    CHECK_CLOSE(floored.log_determinant, dropped.log_determinant + 4 * std::log(1e-9), 1e-9);
    const Whitening nothing = whiten(std::vector<double>(4), 2, 1e-9, true);
    CHECK_EQUAL(nothing.rank, 0u);
    CHECK_EQUAL(nothing.rows[0], 0.0);
}

TEST(joint_densities_are_marginals_over_the_observed_columns) {
    unsigned seed = 1;
    for (const std::size_t n : {1u, 3u, 4u, 9u, 70u})
        for (const std::size_t classes : {1u, 3u, 9u})
            for (const int kind : {0, 1, 2, 3}) {
                if (n > 10 && classes > 1 && kind > 1) continue;
                const bool shared = kind == 1, student = kind == 2, drop = kind == 1;
                // Eigenvectors are slow under the sanitizers
                const bool whole = kind == 0 || kind == 2 || n < 3 || n > 10;
                const std::size_t rank = whole ? 2 * n : n - 1, rows = n > 10 ? 17 : 83;
                for (const double gaps : {0.0, 0.05, 0.6}) {
                    ++seed;
                    check_terms(terms_of(n, classes, shared, student, rank, drop, seed), classes,
                                random_rows(rows, n, gaps, seed));
                }
            }
}

TEST(the_linear_form_has_the_posterior_of_the_quadratic_one) {
    EllipseTerms given = terms_of(7, 4, true, false, 14, true, 99);
    for (const double gaps : {0.0, 0.3}) {
        const Rows rows = random_rows(200, 7, gaps, 5);
        ScoreTables quadratic, linear;
        quadratic.log_prior = linear.log_prior = {-1, -2, -0.5, -3};
        given.linear = false;
        quadratic.add(given);
        given.linear = true;
        linear.add(given);
        const Scores a = score(quadratic, rows.table(), Wanted::posterior, 1, {}),
                     b = score(linear, rows.table(), Wanted::posterior, 1, {});
        for (std::size_t k = 0; k < a.values.size(); ++k) CHECK(std::fabs(a.values[k] - b.values[k]) < 1e-11);
    }
}

TEST(extreme_cells_give_no_nan) {
    for (const bool student : {false, true})
        for (const bool linear : {false, true}) {
            if (student && linear) continue;
            EllipseTerms given = terms_of(3, 2, linear, student, 6, false, 4);
            given.linear = linear;
            ScoreTables t;
            t.log_prior = {-1, -1};
            t.add(given);
            const Rows rows{
                4,
                3,
                {infinity, -infinity, 1, 1e308, -1e308, 1e308, 1e200, missing, -1e200, missing, infinity, missing}};
            const Scores got = score(t, rows.table(), Wanted::posterior, 1, {});
            for (std::size_t k = 0; k < got.values.size(); ++k) CHECK(got.values[k] >= 0 && got.values[k] <= 1);
            CHECK(student ? got.impossible == 0 : got.impossible >= 2);
        }
}

TEST(every_instruction_set_gives_the_same_bits_for_ellipses) {
    const EllipseTerms given = terms_of(11, 5, false, true, 22, false, 21);
    const Rows rows = random_rows(301, 11, 0.1, 22);
    ScoreTables t;
    t.log_prior.assign(5, -1.5);
    t.add(given);
    EllipseTerms linear = terms_of(11, 5, true, false, 22, true, 23);
    linear.linear = true;
    t.add(linear);
    const std::string before = kernels().name;
    const Scores expected = score(t, rows.table(), Wanted::joint, 1, {});
    for (const char* name : {"plain", "avx2", "avx512"}) {
        if (!use_kernels(name)) continue;
        const Scores got = score(t, rows.table(), Wanted::joint, 2, {});
        CHECK(std::equal(got.values.begin(), got.values.end(), expected.values.begin()));
    }
    use_kernels(before.c_str());
}
