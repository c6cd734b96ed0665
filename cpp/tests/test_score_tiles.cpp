// How rows are loaded into a tile must not matter: layout, dtype and neighbouring rows leave the scores unchanged.
#include <cstring>
#include <memory>

#include "check.hpp"
#include "random_rows.hpp"
#include "score_terms.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score.hpp"
#include "suffice/score_parts.hpp"

using namespace suffice;
using rows::Random;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), missing = std::numeric_limits<double>::quiet_NaN();

// Calls test() on every instruction set of this machine.
template <class Test>
void on_each_isa(Test&& test) {
    const char* const before = kernels().name;
    for (const char* isa : {"plain", "avx2", "avx512"})
        if (use_kernels(isa)) test();
    use_kernels(before);
}

// Two classes, and a term of every kind that reads a tile of numbers.
ScoreTables tables(std::size_t cols, std::size_t classes) {
    ScoreTables t;
    std::vector<std::size_t> columns(cols);
    std::vector<double> one(cols * classes), other(cols * classes), scale(cols, 0.75), centre(cols, 1.5);
    for (std::size_t j = 0; j < cols; ++j) columns[j] = j;
    for (std::size_t k = 0; k < one.size(); ++k) {
        one[k] = 0.1 + static_cast<double>(k * 7 % 11) / 3;
        other[k] = -0.2 - static_cast<double>(k * 5 % 13) / 7;
    }
    t.log_prior.assign(classes, -std::log(static_cast<double>(classes)));
    t.add(QuadraticTerms{columns, centre, scale, other, one, other});
    t.add(StudentTerms{columns, centre, scale, one, one, other, std::vector<double>(classes, 2.5)});
    t.add(PresenceTerms{columns, 2.0, other, one});
    t.add(LinearTerms{columns, other, false});
    return t;
}

bool same_bits(const Unset& a, const Unset& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

}  // namespace

TEST(eight_rows_are_transposed_into_columns) {
    constexpr std::size_t most = 21, stride = 11;
    on_each_isa([&] {
        for (std::size_t cols = 0; cols <= most; ++cols) {
            std::vector<double> x(lanes * cols), out((most + 1) * stride, -1.0);
            const double* eight[lanes];
            for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k);
            for (std::size_t k = 0; k < lanes; ++k) eight[k] = x.data() + k * cols;
            CHECK(kernels().turn_rows(eight, cols, out.data(), stride));
            for (std::size_t j = 0; j <= most; ++j)
                for (std::size_t k = 0; k < stride; ++k)
                    CHECK_EQUAL(out[j * stride + k], j < cols && k < lanes ? x[k * cols + j] : -1.0);
            for (double& cell : x)
                for (const double odd : {missing, infinity, -infinity}) {
                    const double before = cell;
                    cell = odd;
                    CHECK(!kernels().turn_rows(eight, cols, out.data(), stride));
                    CHECK(!kernels().all_finite(x.data(), x.size()));
                    cell = before;
                }
            CHECK(kernels().all_finite(x.data(), x.size()));
        }
    });
}

TEST(scores_have_the_same_bits_in_every_layout_and_dtype) {
    on_each_isa([&] {
        for (const std::size_t cols : {1, 3, 7, 8, 13})
            for (const double share : {0.0, 0.05}) {
                const Random from(200, cols, 2, static_cast<unsigned>(cols), 0, share, true);
                const ScoreTables t = tables(cols, 5);
                const Unset expected = score(t, from.table(), Wanted::joint, 1, {}).values;
                const rows::Elsewhere<double> columns(from, Dtype::f64);
                CHECK(same_bits(score(t, columns.table, Wanted::joint, 1, {}).values, expected));
                std::vector<float> floats(from.x.begin(), from.x.end());
                Table x = from.table();
                x.data = reinterpret_cast<const std::byte*>(floats.data());
                x.dtype = Dtype::f32;
                x.row_stride = static_cast<std::ptrdiff_t>(4 * cols);
                x.col_stride = 4;
                CHECK(same_bits(score(t, x, Wanted::joint, 1, {}).values, expected));
                std::vector<std::byte> odd(1 + 8 * from.x.size());  // unaligned doubles
                std::memcpy(odd.data() + 1, from.x.data(), 8 * from.x.size());
                x = from.table();
                x.data = odd.data() + 1;
                CHECK(same_bits(score(t, x, Wanted::joint, 1, {}).values, expected));
                x = from.table();  // rows in reverse order
                x.data += static_cast<std::ptrdiff_t>(from.rows - 1) * x.row_stride;
                x.row_stride = -x.row_stride;
                const Unset backwards = score(t, x, Wanted::joint, 1, {}).values;
                for (std::size_t r = 0; share == 0 && r < from.rows; ++r)
                    CHECK(std::memcmp(&backwards[(from.rows - 1 - r) * 5], &expected[r * 5], 5 * sizeof(double)) == 0);
            }
    });
}

TEST(a_score_does_not_depend_on_how_many_rows_follow) {
    const std::size_t cols = 5;
    const Random from(150, cols, 2, 4, 0, 0, true);
    for (const std::size_t classes : {1, 2, 5, 8, 9, 17})
        for (const Wanted wanted : {Wanted::joint, Wanted::log_posterior, Wanted::posterior, Wanted::density}) {
            const ScoreTables t = tables(cols, classes);
            const Unset all = score(t, from.table(), wanted, 1, {}).values;
            for (const std::size_t few : {1, 2, 7, 8, 9, 63, 64, 65, 149}) {
                Table x = from.table();
                x.rows = few;
                Unset first_rows = score(t, x, wanted, 1, {}).values;
                CHECK_EQUAL(first_rows.size(), few * all.size() / from.rows);
                CHECK(std::memcmp(first_rows.data(), all.data(), first_rows.size() * sizeof(double)) == 0);
            }
        }
}

