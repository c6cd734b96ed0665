#include "check.hpp"
#include "random_rows.hpp"
#include "sparse_rows.hpp"
#include "suffice/counts.hpp"
#include "suffice/kernels.hpp"
#include "suffice/moments.hpp"

using namespace suffice;
using rows::Random;
using rows::SparsePair;

namespace {

// values[c, j] = Σ w f(x) and the observed weight by definition; integers, so the comparison is exact.
template <class Of>
void check_counts(const Random& from, const CountTable& got, bool weighted, Of&& of) {
    for (std::size_t c = 0; c < from.classes; ++c)
        for (std::size_t j = 0; j < from.cols; ++j) {
            double sum = 0, observed = 0;
            for (std::size_t r = 0; r < from.rows; ++r)
                if (const double x = from.x[r * from.cols + j];
                    from.codes[r] == static_cast<std::int64_t>(c) && !std::isnan(x)) {
                    sum += from.weight(r, weighted) * of(x);
                    observed += from.weight(r, weighted);
                }
            CHECK_EQUAL(got.values[c * from.cols + j], sum);
            CHECK_EQUAL(got.observed[got.by_column ? c * from.cols + j : c], observed);
        }
}

double itself(double x) { return x; }

}  // namespace

TEST(sums_and_presence_are_the_definition) {
    for (const std::size_t cols : {1, 7, 16, 50})
        for (const bool weighted : {false, true})
            for (const double missing : {0.0, 0.1}) {
                const Random from(9000, cols, 4, static_cast<unsigned>(cols), 0, missing, true);
                check_counts(from, sums(from.table(), from.labels(weighted), 3, {}), weighted, itself);
                check_counts(from, presence(from.table(), from.labels(weighted), 50.0, 3, {}), weighted,
                             [](double x) { return x > 50 ? 1.0 : 0.0; });
            }
}

TEST(sums_of_many_classes_and_columns_use_strips) {
    const Random clean(600, 500, 400, 1, 0, 0, true);
    check_counts(clean, sums(clean.table(), clean.labels(true), 4, {}), true, itself);
    Random from(600, 500, 400, 2, 0, 0, true);
    for (std::size_t r = 0; r < from.rows; ++r)
        from.x[r * 500 + 77] = std::numeric_limits<double>::quiet_NaN();  // one strip only
    check_counts(from, sums(from.table(), from.labels(true), 4, {}), true, itself);
}

TEST(a_negative_count_is_reported_at_its_cell) {
    Random from(5000, 3, 2, 3, 0, 0.1, true);
    from.codes[4999] = 1;
    from.x[4999 * 3 + 2] = -1;
    try {
        sums(from.table(), from.labels(false), 2, {});
        CHECK(false);
    } catch (const InvalidInput& invalid) {
        CHECK(invalid.kind == InvalidInput::Kind::negative && invalid.row == 4999 && invalid.column == 2 &&
              invalid.value == -1);
    }
}

TEST(sparse_counts_equal_dense_ones) {
    for (const double missing : {0.0, 0.02})
        for (const bool weighted : {false, true}) {
            const SparsePair from(3000, 40, 5, 21, missing);
            const Labels y = from.dense.labels(weighted);
            for (const std::size_t threads : {1, 3}) {
                check_counts(from.dense, sums(from.csr(), y, threads, {}), weighted, itself);
                for (const double threshold : {0.0, 1.5, -0.5})
                    check_counts(from.dense, presence(from.csr(), y, threshold, threads, {}), weighted,
                                 [=](double x) { return x > threshold ? 1.0 : 0.0; });
            }
        }
}

TEST(sparse_counts_of_long_classes_are_merged_from_units) {
    const SparsePair from(300000, 20, 2, 22, 0.001);  // 3.6 million cells: several units per class
    for (const std::size_t threads : {1, 2, 7})
        check_counts(from.dense, sums(from.csr(), from.dense.labels(true), threads, {}), true, itself);
}

TEST(sparse_moments_equal_dense_ones) {
    const SparsePair from(4000, 30, 3, 23, 0.01);
    const MomentTable dense = moments(from.dense.table(), from.dense.labels(true), 1, {});
    const MomentTable sparse = moments(from.csr(), from.dense.labels(true), 2, {});
    for (std::size_t k = 0; k < dense.weight.size(); ++k) {
        CHECK_EQUAL(sparse.weight[k], dense.weight[k]);
        CHECK_CLOSE(sparse.mean[k], dense.mean[k], 1e-13);
        CHECK_CLOSE(sparse.dp[k], dense.dp[k], 1e-12);
    }
}

