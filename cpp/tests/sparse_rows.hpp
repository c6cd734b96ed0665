// A random sparse matrix in any order, with duplicates, explicit zeros and stored NaN; and the same matrix, dense.
#pragma once

#include "random_rows.hpp"

namespace rows {

struct SparsePair {
    std::vector<std::int32_t> starts{0}, indices;
    std::vector<double> values;
    Random dense;

    SparsePair(std::size_t n, std::size_t d, std::size_t c, unsigned seed, double missing)
        : dense(n, d, c, seed, 0, 0, true) {
        std::mt19937_64 random(seed + 1);
        std::fill(dense.x.begin(), dense.x.end(), 0.0);
        for (std::size_t r = 0; r < n; ++r) {
            for (std::size_t k = 0; k < 12; ++k) {
                const auto column = random() % d;
                double value = static_cast<double>(random() % 5);
                if (missing > 0 && static_cast<double>(random() % 1000) < 1000 * missing)
                    value = std::numeric_limits<double>::quiet_NaN();
                indices.push_back(static_cast<std::int32_t>(column));
                values.push_back(value);
                dense.x[r * d + column] += value;
            }
            starts.push_back(static_cast<std::int32_t>(indices.size()));
        }
    }
    suffice::Csr csr() const {
        return {dense.rows,
                dense.cols,
                values.size(),
                reinterpret_cast<const std::byte*>(starts.data()),
                reinterpret_cast<const std::byte*>(indices.data()),
                reinterpret_cast<const std::byte*>(values.data()),
                Dtype::i32,
                Dtype::i32,
                Dtype::f64};
    }
};

}  // namespace rows
