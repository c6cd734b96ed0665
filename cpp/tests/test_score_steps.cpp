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

// Each column has a different number of edges, from none to more than any kernel is unrolled for; some edges are cells
// of the data, to test ties.
ScoreTables step_tables(const Random& from, std::size_t classes, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    ScoreTables t;
    t.log_prior.assign(classes, -1.0);
    StepTerms steps;
    ObservedTerms observed;
    const std::size_t counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 40, 63, 64, 127, 200, 600};
    for (std::size_t j = 0; j < from.cols; ++j) {
        std::vector<double> edges;
        const std::size_t count = counts[(j + seed) % std::size(counts)];
        for (std::size_t k = 0; k < count; ++k)
            edges.push_back(k % 3 == 0 ? from.x[random() % from.rows * from.cols + j] : normal(random));
        edges.erase(std::remove_if(edges.begin(), edges.end(), [](double e) { return std::isnan(e); }), edges.end());
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        steps.columns.push_back(j);
        steps.edge_counts.push_back(edges.size());
        steps.edges.insert(steps.edges.end(), edges.begin(), edges.end());
        for (std::size_t k = 0; k < (edges.size() + 1) * classes; ++k) steps.table.push_back(normal(random));
    }
    for (std::size_t j = 0; j < from.cols; j += 2) {
        observed.columns.push_back(j);
        for (std::size_t c = 0; c < classes; ++c) {
            observed.present.push_back(normal(random));
            observed.absent.push_back(normal(random));
        }
    }
    t.add(std::move(steps));
    t.add(std::move(observed));
    return t;
}

template <class X>
void check_steps(const ScoreTables& t, const Random& from, const X& x) {
    const std::size_t classes = t.classes();
    const Scores got = score(t, x, Wanted::joint, 2, {});
    for (std::size_t r = 0; r < from.rows; ++r)
        for (std::size_t c = 0; c < classes; ++c) {
            long double expected = t.log_prior[c], size = std::fabs(t.log_prior[c]);
            const auto add = [&](double term) { expected += term, size += std::fabs(term); };
            auto edge = the<StepTerms>(t).edges.begin();
            std::size_t row = 0;
            for (std::size_t j = 0; j < from.cols; ++j) {
                const auto end = edge + static_cast<std::ptrdiff_t>(the<StepTerms>(t).edge_counts[j]);
                if (const double value = from.x[r * from.cols + j]; !std::isnan(value))
                    add(the<StepTerms>(t)
                            .table[(row + static_cast<std::size_t>(std::upper_bound(edge, end, value) - edge)) *
                                       classes +
                                   c]);
                row += the<StepTerms>(t).edge_counts[j] + 1;
                edge = end;
            }
            for (std::size_t k = 0; k < the<ObservedTerms>(t).columns.size(); ++k)
                add((std::isnan(from.x[r * from.cols + the<ObservedTerms>(t).columns[k]])
                         ? the<ObservedTerms>(t).absent
                         : the<ObservedTerms>(t).present)[k * classes + c]);
            // About thirty additions, each within 2⁻⁵³ of the sum so far.
            CHECK(std::fabs(got.values[r * classes + c] - expected) <= 32 * 0x1p-53L * size);
        }
}

}  // namespace

TEST(steps_score_by_the_definition) {
    for (const std::size_t classes : {1, 3, 8, 11})
        for (const unsigned seed : {0u, 7u}) {
            Random from(333, 17, 2, static_cast<unsigned>(classes) + seed, 0, 0.05);
            for (std::size_t k = 0; k < from.x.size(); k += 11) from.x[k] = k % 2 == 0 ? infinity : -infinity;
            check_steps(step_tables(from, classes, seed), from, from.table());
        }
}

TEST(steps_score_in_any_type_and_layout) {
    Random whole(200, 15, 2, 3, 0, 0, true);
    const rows::Elsewhere<float> single(whole, Dtype::f32);
    const rows::Elsewhere<std::int16_t> integer(whole, Dtype::i16);
    const ScoreTables t = step_tables(whole, 5, 2);
    check_steps(t, whole, single.table);
    check_steps(t, whole, integer.table);
    std::vector<std::uint8_t> valid(25, 0x5b);
    std::vector<Column> separate;
    for (std::size_t j = 0; j < 15; ++j) separate.push_back(integer.table.column(j));
    for (Column& column : separate) column.validity = valid.data();
    Table columns;
    columns.rows = 200, columns.cols = 15, columns.columns = separate;
    for (std::size_t r = 0; r < 200; ++r)
        for (std::size_t j = 0; j < 15; ++j)
            if (!(valid[r / 8] >> (r % 8) & 1)) whole.x[r * 15 + j] = std::numeric_limits<double>::quiet_NaN();
    check_steps(t, whole, columns);
}

TEST(sparse_rows_have_steps_at_zero) {
    for (const double missing : {0.0, 0.02}) {
        const rows::SparsePair from(300, 15, 5, 21, missing);
        check_steps(step_tables(from.dense, 4, 5), from.dense, from.csr());
    }
}

TEST(steps_have_the_same_bits_on_any_threads_and_instruction_set) {
    const char* const before = kernels().name;
    const Random from(9000, 15, 3, 7, 0, 0.01);
    const ScoreTables t = step_tables(from, 5, 0);
    const Scores one = score(t, from.table(), Wanted::posterior, 1, {});
    for (const char* isa : {"plain", "avx2", "avx512"}) {
        if (!use_kernels(isa)) continue;
        for (const std::size_t threads : {1, 2, 7})
            CHECK(score(t, from.table(), Wanted::posterior, threads, {}).values == one.values);
    }
    use_kernels(before);
}
