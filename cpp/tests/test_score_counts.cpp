#include "check.hpp"
#include "random_rows.hpp"
#include "score_terms.hpp"
#include "sparse_rows.hpp"
#include "suffice/count_logs.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score.hpp"

using namespace suffice;
using rows::Random;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> between(double low, double high, std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<double> values(count);
    for (double& value : values) value = uniform(random);
    return values;
}

std::vector<std::size_t> all_of(std::size_t cols) {
    std::vector<std::size_t> columns(cols);
    for (std::size_t j = 0; j < cols; ++j) columns[j] = j;
    return columns;
}

ScoreTables tables_of(std::size_t classes) {
    ScoreTables t;
    t.log_prior.assign(classes, -std::log(static_cast<double>(classes)));
    return t;
}

ScoreTables polya(std::size_t cols, std::size_t classes) {
    ScoreTables t = tables_of(classes);
    t.add(CountTerms{all_of(cols), between(0.01, 20, cols * classes, 1), {}, {}, false, true});
    return t;
}

ScoreTables poisson(std::size_t cols, std::size_t classes) {
    ScoreTables t = tables_of(classes);
    t.add(CountTerms{
        all_of(cols), {}, between(-3, 1, cols * classes, 2), between(-2, 0, cols * classes, 3), true, false});
    the<CountTerms>(t).slope[0] = -infinity;
    return t;
}

ScoreTables compound(std::size_t cols, std::size_t classes) {
    ScoreTables t = tables_of(classes);
    t.add(CountTerms{all_of(cols), between(0.1, 9, cols * classes, 4), between(-3, 0, cols * classes, 5),
                     between(-2, 0, cols * classes, 6), true, false});
    return t;
}

ScoreTables coefficient(std::size_t cols, std::size_t classes) {
    ScoreTables t = tables_of(classes);
    t.add(CoefficientTerms{all_of(cols)});
    return t;
}

// ln Γ(a + x) − ln Γ(a): a sum of logs for integer x, because the difference loses every digit for a large a.
long double rising(long double a, long double x) {
    if (x > 1000 || std::trunc(x) != x) return std::lgamma(a + x) - std::lgamma(a);
    long double sum = 0;
    for (int k = 0; k < static_cast<int>(x); ++k) sum += std::log(a + k);
    return sum;
}

// log p(c, x) by definition, one row and class at a time.
long double joint(const ScoreTables& t, const double* x, std::size_t c) {
    const std::size_t classes = t.classes();
    long double s = t.log_prior[c];
    for (const auto& terms : terms_of_kind<CountTerms>(t)) {
        long double total = 0, start = 0;
        for (std::size_t j = 0; j < terms.columns.size(); ++j) {
            const long double value = x[terms.columns[j]];
            const std::size_t at = j * classes + c;
            if (std::isnan(value)) continue;
            total += value;
            if (!terms.base.empty()) s += terms.base[at];
            if (!terms.start.empty()) {
                start += terms.start[at];
                s += rising(terms.start[at], value);
            }
            if (!terms.slope.empty() && value > 0) s += value * terms.slope[at];
            if (terms.factorials) s -= std::lgamma(value + 1);
        }
        if (terms.whole_row && total > 0) s -= rising(start, total);
    }
    for (const auto& terms : terms_of_kind<CoefficientTerms>(t)) {
        long double total = 0;
        for (const std::size_t j : terms.columns)
            if (!std::isnan(x[j])) {
                total += x[j];
                s -= std::lgamma(static_cast<long double>(x[j]) + 1);
            }
        s += std::lgamma(total + 1);
    }
    return s;
}

template <class X>
void check_joint(const ScoreTables& t, const Random& from, const X& x) {
    const Scores got = score(t, x, Wanted::joint, 2, {});
    for (std::size_t r = 0; r < from.rows; ++r) {
        const double* row = from.x.data() + r * from.cols;
        long double total = 0;
        for (std::size_t j = 0; j < from.cols; ++j) total += std::isnan(row[j]) ? 0 : row[j];
        // Size of the logs whose differences are the terms
        const long double largest = 1 + total * std::log(total + 2);
        for (std::size_t c = 0; c < t.classes(); ++c) {
            const long double expected = joint(t, row, c);
            const double value = got.values[r * t.classes() + c];
            CHECK(value == static_cast<double>(expected) ||
                  std::fabs(value - expected) <= 1e-14L * (10 * largest + std::fabs(expected)));
        }
    }
}

