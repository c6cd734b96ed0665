#include <algorithm>

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

std::vector<double> draws(std::size_t count, unsigned seed, double shift = 0) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(shift, 1.0);
    std::vector<double> values(count);
    for (double& value : values) value = normal(random);
    return values;
}

std::vector<double> positive(std::vector<double> values) {
    for (double& value : values) value = std::fabs(value) + 0.1;
    return values;
}

std::vector<std::size_t> all_of(std::size_t cols) {
    std::vector<std::size_t> columns(cols);
    for (std::size_t j = 0; j < cols; ++j) columns[j] = j;
    return columns;
}

// log p(c, x) by definition, one row and class at a time.
std::vector<long double> joint(const ScoreTables& t, const double* x) {
    const std::size_t classes = t.classes();
    std::vector<long double> s(t.log_prior.begin(), t.log_prior.end());
    for (std::size_t c = 0; c < classes; ++c) {
        for (const auto& q : terms_of_kind<QuadraticTerms>(t))
            for (std::size_t j = 0; j < q.columns.size(); ++j)
                if (const long double z = (x[q.columns[j]] - static_cast<long double>(q.centre[j])) * q.scale[j]; !std::isnan(z)) {
                    const long double d = z - q.m[j * classes + c];
                    s[c] += q.c[j * classes + c] - q.s[j * classes + c] * d * d;
                }
        for (const auto& q : terms_of_kind<StudentTerms>(t))
            for (std::size_t j = 0; j < q.columns.size(); ++j)
                if (const long double z = (x[q.columns[j]] - static_cast<long double>(q.centre[j])) * q.scale[j]; !std::isnan(z)) {
                    const long double d = z - q.m[j * classes + c];
                    s[c] += q.c[j * classes + c] - q.e[c] * std::log1p(d * d * q.s[j * classes + c]);
                }
        for (const auto& p : terms_of_kind<PresenceTerms>(t))
            for (std::size_t j = 0; j < p.columns.size(); ++j)
                if (const double value = x[p.columns[j]]; !std::isnan(value))
                    s[c] += (value > p.threshold ? p.present : p.absent)[j * classes + c];
        for (const auto& l : terms_of_kind<LinearTerms>(t)) {
            long double total = 0, observed = 0;
            bool missing = false;
            for (std::size_t j = 0; j < l.columns.size(); ++j) {
                const double value = x[l.columns[j]];
                missing |= std::isnan(value);
                if (std::isnan(value)) continue;
                total += value;
                observed += std::exp(static_cast<long double>(l.weight[j * classes + c]));
                if (value != 0) s[c] += static_cast<long double>(value) * l.weight[j * classes + c];
            }
            if (missing && l.distribution && total > 0 && observed > 0) s[c] -= total * std::log(observed);
        }
    }
    return s;
}

void check_scores(const ScoreTables& t, const Random& from, const Scores& joint_scores, const Scores& log_posterior,
                  const Scores& posterior, const Scores& density, double relative = 1e-13) {
    const std::size_t classes = t.classes();
    std::size_t impossible = 0;
    for (std::size_t r = 0; r < from.rows; ++r) {
        const std::vector<long double> s = joint(t, from.x.data() + r * from.cols);
        const long double most = *std::max_element(s.begin(), s.end());
        long double sum = 0;
        for (const long double v : s) sum += std::exp(v - most);
        const bool possible = most > -infinity;
        impossible += !possible;
        const long double log_sum = most + std::log(sum);
        const auto near = [&](double got, long double expected, long double size) {
            CHECK(got == static_cast<double>(expected) || std::fabs(got - expected) <= relative * (1 + std::fabs(size)));
        };
        near(density.values[r], possible ? log_sum : -infinity, log_sum);
        double total = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            near(joint_scores.values[r * classes + c], s[c], s[c]);
            const long double log_p = possible ? s[c] - log_sum : static_cast<long double>(t.log_prior[c]);
            near(log_posterior.values[r * classes + c], log_p, s[c]);
            near(posterior.values[r * classes + c], std::exp(log_p), s[c]);
            total += posterior.values[r * classes + c];
        }
        CHECK_CLOSE(total, 1.0, 1e-14);
    }
    CHECK_EQUAL(posterior.impossible, impossible);
}

