#include "check.hpp"
#include "random_rows.hpp"
#include "suffice/kernels.hpp"
#include "suffice/moments.hpp"

using namespace suffice;
using rows::Random;

namespace {

// Two passes in extended precision: the definition.
void check_against_definition(const Random& from, const MomentTable& got, bool weighted) {
    for (std::size_t c = 0; c < from.classes; ++c)
        for (std::size_t j = 0; j < from.cols; ++j) {
            long double n = 0, sum = 0, dp = 0;
            const auto each = [&](auto&& use) {
                for (std::size_t r = 0; r < from.rows; ++r)
                    if (const double x = from.x[r * from.cols + j];
                        from.codes[r] == static_cast<std::int64_t>(c) && !std::isnan(x) && from.weight(r, weighted) > 0)
                        use(static_cast<long double>(from.weight(r, weighted)), static_cast<long double>(x));
            };
            each([&](long double w, long double x) { n += w, sum += w * x; });
            const long double mean = n > 0 ? sum / n : 0;
            each([&](long double w, long double x) { dp += w * (x - mean) * (x - mean); });
            const std::size_t k = c * from.cols + j;
            CHECK_CLOSE(got.weight[k], static_cast<double>(n), 1e-13);
            // A mean near 0 is a sum with cancellation, so its error is relative to the spread. The definition itself
            // rounds the mean, too, in extended precision.
            const long double spread = n > 0 ? std::sqrt(dp / n) : 0, rounding = n * std::pow(1e-18L * mean, 2);
            CHECK(std::fabs(got.mean[k] + static_cast<long double>(got.mean_low[k]) - mean) <=
                  1e-13L * (std::fabs(mean) + spread));
            CHECK(std::fabs(got.dp[k] - dp) <= 1e-12L * dp + rounding);
        }
}

bool same(const MomentTable& a, const MomentTable& b) {
    return a.weight == b.weight && a.mean == b.mean && a.mean_low == b.mean_low && a.dp == b.dp;
}

}  // namespace

TEST(moments_are_the_definition) {
    for (const std::size_t cols : {1, 3, 8, 50, 65})
        for (const bool weighted : {false, true})
            for (const double missing : {0.0, 0.2}) {
                const Random from(9000, cols, 5, static_cast<unsigned>(cols), 3.0, missing);
                check_against_definition(from, moments(from.table(), from.labels(weighted), 3, {}), weighted);
            }
}

TEST(moments_keep_their_digits_far_from_zero) {
    const Random from(20000, 4, 2, 1, 1e9);
    check_against_definition(from, moments(from.table(), from.labels(false), 2, {}), false);
}

TEST(moments_have_the_same_bits_on_any_threads_and_instruction_set) {
    const char* const before = kernels().name;
    for (const double missing : {0.0, 0.001}) {
        const Random from(70000, 13, 3, 7, 0, missing);
        const MomentTable one = moments(from.table(), from.labels(true), 1, {});
        for (const char* isa : {"plain", "avx2", "avx512"}) {
            if (!use_kernels(isa)) continue;
            for (const std::size_t threads : {1, 2, 3, 7, 16})
                CHECK(same(moments(from.table(), from.labels(true), threads, {}), one));
        }
    }
    use_kernels(before);
}

TEST(moments_of_many_classes_and_columns_use_strips) {
    const Random from(600, 700, 300, 3, 0, 0.01);
    check_against_definition(from, moments(from.table(), from.labels(true), 4, {}), true);
}

TEST(moments_of_every_dtype_and_layout) {
    const Random from(5000, 9, 3, 5, 0, 0, true);
    const MomentTable expected = moments(from.table(), from.labels(true), 1, {});
    const auto check = [&](auto example, Dtype type) {
        for (const std::size_t offset : {0, 1}) {
            const rows::Elsewhere<decltype(example)> other(from, type, offset);
            CHECK(same(moments(other.table, from.labels(true), 2, {}), expected));
        }
    };
    check(double{}, Dtype::f64), check(float{}, Dtype::f32), check(std::int8_t{}, Dtype::i8),
        check(std::int16_t{}, Dtype::i16);
    check(std::int32_t{}, Dtype::i32), check(std::int64_t{}, Dtype::i64), check(std::uint8_t{}, Dtype::u8);
    check(std::uint16_t{}, Dtype::u16), check(std::uint32_t{}, Dtype::u32), check(std::uint64_t{}, Dtype::u64);
}