using Make = ScoreTables (*)(std::size_t, std::size_t);
constexpr Make every[] = {polya, poisson, compound, coefficient};

// Counts, mostly small, some large, some fractional, and some missing.
Random counts(std::size_t n, std::size_t d, unsigned seed, double missing) {
    Random from(n, d, 4, seed, 0, missing, true);
    for (std::size_t k = 0; k < from.x.size(); ++k) {
        if (k % 97 == 0) from.x[k] *= 1000;
        else if (k % 89 == 0) from.x[k] += 0.25;
        else if (k % 5 != 0) from.x[k] = std::fmod(from.x[k], 4);
    }
    return from;
}

}  // namespace

TEST(count_terms_score_by_the_definition) {
    for (const Make make : every)
        for (const std::size_t classes : {1, 3, 9, 35})
            for (const double missing : {0.0, 0.1, 0.95}) {
                const Random from = counts(200, 13, static_cast<unsigned>(classes), missing);
                check_joint(make(13, classes), from, from.table());
                const rows::Elsewhere<float> other(from, Dtype::f32);
                check_joint(make(13, classes), from, other.table);
            }
}

TEST(sparse_count_terms_score_as_dense_ones) {
    for (const Make make : every)
        for (const std::size_t classes : {2, 20, 35})
            for (const double missing : {0.0, 0.05}) {
                rows::SparsePair from(300, 40, 5, 21, missing);
                check_joint(make(40, classes), from.dense, from.csr());
                for (std::size_t k = 0; k < from.values.size(); k += 7) {  // every seventh is large or fractional
                    const double more = k % 2 == 0 ? 1000 : 0.5;
                    const std::size_t row = k / 12;
                    from.values[k] += more;
                    from.dense.x[row * 40 + static_cast<std::size_t>(from.indices[k])] += more;
                }
                check_joint(make(40, classes), from.dense, from.csr());
            }
}

TEST(starts_too_large_for_a_product_are_scored) {
    for (const double start : {1e-310, 1e-290, 1e16, 1e300}) {
        ScoreTables t = tables_of(2);
        t.add(CountTerms{all_of(40), std::vector<double>(80, start), {}, {}, false, false});
        const rows::SparsePair from(100, 40, 5, 3, 0);
        check_joint(t, from.dense, from.csr());
        check_joint(t, from.dense, from.dense.table());
    }
}

TEST(the_depth_of_a_table_does_not_change_a_bit) {
    for (const Make make : every) {
        const Random from = counts(9000, 7, 3, 0.01);
        const ScoreTables t = make(7, 5);
        const Scores whole = score(t, from.table(), Wanted::joint, 1, {});
        for (const std::size_t first : {0u, 64u, 8000u}) {
            Table part = from.table();
            part.rows = 30;
            part.data += first * 7 * sizeof(double);
            const Scores part_scores = score(t, part, Wanted::joint, 1, {});
            CHECK(std::equal(part_scores.values.begin(), part_scores.values.end(),
                             whole.values.begin() + static_cast<std::ptrdiff_t>(first * 5)));
        }
    }
}

TEST(counts_have_the_same_bits_on_any_threads_and_instruction_set) {
    const char* const before = kernels().name;
    const Random from = counts(9000, 11, 7, 0.02);
    const rows::SparsePair sparse(9000, 60, 5, 8, 0.01);
    for (const Make make : every) {
        const ScoreTables t = make(11, 5), wide = make(60, 20);
        const Scores one = score(t, from.table(), Wanted::joint, 1, {}),
                     sparse_one = score(wide, sparse.csr(), Wanted::joint, 1, {});
        for (const char* isa : {"plain", "avx2", "avx512"}) {
            if (!use_kernels(isa)) continue;
            for (const std::size_t threads : {1, 2, 7}) {
                CHECK(score(t, from.table(), Wanted::joint, threads, {}).values == one.values);
                CHECK(score(wide, sparse.csr(), Wanted::joint, threads, {}).values == sparse_one.values);
            }
        }
        use_kernels(before);
    }
}

TEST(the_largest_counts_give_no_nan) {
    Random from(2, 2, 1, 1);
    from.x = {1e308, 1e308, 1e308, 0};
    for (const Make make : every)
        for (const double value : score(make(2, 3), from.table(), Wanted::posterior, 1, {}).values)
            CHECK(value >= 0 && value <= 1);
}