template <class X>
void check_scores(const ScoreTables& t, const Random& from, const X& x, std::size_t threads = 2) {
    check_scores(t, from, score(t, x, Wanted::joint, threads, {}), score(t, x, Wanted::log_posterior, threads, {}),
                 score(t, x, Wanted::posterior, threads, {}), score(t, x, Wanted::density, threads, {}));
}

// Calls test() on every instruction set of this machine.
template <class Test>
void on_each_isa(Test&& test) {
    const char* const before = kernels().name;
    for (const char* isa : {"plain", "avx2", "avx512"})
        if (use_kernels(isa)) test();
    use_kernels(before);
}

std::vector<double> log_prior(std::size_t classes) {
    std::vector<double> prior(classes);
    double sum = 0;
    for (std::size_t c = 0; c < classes; ++c) sum += prior[c] = 1.0 + static_cast<double>(c % 3);
    for (double& p : prior) p = std::log(p / sum);
    return prior;
}

ScoreTables real_tables(std::size_t cols, std::size_t classes) {
    ScoreTables t;
    t.log_prior = log_prior(classes);
    t.add(QuadraticTerms{all_of(cols), draws(cols, 2), positive(draws(cols, 3)), draws(cols * classes, 4),
                           positive(draws(cols * classes, 1)), draws(cols * classes, 5)});
    t.add(StudentTerms{all_of(cols), draws(cols, 6), positive(draws(cols, 7)), draws(cols * classes, 8),
                         positive(draws(cols * classes, 9)), draws(cols * classes, 10), positive(draws(classes, 11))});
    return t;
}

ScoreTables count_tables(std::size_t cols, std::size_t classes, double zero) {
    ScoreTables t;
    t.log_prior = log_prior(classes);
    std::vector<double> weight = positive(draws(cols * classes, 1));
    for (std::size_t c = 0; c < classes; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < cols; ++j) sum += weight[j * classes + c];
        for (std::size_t j = 0; j < cols; ++j) weight[j * classes + c] = std::log(weight[j * classes + c] / sum);
    }
    weight[0] = zero;
    t.add(LinearTerms{all_of(cols), weight, true});
    t.add(PresenceTerms{all_of(cols), 1.5, draws(cols * classes, 2), draws(cols * classes, 3)});
    return t;
}

}  // namespace

TEST(real_columns_score_by_the_definition) {
    for (const std::size_t classes : {1, 2, 5, 8, 9, 20})
        for (const double missing : {0.0, 0.1}) {
            const Random from(333, 13, 2, static_cast<unsigned>(classes), 0, missing);
            check_scores(real_tables(13, classes), from, from.table());
        }
}

TEST(student_terms_neither_overflow_nor_lose_a_product) {
    Random from(100, 60, 2, 5);
    for (std::size_t k = 0; k < from.x.size(); k += 3) from.x[k] *= 1e100;
    ScoreTables t = real_tables(60, 3);
    drop<QuadraticTerms>(t);
    check_scores(t, from, from.table());
}

// A class of large weight has a large exponent and a small s: the digits of q lost in 1 + q would be multiplied by the
// weight.
TEST(student_terms_of_classes_of_large_weight_keep_their_digits) {
    for (const std::size_t cols : {1, 3, 4, 9})
        for (const double weight : {1e3, 1e9, 1e16, 1e20})
            for (const double missing : {0.0, 0.1}) {
                const Random from(100, cols, 2, 5, 0, missing);
                ScoreTables t = real_tables(cols, 3);
                drop<QuadraticTerms>(t);
                for (double& s : the<StudentTerms>(t).s) s /= weight;
                for (double& e : the<StudentTerms>(t).e) e *= weight;
                on_each_isa([&] { check_scores(t, from, from.table()); });
            }
}

