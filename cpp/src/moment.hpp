// One (weight, mean, dp) and how two of them merge. See suffice/moments.hpp for the formulas.
#pragma once

#include <cmath>

#include "suffice/moments.hpp"

namespace suffice {

struct Moment {
    double weight = 0, mean = 0, mean_low = 0, dp = 0;

    // From the sums of a block about its pivot.
    static Moment about(double pivot, double weight, double s1, double s2) {
        if (weight == 0) return {};
        const double offset = s1 / weight;
        const double rest = std::fma(-offset, weight, s1) / weight;
        Moment m{weight, pivot + offset, 0, std::fmax(0.0, std::fma(-s1, offset, s2))};
        const double back = m.mean - pivot;  // TwoSum (Knuth)
        m.mean_low = (pivot - (m.mean - back)) + (offset - back) + rest;
        return m;
    }

    void merge(const Moment& b) {
        if (b.weight == 0) return;
        if (weight == 0) {
            *this = b;
            return;
        }
        const double n = weight + b.weight;
        const double share = b.weight / n;
        const double delta = difference(b.mean, b.mean_low, mean, mean_low);
        const double step = delta * share;
        const double sum = mean + step;
        const double back = sum - mean;
        const double low = mean_low + ((mean - (sum - back)) + (step - back));
        mean = sum + low;
        mean_low = low - (mean - sum);
        dp = dp + b.dp + delta * delta * weight * share;
        weight = n;
    }

    // (a + a_low) − (b + b_low), where a − b itself is exact for nearly equal numbers and a few ulps off otherwise.
    static double difference(double a, double a_low, double b, double b_low) {
        const double d = a - b;
        const double back = d - a;
        return d + (((a - (d - back)) - (b + back)) + (a_low - b_low));
    }
};

inline Moment cell_of(const MomentTable& table, std::size_t cell) {
    return {table.weight[cell], table.mean[cell], table.mean_low[cell], table.dp[cell]};
}

inline void add(MomentTable& table, std::size_t cell, const Moment& b) {
    Moment m = cell_of(table, cell);
    m.merge(b);
    table.weight[cell] = m.weight;
    table.mean[cell] = m.mean;
    table.mean_low[cell] = m.mean_low;
    table.dp[cell] = m.dp;
}

}  // namespace suffice
