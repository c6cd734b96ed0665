#include <cmath>

#include "check.hpp"
#include "random_rows.hpp"
#include "score_terms.hpp"
#include "sparse_rows.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score.hpp"

using namespace suffice;
using rows::Random;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Every second column has an infinite exponent in some class; some bounds are cells of the data, to test ties.
ScoreTables uniform_tables(const Random& from, std::size_t classes, unsigned seed, double weight = 1) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.01, 3);
    ScoreTables t;
    t.log_prior.assign(classes, -1.0);
    UniformTerms terms;
    for (std::size_t j = 0; j < from.cols; ++j) {
        terms.columns.push_back(j);
        for (std::size_t c = 0; c < classes; ++c) {
            const double cell = from.x[random() % from.rows * from.cols + j];
            terms.m.push_back(c % 2 == 0 && cell > 0 && std::isfinite(cell) ? cell : uniform(random));
            terms.c.push_back(-std::log(terms.m.back()));
            terms.e.push_back(j % 2 == 0 && c % 3 == 0 ? infinity : 1 + weight * uniform(random));
        }
    }
    t.add(std::move(terms));
    return t;
}

template <class X>
void check_uniform(const ScoreTables& t, const Random& from, const X& x) {
    const std::size_t classes = t.classes();
    const UniformTerms& terms = the<UniformTerms>(t);
    const Scores got = score(t, x, Wanted::joint, 2, {});
    for (std::size_t r = 0; r < from.rows; ++r)
        for (std::size_t c = 0; c < classes; ++c) {
            long double expected = t.log_prior[c], size = std::fabs(t.log_prior[c]);
            for (std::size_t j = 0; j < from.cols; ++j) {
                const double value = from.x[r * from.cols + j], m = terms.m[j * classes + c], e = terms.e[j * classes + c];
                if (std::isnan(value)) continue;
                long double term = terms.c[j * classes + c];
                if (value < 0 || std::isinf(value) || (value > m && std::isinf(e))) {
                    term = -infinity;
                } else if (value > m) {
                    const long double u = std::fmin((static_cast<long double>(value) - m) / m, 0x1.fffffffffffffp1023L);
                    term -= e * std::log1p(u);
                }
                expected += term, size += std::fabs(term);
            }
            const double score = got.values[r * classes + c];
            if (std::isinf(expected)) CHECK(score == -infinity);
            else CHECK(std::fabs(score - expected) <= 32 * 0x1p-53L * size);
        }
}

// Cells that are mostly positive, so that rows are possible.
Random cells(std::size_t rows, std::size_t cols, unsigned seed, double missing) {
    Random from(rows, cols, 2, seed, 0, missing);
    for (double& x : from.x) x = std::fabs(x);
    return from;
}

}  // namespace

TEST(uniform_terms_score_by_the_definition) {
    for (const std::size_t classes : {1, 3, 8, 11})
        for (const double weight : {1.0, 1e9}) {
            Random from = cells(333, 9, static_cast<unsigned>(classes), 0.05);
            check_uniform(uniform_tables(from, classes, 3, weight), from, from.table());
            for (std::size_t k = 0; k < from.x.size(); k += 11) from.x[k] = k % 3 == 0 ? infinity : k % 3 == 1 ? -0.5 : -infinity;
            check_uniform(uniform_tables(from, classes, 5, weight), from, from.table());
        }
}

TEST(uniform_terms_neither_overflow_nor_lose_digits_at_the_bound) {
    Random from = cells(40, 2, 1, 0);
    ScoreTables t = uniform_tables(from, 2, 1);
    for (double& m : the<UniformTerms>(t).m) m = 1.75;
    for (double& e : the<UniformTerms>(t).e) e = 1e12;
    for (std::size_t r = 0; r < from.rows; ++r)
        for (std::size_t j = 0; j < 2; ++j) from.x[r * 2 + j] = std::nextafter(1.75, 2.0) + static_cast<double>(r * j) * 0x1p-52;
    check_uniform(t, from, from.table());
    for (double& m : the<UniformTerms>(t).m) m = 0x1p-1022;
    for (double& e : the<UniformTerms>(t).e) e = 3;
    for (std::size_t r = 0; r < from.rows; ++r) from.x[r * 2] = std::ldexp(1.0, 1000 + static_cast<int>(r) % 23), from.x[r * 2 + 1] = 0.0;
    check_uniform(t, from, from.table());
}

TEST(sparse_rows_have_uniform_terms_at_zero) {
    for (const double missing : {0.0, 0.02}) {
        const rows::SparsePair from(300, 7, 5, 21, missing);
        check_uniform(uniform_tables(from.dense, 4, 5), from.dense, from.csr());
    }
}

TEST(uniform_terms_have_the_same_bits_on_any_threads_and_instruction_set) {
    const char* const before = kernels().name;
    const Random from = cells(9000, 7, 7, 0.01);
    const ScoreTables t = uniform_tables(from, 5, 0);
    const Scores one = score(t, from.table(), Wanted::posterior, 1, {});
    for (const char* isa : {"plain", "avx2", "avx512"}) {
        if (!use_kernels(isa)) continue;
        for (const std::size_t threads : {1, 2, 7})
            CHECK(score(t, from.table(), Wanted::posterior, threads, {}).values == one.values);
    }
    use_kernels(before);
}