TEST(an_invalid_count_is_reported_and_an_overflowing_sum_is_not) {
    on_each_isa([&] {
        ScoreTables t;
        t.log_prior = {-0.5, -1.0};
        t.add(LinearTerms{{0, 1, 2}, {-1, -2, 0, -3, -2, -1}, true});
        for (const double bad : {-1.0, infinity, -infinity})
            for (const std::size_t row : {0, 77, 99}) {
                Random from(100, 3, 1, 1, 0, 0, true);
                from.x[row * 3 + 1] = bad;
                try {
                    score(t, from.table(), Wanted::posterior, 1, {});
                    CHECK(false);
                } catch (const InvalidInput& invalid) {
                    CHECK(invalid.row == row && invalid.column == 1 && invalid.value == bad);
                    CHECK(invalid.kind == (bad < 0 ? InvalidInput::Kind::negative : InvalidInput::Kind::infinite));
                }
            }
        Random huge(3, 3, 1, 1, 0, 0, true);
        huge.x[1] = 1e308;
        CHECK_EQUAL(score(t, huge.table(), Wanted::joint, 1, {}).values[1], -infinity);
    });
}

TEST(an_infinite_cell_scored_for_presence_is_reported) {
    on_each_isa([&] {
        ScoreTables t;
        t.log_prior = {-0.5, -1.0};
        t.add(PresenceTerms{{1, 2}, 0.5, {-1, -2, -3, -4}, {-2, -1, -4, -3}});
        for (const double odd : {infinity, -infinity, missing, 3.0})
            for (const std::size_t column : {0, 1, 2}) {
                Random from(300, 3, 1, 1, 0, 0.02);
                const bool expected = std::isinf(odd) && column > 0;
                from.x[299 * 3 + column] = odd;
                const rows::Elsewhere<double> columns(from, Dtype::f64);
                CHECK_EQUAL(score(t, from.table(), Wanted::joint, 1, {}).infinite, expected);
                CHECK_EQUAL(score(t, columns.table, Wanted::joint, 1, {}).infinite, expected);
            }
    });
}

TEST(rows_of_parts_are_scored_by_the_tables_of_their_part) {
    on_each_isa([&] {
        for (const std::size_t cols : {1, 8, 13})
            for (const double share : {0.0, 0.05})
                for (const std::size_t number : {1, 7, 90}) {
                    const std::size_t count = 3000, classes = 3;
                    const Random from(count, cols, 2, static_cast<unsigned>(cols), 0, share, true);
                    std::vector<std::unique_ptr<KeptTables>> kept;
                    std::vector<const KeptTables*> each;
                    std::vector<std::int32_t> parts(count);
                    for (std::size_t r = 0; r < count; ++r) parts[r] = static_cast<std::int32_t>(r * r % 97 % number);
                    for (std::size_t p = 0; p < number; ++p) {
                        ScoreTables t = tables(cols, classes);
                        for (double& value : the<QuadraticTerms>(t).m) value += static_cast<double>(p) / 3;
                        t.log_prior[0] -= static_cast<double>(p);
                        each.push_back(kept.emplace_back(std::make_unique<KeptTables>(std::move(t))).get());
                    }
                    std::vector<Unset> whole;
                    for (const KeptTables* t : each)
                        whole.push_back(score(*t, from.table(), Wanted::joint, 1, {}).values);
                    for (const std::size_t threads : {1, 3}) {
                        const Unset got =
                            score_parts(each, from.table(), parts.data(), Wanted::joint, threads, {}).values;
                        CHECK_EQUAL(got.size(), count * classes);
                        // In a tile with a missing cell constants are added column by column, and here a row has
                        // different neighbours.
                        double most = 0;
                        for (std::size_t k = 0; k < got.size(); ++k) {
                            const double expected = whole[static_cast<std::size_t>(parts[k / classes])][k];
                            if (got[k] != expected) most = std::max(most, std::fabs(got[k] / expected - 1));
                        }
                        CHECK(share == 0 ? most == 0 : most < 1e-13);
                    }
                }
    });
}

TEST(parts_of_narrow_cells_and_bad_counts) {
    constexpr std::size_t count = 300, cols = 5, classes = 2;
    std::vector<float> narrow(count * cols);
    for (std::size_t k = 0; k < narrow.size(); ++k) narrow[k] = static_cast<float>(k * 7 % 23) / 4;
    Table x{count,         cols, reinterpret_cast<const std::byte*>(narrow.data()), Dtype::f32, cols * sizeof(float),
            sizeof(float), {}};
    ScoreTables t = tables(cols, classes);
    const KeptTables kept(t);
    std::vector<std::int32_t> parts(count);
    for (std::size_t r = 0; r < count; ++r) parts[r] = static_cast<std::int32_t>(r % 2);
    const Unset expected = score(kept, x, Wanted::posterior, 1, {}).values;
    CHECK(same_bits(expected, score_parts({&kept, &kept}, x, parts.data(), Wanted::posterior, 2, {}).values));
    narrow[271 * cols + 3] = -1;
    bool refused = false;
    try {
        score_parts({&kept, &kept}, x, parts.data(), Wanted::joint, 1, {});
    } catch (const InvalidInput& invalid) {
        refused = invalid.kind == InvalidInput::Kind::negative && invalid.row == 271 && invalid.column == 3;
    }
    CHECK(refused);
}