// Removing a row from its own class divides by 1 − γ t: s and e are negative.
TEST(student_terms_of_removed_rows_keep_their_digits) {
    for (const std::size_t cols : {1, 3, 9})
        for (const double weight : {30.0, 1e9, 1e16})
            for (const double missing : {0.0, 0.1}) {
                Random from(100, cols, 2, 5, 0, missing);
                for (double& x : from.x) x = std::fmod(x, 2.0);
                ScoreTables t = real_tables(cols, 3);
                drop<QuadraticTerms>(t);
                for (double& c : the<StudentTerms>(t).centre) c = 0;
                for (double& c : the<StudentTerms>(t).scale) c = 1;
                for (double& m : the<StudentTerms>(t).m) m = std::fmod(m, 1.0);
                for (double& s : the<StudentTerms>(t).s) s = -std::fmin(s, 1.0) / 10 * (30 / weight);
                for (double& e : the<StudentTerms>(t).e) e *= -weight;
                on_each_isa([&] { check_scores(t, from, from.table()); });
            }
}

TEST(counts_and_presences_score_by_the_definition) {
    for (const std::size_t classes : {1, 3, 8, 11})
        for (const double missing : {0.0, 0.1}) {
            Random from(333, 13, 2, static_cast<unsigned>(classes), 0, missing, true);
            for (double& x : from.x) x = std::fmod(x, 4);
            check_scores(count_tables(13, classes, -infinity), from, from.table());
            const rows::Elsewhere<float> other(from, Dtype::f32);
            check_scores(count_tables(13, classes, -3.0), from, other.table);
        }
}

TEST(sparse_rows_score_as_dense_ones) {
    for (const double missing : {0.0, 0.02}) {
        const rows::SparsePair from(500, 40, 5, 21, missing);
        check_scores(count_tables(40, 6, -infinity), from.dense, from.csr());
        check_scores(real_tables(40, 6), from.dense, from.csr());
    }
}

TEST(levels_score_by_the_definition_and_unknown_ones_are_missing) {
    const std::vector<std::size_t> sizes{3, 1, 5};
    for (const std::size_t classes : {2, 9}) {
        ScoreTables t;
        t.log_prior = log_prior(classes);
        t.add(LevelTerms{all_of(3), sizes, draws(9 * classes, 4)});
        const Random from(200, 3, 2, 6, 0, 0, true);
        std::vector<std::int16_t> codes;
        for (const double x : from.x) codes.push_back(static_cast<std::int16_t>(static_cast<int>(x) % 8 - 1));
        const Table x{200, 3, reinterpret_cast<const std::byte*>(codes.data()), Dtype::i16, 6, 2, {}};
        std::vector<Column> separate;
        for (std::size_t j = 0; j < 3; ++j) separate.push_back(x.column(j));
        Table columns;
        columns.rows = 200, columns.cols = 3, columns.columns = separate;
        const Scores got = score(t, x, Wanted::joint, 1, {}), apart = score(t, columns, Wanted::joint, 2, {});
        CHECK(got.values == apart.values);
        for (std::size_t r = 0; r < 200; ++r)
            for (std::size_t c = 0; c < classes; ++c) {
                double expected = 0;
                for (std::size_t j = 0, first = 0; j < 3; first += sizes[j++])
                    if (const int code = codes[r * 3 + j]; code >= 0 && code < static_cast<int>(sizes[j]))
                        expected += the<LevelTerms>(t).table[(first + static_cast<std::size_t>(code)) * classes + c];
                CHECK_CLOSE(got.values[r * classes + c], expected + t.log_prior[c], 1e-13);
            }
    }
}

TEST(scores_have_the_same_bits_on_any_threads_and_instruction_set) {
    const char* const before = kernels().name;
    const Random from(9000, 11, 3, 7, 0, 0.01);
    const ScoreTables t = real_tables(11, 5);
    const Scores one = score(t, from.table(), Wanted::posterior, 1, {});
    for (const char* isa : {"plain", "avx2", "avx512"}) {
        if (!use_kernels(isa)) continue;
        for (const std::size_t threads : {1, 2, 7}) CHECK(score(t, from.table(), Wanted::posterior, threads, {}).values == one.values);
    }
    use_kernels(before);
}

