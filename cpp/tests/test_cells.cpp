#include <random>

#include "check.hpp"
#include "suffice/cells.hpp"
#include "suffice/kernels.hpp"

using namespace suffice;

namespace {

struct Drawn {
    std::size_t bins, classes;
    std::vector<double> values;
    ClassCounts counts() const { return {values.data(), bins, classes}; }
};

// Rows in bins whose class depends on the bin as much as `signal` says; `unit` is the weight of a row.
Drawn drawn(std::size_t bins, std::size_t classes, std::size_t rows, double signal, unsigned seed, double unit = 1) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    Drawn out{bins, classes, std::vector<double>(bins * classes)};
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t b = random() % bins;
        const std::size_t own = b * classes / bins;
        out.values[b * classes + (uniform(random) < signal ? own : random() % classes)] += unit;
    }
    return out;
}

double least_interval_cost(const ClassCounts& counts) {
    double best = INFINITY;
    for (std::size_t cuts = 0; cuts < std::size_t{1} << (counts.bins - 1); ++cuts) {
        std::vector<std::int64_t> starts{0};
        for (std::size_t b = 1; b < counts.bins; ++b)
            if (cuts >> (b - 1) & 1) starts.push_back(static_cast<std::int64_t>(b));
        best = std::min(best, interval_cost(counts, starts));
    }
    return best;
}

double least_group_cost(const ClassCounts& counts) {
    double best = INFINITY;
    std::vector<std::int64_t> groups(counts.bins, 0);
    while (true) {  // restricted growth strings: every partition once
        best = std::min(best, group_cost(counts, groups));
        std::size_t k = counts.bins;
        while (k-- > 1) {
            std::int64_t most = 0;
            for (std::size_t i = 0; i < k; ++i) most = std::max(most, groups[i]);
            if (groups[k] <= most) {
                ++groups[k];
                std::fill(groups.begin() + static_cast<std::ptrdiff_t>(k) + 1, groups.end(), 0);
                break;
            }
        }
        if (k == 0 || k > counts.bins) return best;
    }
}

}  // namespace

TEST(intervals_against_every_set_of_cuts) {
    int optimal = 0, cases = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        const Drawn from = drawn(2 + seed % 10, 2 + seed % 3, 40 + 5 * seed, 0.2 + 0.01 * seed, seed, seed % 2 ? 1 : 0.37);
        const auto starts = choose_intervals(from.counts());
        const double got = interval_cost(from.counts(), starts), least = least_interval_cost(from.counts());
        CHECK(starts.front() == 0 && got >= least - 1e-9);
        optimal += got <= least + 1e-9;
        ++cases;
    }
    CHECK(optimal >= cases * 95 / 100);
}

TEST(groups_against_every_partition) {
    int optimal = 0, cases = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        const Drawn from = drawn(2 + seed % 6, 2 + seed % 3, 60 + 8 * seed, 0.1 + 0.02 * seed, seed, seed % 2 ? 1 : 0.37);
        const auto groups = choose_groups(from.counts());
        const double got = group_cost(from.counts(), groups), least = least_group_cost(from.counts());
        CHECK(groups.front() == 0 && got >= least - 1e-9);
        optimal += got <= least + 1e-9;
        ++cases;
    }
    CHECK(optimal >= cases * 95 / 100);
}

TEST(one_cell_without_classes_or_rows) {
    const std::vector<double> none, zero(8, 0.0), one{1, 2, 3};
    CHECK(choose_intervals({none.data(), 0, 3}).empty() && choose_groups({none.data(), 0, 3}).empty());
    CHECK(choose_intervals({zero.data(), 4, 2}) == std::vector<std::int64_t>{0});
    CHECK(choose_groups({zero.data(), 4, 2}) == std::vector<std::int64_t>(4, 0));
    CHECK(choose_intervals({one.data(), 3, 1}) == std::vector<std::int64_t>{0});
    CHECK(choose_intervals({none.data(), 3, 0}) == std::vector<std::int64_t>{0});
    const std::vector<double> large(40, 1e300);
    CHECK(choose_intervals({large.data(), 20, 2}).size() >= 1 && choose_groups({large.data(), 20, 2}).size() == 20);
}

TEST(cells_are_the_same_on_every_instruction_set_and_number_of_threads) {
    Drawn from = drawn(3000, 5, 40000, 0.3, 3, 0.7);
    const std::vector<std::int64_t> offsets{0, 700, 700, 1500, 3000};
    const std::string own = kernels().name;
    for (const CellKind kind : {CellKind::intervals, CellKind::groups}) {
        const auto expected = choose_cells(kind, from.counts(), offsets, 1, {});
        CHECK(expected[1].empty() && expected[3].size() > 1);
        for (const char* isa : {"plain", "avx2", "avx512"}) {
            if (!can_run(isa)) continue;
            CHECK(use_kernels(isa));
            for (const std::size_t threads : {1, 3}) CHECK(choose_cells(kind, from.counts(), offsets, threads, {}) == expected);
        }
        CHECK(use_kernels(own.c_str()));
    }
}
