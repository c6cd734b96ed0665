#include <algorithm>
#include <map>
#include <set>

#include "check.hpp"
#include "random_rows.hpp"
#include "suffice/bins.hpp"

using namespace suffice;
using rows::Random;

namespace {

// The smallest shift with at most `limit` bins by trying all shifts; then the counts, in a map.
void check_against_definition(const Random& from, const std::vector<ColumnBins>& got, std::size_t limit, bool weighted) {
    for (std::size_t j = 0; j < from.cols; ++j) {
        std::set<std::uint64_t> keys;
        for (std::size_t r = 0; r < from.rows; ++r)
            if (const double x = from.x[r * from.cols + j]; std::isfinite(x) && from.weight(r, weighted) > 0) keys.insert(key_of(x));
        unsigned shift = 0;
        while (keys.size() > limit) {
            std::set<std::uint64_t> coarser;
            for (const std::uint64_t key : keys) coarser.insert(key >> 1);
            keys = coarser;
            ++shift;
        }
        CHECK_EQUAL(got[j].shift, shift);
        CHECK(got[j].keys == std::vector<std::uint64_t>(keys.begin(), keys.end()));
        std::map<std::pair<std::uint64_t, std::size_t>, double> counts;
        std::vector<double> below(from.classes), above(from.classes);
        for (std::size_t r = 0; r < from.rows; ++r) {
            const double x = from.x[r * from.cols + j], w = from.weight(r, weighted);
            if (w == 0 || std::isnan(x)) continue;
            const auto c = static_cast<std::size_t>(from.codes[r]);
            if (std::isinf(x)) (x < 0 ? below : above)[c] += w;
            else counts[{key_of(x) >> shift, c}] += w;
        }
        for (std::size_t k = 0; k < got[j].keys.size(); ++k)
            for (std::size_t c = 0; c < from.classes; ++c)
                CHECK_CLOSE(got[j].counts[k * from.classes + c], (counts[{got[j].keys[k], c}]), weighted ? 1e-13 : 0);
        CHECK(got[j].below == below && got[j].above == above);
    }
}

}  // namespace

TEST(keys_keep_the_order_of_values) {
    const double inf = std::numeric_limits<double>::infinity(), tiny = std::numeric_limits<double>::denorm_min();
    const std::vector<double> values{-inf, -1e300, -1.0, -1e-300, -tiny, 0.0, tiny, 1e-300, 1.0, std::nextafter(1.0, 2.0), 1e300, inf};
    for (std::size_t k = 1; k < values.size(); ++k) CHECK(key_of(values[k - 1]) < key_of(values[k]));
    CHECK_EQUAL(key_of(-0.0), key_of(0.0));
}

TEST(the_shift_is_the_smallest_that_fits) {
    const std::vector<std::uint64_t> keys{0, 1, 2, 3, 8, 9};
    CHECK_EQUAL(shift_for(keys, 6), 0u);
    CHECK_EQUAL(shift_for(keys, 5), 1u);  // {0, 1} {2, 3} {8, 9}
    CHECK_EQUAL(shift_for(keys, 2), 2u);
    CHECK_EQUAL(shift_for(keys, 1), 4u);
    const std::vector<std::uint64_t> ends{0, ~std::uint64_t{0}};
    CHECK_EQUAL(shift_for(ends, 1), 64u);
}

TEST(bins_are_the_definition) {
    for (const bool weighted : {false, true})
        for (const std::size_t limit : {2, 3, 64, 1000}) {
            Random from(6000, 5, 3, static_cast<unsigned>(limit), 0, 0.05);
            for (std::size_t r = 0; r < from.rows; ++r) {
                from.x[r * 5 + 1] = std::floor(from.x[r * 5 + 1]);                       // few values, both signs
                from.x[r * 5 + 2] = std::exp(200 * from.x[r * 5 + 2]);                   // all magnitudes
                from.x[r * 5 + 3] += 1.7e9;                                              // Unix time in seconds
                if (r % 97 == 0) from.x[r * 5 + 4] = (r % 2 ? 1 : -1) / 0.0;             // infinities
            }
            for (const std::size_t threads : {1, 3})
                check_against_definition(from, bins(from.table(), from.labels(weighted), limit, threads, {}), limit, weighted);
        }
}

TEST(bins_do_not_depend_on_the_order_of_rows_or_on_threads) {
    Random from(600000, 1, 2, 5);  // three runs of rows
    const auto one = bins(from.table(), from.labels(false), 256, 1, {});
    const auto many = bins(from.table(), from.labels(false), 256, 7, {});
    std::reverse(from.x.begin(), from.x.end());
    std::reverse(from.codes.begin(), from.codes.end());
    const auto back = bins(from.table(), from.labels(false), 256, 2, {});
    for (const auto& other : {many, back})
        CHECK(other[0].shift == one[0].shift && other[0].keys == one[0].keys && other[0].counts == one[0].counts);
}

TEST(bins_of_nothing_are_empty) {
    const Random none(0, 2, 2, 1);
    const auto got = bins(none.table(), none.labels(false), 16, 2, {});
    CHECK(got.size() == 2 && got[0].keys.empty() && got[0].shift == 0);
}

TEST(moments_and_bins_together_have_the_bits_of_both) {
    struct Shape {
        std::size_t rows, cols, classes;
    };
    for (const auto& [rows, cols, classes] : {Shape{0, 2, 2}, Shape{600000, 1, 2}, Shape{300000, 5, 3}, Shape{9000, 37, 90}, Shape{20000, 40, 4}})
        for (const double missing : {0.0, 0.05})
            for (const bool weighted : {false, true}) {
                const Random from(rows, cols, classes, static_cast<unsigned>(cols), 1e3, missing);
                const Labels labels = from.labels(weighted);
                const MomentTable m = moments(from.table(), labels, 2, {});
                const auto b = bins(from.table(), labels, 64, 2, {});
                const rows::Elsewhere<double> apart(from, Dtype::f64, 0);  // column after column
                for (const Table& table : {from.table(), apart.table}) {
                    const NumericColumns both = moments_and_bins(table, labels, 64, cols % 2 ? 1 : 3, {});
                    CHECK(both.moments.weight == m.weight && both.moments.mean == m.mean);
                    CHECK(both.moments.mean_low == m.mean_low && both.moments.dp == m.dp);
                    for (std::size_t j = 0; j < cols; ++j) {
                        CHECK(both.bins[j].shift == b[j].shift && both.bins[j].keys == b[j].keys);
                        CHECK(both.bins[j].counts == b[j].counts);
                    }
                }
            }
}

TEST(together_they_refuse_what_moments_refuse) {
    Random from(5000, 9, 2, 1);
    from.codes.assign(from.rows, 1);
    from.x[4321 * 9 + 6] = std::numeric_limits<double>::infinity();
    const rows::Elsewhere<double> apart(from, Dtype::f64, 0);
    for (const Table& table : {from.table(), apart.table}) {
        try {
            moments_and_bins(table, from.labels(false), 64, 2, {});
            CHECK(false);
        } catch (const InvalidInput& invalid) {
            CHECK(invalid.kind == InvalidInput::Kind::infinite && invalid.row == 4321 && invalid.column == 6);
        }
    }
}