TEST(an_invalid_count_is_reported_at_its_cell) {
    for (const Make make : every)
        for (const double bad : {-1.0, -0.5, infinity}) {
            Random from = counts(100, 3, 1, 0.0);
            from.x[77 * 3 + 2] = bad;
            from.x[78 * 3] = bad;
            try {
                score(make(3, 2), from.table(), Wanted::posterior, 1, {});
                CHECK(false);
            } catch (const InvalidInput& invalid) {
                CHECK(invalid.kind == InvalidInput::Kind::bad_count && invalid.row == 77 && invalid.column == 2 &&
                      invalid.value == bad);
            }
        }
}

namespace {

// The log-factorial sums of each class by definition.
std::vector<long double> logs(const Random& from, CountLogs kind, bool weighted) {
    std::vector<long double> sum(from.classes);
    for (std::size_t r = 0; r < from.rows; ++r) {
        if (from.codes[r] < 0) continue;
        long double total = 0, cells = 0;
        for (std::size_t j = 0; j < from.cols; ++j)
            if (const long double x = from.x[r * from.cols + j]; !std::isnan(x)) {
                total += x;
                cells += std::lgamma(x + 1);
            }
        const long double log = kind == CountLogs::cells ? cells : std::lgamma(total + 1) - cells;
        sum[static_cast<std::size_t>(from.codes[r])] += from.weight(r, weighted) * log;
    }
    return sum;
}

void check_logs(const Random& from, const std::vector<double>& got, CountLogs kind, bool weighted) {
    const std::vector<long double> expected = logs(from, kind, weighted);
    CHECK_EQUAL(got.size(), 2 * expected.size());
    for (std::size_t c = 0; c < expected.size(); ++c) {
        CHECK(weighted || (std::trunc(got[2 * c]) == got[2 * c] && std::trunc(got[2 * c + 1]) == got[2 * c + 1]));
        CHECK_CLOSE(got[2 * c] * 0x1p-20 + got[2 * c + 1] * 0x1p-43, static_cast<double>(expected[c]), 1e-13);
    }
}

}  // namespace

TEST(logs_of_counts_match_the_definition) {
    for (const bool weighted : {false, true})
        for (const double missing : {0.0, 0.1})
            for (const std::size_t cols : {1, 8, 13, 50}) {
                Random from = counts(5000, cols, 9, missing);
                check_logs(from, count_logs(from.table(), from.labels(weighted), CountLogs::rows, 2, {}),
                           CountLogs::rows, weighted);
                for (double& x : from.x) x = std::trunc(x);
                check_logs(from, count_logs(from.table(), from.labels(weighted), CountLogs::cells, 2, {}),
                           CountLogs::cells, weighted);
            }
}

TEST(logs_of_dense_and_sparse_counts_have_the_same_bits) {
    const char* const before = kernels().name;
    for (const double missing : {0.0, 0.02}) {
        const rows::SparsePair from(9000, 40, 5, 21, missing);
        for (const CountLogs kind : {CountLogs::rows, CountLogs::cells}) {
            const std::vector<double> one = count_logs(from.csr(), from.dense.labels(true), kind, 1, {});
            check_logs(from.dense, one, kind, true);
            for (const char* isa : {"plain", "avx2", "avx512"}) {
                if (!use_kernels(isa)) continue;
                for (const std::size_t threads : {1, 3}) {
                    CHECK(count_logs(from.csr(), from.dense.labels(true), kind, threads, {}) == one);
                    CHECK(count_logs(from.dense.table(), from.dense.labels(true), kind, threads, {}) == one);
                }
            }
            use_kernels(before);
        }
    }
}

TEST(logs_reject_invalid_counts) {
    const auto refused = [](double bad, CountLogs kind) {
        Random from(100, 3, 1, 1, 0, 0, true);
        std::fill(from.codes.begin(), from.codes.end(), 0);
        from.x[77 * 3 + 2] = bad;
        try {
            count_logs(from.table(), from.labels(false), kind, 1, {});
        } catch (const InvalidInput& invalid) {
            CHECK(invalid.row == 77 && invalid.column == 2 && invalid.value == bad);
            return invalid.kind;
        }
        return InvalidInput::Kind::overflow;
    };
    CHECK(refused(0.5, CountLogs::cells) == InvalidInput::Kind::not_whole);
    CHECK(refused(-1, CountLogs::rows) == InvalidInput::Kind::negative);
    CHECK(refused(infinity, CountLogs::rows) == InvalidInput::Kind::infinite);
    CHECK(refused(0.5, CountLogs::rows) == InvalidInput::Kind::overflow);  // a fractional count is valid here
}