TEST(a_malformed_sparse_matrix_is_rejected) {
    SparsePair from(10, 5, 2, 24, 0);
    for (auto& code : from.dense.codes) code = 0;
    const auto kind_of = [&] {
        try {
            sums(from.csr(), from.dense.labels(false), 1, {});
        } catch (const InvalidInput& invalid) {
            return invalid.kind;
        }
        return InvalidInput::Kind::overflow;
    };
    from.indices[7] = 5;
    CHECK(kind_of() == InvalidInput::Kind::bad_index);
    from.indices[7] = -1;
    CHECK(kind_of() == InvalidInput::Kind::bad_index);
    from.indices[7] = 0;
    from.starts[3] = 1000;
    CHECK(kind_of() == InvalidInput::Kind::bad_starts);
    from.starts[3] = 2;
    CHECK(kind_of() == InvalidInput::Kind::bad_starts);
}

namespace {

template <class T>
void check_levels(Dtype type, bool weighted, std::size_t classes, std::size_t cols, std::size_t size) {
    Random from(6000, cols, classes, 31, 0, 0, true);
    constexpr bool is_signed = std::numeric_limits<T>::is_signed;
    for (double& x : from.x) x = std::fmod(x, static_cast<double>(size + is_signed)) - is_signed;
    const std::vector<std::size_t> sizes(cols, size);
    std::vector<double> expected(classes * cols * size);
    for (std::size_t r = 0; r < from.rows; ++r)
        for (std::size_t j = 0; j < cols; ++j)
            if (const double x = from.x[r * cols + j]; x >= 0 && from.codes[r] >= 0)
                expected[(static_cast<std::size_t>(from.codes[r]) * cols + j) * size + static_cast<std::size_t>(x)] +=
                    from.weight(r, weighted);
    const rows::Elsewhere<T> elsewhere(from, type);
    std::vector<T> row_major(from.x.begin(), from.x.end());
    const Table rows_table{from.rows,
                           cols,
                           reinterpret_cast<const std::byte*>(row_major.data()),
                           type,
                           static_cast<std::ptrdiff_t>(cols * sizeof(T)),
                           sizeof(T),
                           {}};
    for (const std::size_t threads : {1, 3}) {
        CHECK(levels(elsewhere.table, from.labels(weighted), sizes, threads, {}) == expected);
        CHECK(levels(rows_table, from.labels(weighted), sizes, threads, {}) == expected);
    }
}

}  // namespace

TEST(levels_are_the_definition_for_every_integer_type) {
    for (const bool weighted : {false, true}) {
        check_levels<std::int8_t>(Dtype::i8, weighted, 3, 5, 6),
            check_levels<std::int16_t>(Dtype::i16, weighted, 3, 5, 6);
        check_levels<std::int32_t>(Dtype::i32, weighted, 3, 5, 6),
            check_levels<std::int64_t>(Dtype::i64, weighted, 3, 5, 6);
        check_levels<std::uint8_t>(Dtype::u8, weighted, 3, 5, 6),
            check_levels<std::uint16_t>(Dtype::u16, weighted, 3, 5, 6);
        check_levels<std::uint32_t>(Dtype::u32, weighted, 3, 5, 6),
            check_levels<std::uint64_t>(Dtype::u64, weighted, 3, 5, 6);
        check_levels<std::int16_t>(Dtype::i16, weighted, 200, 40, 50);  // strips
    }
}

TEST(a_level_out_of_range_is_reported_at_its_cell) {
    std::vector<std::uint64_t> codes(40, 1);
    codes[21] = std::numeric_limits<std::uint64_t>::max();  // must not wrap around to "missing"
    const Random from(20, 2, 1, 32);
    const Table x{20, 2, reinterpret_cast<const std::byte*>(codes.data()), Dtype::u64, 16, 8, {}};
    Random all = from;
    for (auto& code : all.codes) code = 0;
    const std::vector<std::size_t> sizes{2, 2};
    try {
        levels(x, all.labels(false), sizes, 1, {});
        CHECK(false);
    } catch (const InvalidInput& invalid) {
        CHECK(invalid.kind == InvalidInput::Kind::level_out_of_range && invalid.row == 10 && invalid.column == 1);
    }
}

TEST(tally_is_the_weight_of_each_class) {
    const Random from(200000, 1, 6, 41);
    std::vector<double> expected(6);
    for (std::size_t r = 0; r < from.rows; ++r)
        if (from.codes[r] >= 0) expected[static_cast<std::size_t>(from.codes[r])] += 1;
    for (const std::size_t threads : {1, 3}) CHECK(tally(from.rows, from.labels(false), threads, {}) == expected);
}
