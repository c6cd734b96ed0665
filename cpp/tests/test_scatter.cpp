#include "check.hpp"
#include "random_rows.hpp"
#include "suffice/kernels.hpp"
#include "suffice/scatter.hpp"

using namespace suffice;
using rows::Random;

namespace {

void check_against_definition(const Random& from, const ScatterTable& got, bool weighted) {
    const std::size_t d = from.cols;
    for (std::size_t c = 0; c < from.classes; ++c) {
        std::vector<long double> mean(d), s(d * d);
        long double n = 0, left_out = 0;
        const auto whole = [&](std::size_t r) {
            for (std::size_t j = 0; j < d; ++j)
                if (std::isnan(from.x[r * d + j])) return false;
            return true;
        };
        for (std::size_t r = 0; r < from.rows; ++r) {
            const double w = from.weight(r, weighted);
            if (from.codes[r] != static_cast<std::int64_t>(c) || w == 0) continue;
            if (!whole(r)) {
                left_out += w;
                continue;
            }
            n += w;
            for (std::size_t j = 0; j < d; ++j) mean[j] += w * static_cast<long double>(from.x[r * d + j]);
        }
        for (auto& m : mean) m = n > 0 ? m / n : 0;
        for (std::size_t r = 0; r < from.rows; ++r)
            if (const double w = from.weight(r, weighted);
                from.codes[r] == static_cast<std::int64_t>(c) && w > 0 && whole(r))
                for (std::size_t i = 0; i < d; ++i)
                    for (std::size_t j = 0; j < d; ++j)
                        s[i * d + j] += w * (from.x[r * d + i] - mean[i]) * (from.x[r * d + j] - mean[j]);
        CHECK_CLOSE(got.weight[c], static_cast<double>(n), 1e-13);
        CHECK_CLOSE(got.left_out[c], static_cast<double>(left_out), 1e-13);
        for (std::size_t i = 0; i < d; ++i) {
            CHECK(std::fabs(got.mean[c * d + i] - mean[i]) <=
                  1e-13L * (std::fabs(mean[i]) + std::sqrt(s[i * d + i] / n)));
            for (std::size_t j = 0; j < d; ++j) {
                // An off-diagonal entry may vanish, so its error is relative to the product of the two deviations.
                const double scale = static_cast<double>(std::sqrt(s[i * d + i] * s[j * d + j]));
                CHECK(std::fabs(got.scatter[(c * d + i) * d + j] - static_cast<double>(s[i * d + j])) <= 1e-12 * scale);
                CHECK_EQUAL(got.scatter[(c * d + i) * d + j], got.scatter[(c * d + j) * d + i]);
            }
        }
    }
}

}  // namespace

TEST(scatter_is_the_definition) {
    for (const std::size_t cols : {1, 2, 8, 13, 50})
        for (const bool weighted : {false, true}) {
            const Random from(7000, cols, 3, static_cast<unsigned>(cols), 1e6, cols < 10 ? 0.02 : 0.002);
            check_against_definition(from, scatter(from.table(), from.labels(weighted), 2, {}), weighted);
        }
}

TEST(scatter_has_the_same_bits_on_any_threads_and_instruction_set) {
    const char* const before = kernels().name;
    const Random from(50000, 11, 3, 7, 5, 0.001);
    const ScatterTable one = scatter(from.table(), from.labels(true), 1, {});
    for (const char* isa : {"plain", "avx2", "avx512"}) {
        if (!use_kernels(isa)) continue;
        for (const std::size_t threads : {1, 2, 3, 7}) {
            const ScatterTable other = scatter(from.table(), from.labels(true), threads, {});
            CHECK(other.scatter == one.scatter && other.mean == one.mean && other.mean_low == one.mean_low);
        }
    }
    use_kernels(before);
}

TEST(an_infinity_in_scatter_is_reported_at_its_cell) {
    Random from(5000, 4, 2, 3);
    from.codes[4321] = 0;
    from.x[4321 * 4 + 1] = std::numeric_limits<double>::infinity();
    try {
        scatter(from.table(), from.labels(false), 2, {});
        CHECK(false);
    } catch (const InvalidInput& invalid) {
        CHECK(invalid.kind == InvalidInput::Kind::infinite && invalid.row == 4321 && invalid.column == 1);
    }
}