TEST(a_negative_or_infinite_count_is_reported_at_its_cell) {
    Random from(100, 3, 1, 1, 0, 0, true);
    const ScoreTables t = count_tables(3, 2, -infinity);
    for (const double bad : {-1.0, infinity}) {
        from.x[77 * 3 + 2] = bad;
        try {
            score(t, from.table(), Wanted::posterior, 1, {});
            CHECK(false);
        } catch (const InvalidInput& invalid) {
            CHECK(invalid.row == 77 && invalid.column == 2 && invalid.value == bad);
        }
    }
}

TEST(a_row_that_no_class_can_have_produced_gets_the_prior) {
    ScoreTables t;
    t.log_prior = log_prior(3);
    t.add(LinearTerms{{0}, {-infinity, -infinity, -infinity}, false});
    Random from(2, 1, 1, 1);
    from.x = {0, 1};
    check_scores(t, from, from.table());
    CHECK_EQUAL(score(t, from.table(), Wanted::posterior, 1, {}).impossible, 1u);
}

TEST(a_calibration_takes_the_place_of_the_joint) {
    on_each_isa([] {
        for (const std::size_t classes : {1, 2, 5, 11}) {
            Random from(200, 3, classes, 7, 0, 0.2);
            for (std::size_t j = 0; j < 3; ++j) from.x[17 * 3 + j] = std::numeric_limits<double>::quiet_NaN();  // says nothing
            ScoreTables t;
            t.log_prior = log_prior(classes);
            t.add(QuadraticTerms{all_of(3), draws(3, 1), positive(draws(3, 2)), draws(3 * classes, 3), positive(draws(3 * classes, 4)),
                                 draws(3 * classes, 5)});
            const Calibration how{0.4, draws(classes, 6)};
            const Unset bare = score(t, from.table(), Wanted::likelihood, 1, {}).values;
            const Unset joint = score(t, from.table(), {Wanted::joint, &how}, 1, {}).values;
            for (std::size_t r = 0; r < from.rows; ++r) {
                bool same = true;
                for (std::size_t c = 0; c < classes; ++c) same &= bare[r * classes + c] == bare[r * classes];
                for (std::size_t c = 0; c < classes; ++c)
                    CHECK_EQUAL(joint[r * classes + c], (same ? 0.0 : bare[r * classes + c] * how.scale + how.offsets[c]) + t.log_prior[c]);
            }
            for (const Wanted wanted : {Wanted::joint, Wanted::log_posterior, Wanted::posterior, Wanted::density, Wanted::likelihood})
                for (const Calibration* given : {static_cast<const Calibration*>(nullptr), &how})
                    for (const std::size_t threads : {1, 3})
                        CHECK(score(t, from.table(), {wanted, given}, threads, {}).values ==
                              finish(bare.data(), from.rows, t.log_prior, {wanted, given}, threads, {}).values);
        }
    });
}

TEST(finished_rows_are_counted_and_refused_like_scored_ones) {
    std::vector<double> sums(100 * 2, -1.0);
    sums[10] = sums[11] = sums[40] = -infinity;
    const Scores found = finish(sums.data(), 100, {-0.5, -1.0}, Wanted::posterior, 1, {});
    CHECK_EQUAL(found.impossible, 1u);
    CHECK_CLOSE(found.values[10], std::exp(-0.5) / (std::exp(-0.5) + std::exp(-1.0)), 1e-14);
    CHECK_EQUAL(found.values[40], 0.0);
    sums[151] = infinity;
    try {
        finish(sums.data(), 100, {-0.5, -1.0}, Wanted::posterior, 1, {});
        CHECK(false);
    } catch (const InvalidInput& invalid) {
        CHECK(invalid.kind == InvalidInput::Kind::undefined && invalid.row == 75);
    }
}