TEST(a_validity_bit_of_zero_is_missing) {
    Random from(100, 2, 1, 9);
    std::vector<std::uint8_t> bitmap(14);
    std::vector<double> first, second;
    for (std::size_t r = 0; r < 100; ++r) {
        first.push_back(from.x[2 * r]);
        second.push_back(from.x[2 * r + 1]);
        if (r % 3 != 0) bitmap[(r + 5) / 8] = static_cast<std::uint8_t>(bitmap[(r + 5) / 8] | 1u << (r + 5) % 8);
        if (r % 3 == 0) from.x[2 * r + 1] = std::numeric_limits<double>::quiet_NaN();
    }
    const Column columns[] = {{reinterpret_cast<const std::byte*>(first.data()), Dtype::f64, 8, nullptr, 0},
                              {reinterpret_cast<const std::byte*>(second.data()), Dtype::f64, 8, bitmap.data(), 5}};
    Table table;
    table.rows = 100, table.cols = 2, table.columns = columns;
    check_against_definition(from, moments(table, from.labels(false), 1, {}), false);
}

TEST(an_infinity_is_reported_at_its_cell) {
    Random from(10000, 6, 2, 11, 0, 0.1);
    std::size_t row = 8765;
    while (from.codes[row] < 0 || from.w[row] == 0) ++row;
    from.x[row * 6 + 4] = -std::numeric_limits<double>::infinity();
    for (const std::size_t threads : {1, 4}) {
        bool refused = false;
        try {
            moments(from.table(), from.labels(true), threads, {});
        } catch (const InvalidInput& invalid) {
            refused = invalid.kind == InvalidInput::Kind::infinite && invalid.row == row && invalid.column == 4;
        }
        CHECK(refused);
    }
    from.w[row] = 0;  // a row of weight 0 may hold anything
    check_against_definition(from, moments(from.table(), from.labels(true), 2, {}), true);
}

TEST(an_overflow_is_an_error_and_not_a_number) {
    Random from(10, 1, 1, 12);
    for (auto& code : from.codes) code = 0;
    from.x[3] = 1e300;
    bool refused = false;
    try {
        moments(from.table(), from.labels(false), 1, {});
    } catch (const InvalidInput& invalid) {
        refused = invalid.kind == InvalidInput::Kind::overflow;
    }
    CHECK(refused);
}

TEST(invalid_codes_and_weights_are_reported_at_their_row) {
    Random from(6000, 2, 3, 13);
    from.codes[5123] = 3;
    try {
        moments(from.table(), from.labels(false), 2, {});
        CHECK(false);
    } catch (const InvalidInput& invalid) {
        CHECK(invalid.kind == InvalidInput::Kind::class_out_of_range && invalid.row == 5123 && invalid.value == 3);
    }
    from.codes[5123] = 0;
    from.w[77] = std::numeric_limits<double>::quiet_NaN();
    try {
        moments(from.table(), from.labels(true), 2, {});
        CHECK(false);
    } catch (const InvalidInput& invalid) {
        CHECK(invalid.kind == InvalidInput::Kind::bad_weight && invalid.row == 77);
    }
}

TEST(no_rows_or_no_columns_are_fine) {
    const Random no_rows(3, 200000, 0, 1);
    CHECK(moments(no_rows.table(), no_rows.labels(true), 2, {}).weight.empty());
    const Random none(0, 3, 2, 1), flat(10, 0, 2, 1);
    CHECK(moments(none.table(), none.labels(true), 2, {}).weight == std::vector<double>(6));
    CHECK(moments(flat.table(), flat.labels(true), 2, {}).weight.empty());
}
