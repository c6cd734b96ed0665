// A mergeable histogram at the finest common resolution with at most `limit` non-empty bins.
//
// A float's 64 bits are mapped to a key that preserves the order (negative: flip all bits; otherwise: set the sign
// bit). A bin is a key without its lowest `shift` bits. A column uses the smallest shift that leaves at most `limit`
// non-empty bins over all classes. Each extra bit of shift at most halves the number of bins, so more than limit/2 bins
// are in use as soon as the data has that many distinct values, whatever their unit or spread. shift(A) ≤ shift(A ∪ B),
// so coarsening while the data arrives ends at the shift of the whole: the result depends on the data only, not on its
// order or partition. ±inf have bins of their own, −0 is 0, NaN is missing.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "suffice/moments.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

constexpr std::uint64_t key_of(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);  // −0 + 0 = 0
    return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

// One column: bin ids in increasing order, counts bins × classes, and the weights at −inf and +inf.
struct ColumnBins {
    unsigned shift = 0;
    std::vector<std::uint64_t> keys;
    std::vector<double> counts;
    std::vector<double> below, above;
};

// The smallest shift at which these sorted, distinct keys fall into at most `limit` bins.
unsigned shift_for(std::span<const std::uint64_t> sorted_keys, std::size_t limit);

std::vector<ColumnBins> bins(const Table& x, const Labels& labels, std::size_t limit, std::size_t threads,
                             const Interrupt& interrupt);

// Moments and bins of the same columns. Separate columns are read once: a block of rows is added to both while it is in
// cache. The results are bit-identical to those of `moments` and `bins`.
struct NumericColumns {
    MomentTable moments;
    std::vector<ColumnBins> bins;
};

NumericColumns moments_and_bins(const Table& x, const Labels& labels, std::size_t limit, std::size_t threads,
                                const Interrupt& interrupt);

}  // namespace suffice
