// Random rows for the tests, in any dtype and layout, and the plain values that they represent.
#pragma once

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "suffice/rows.hpp"

namespace rows {

using suffice::Column;
using suffice::Dtype;
using suffice::Labels;
using suffice::Table;

struct Random {
    std::size_t rows, cols, classes;
    std::vector<double> x;  // row-major, NaN where missing
    std::vector<std::int64_t> codes;
    std::vector<double> w;

    Random(std::size_t n, std::size_t d, std::size_t c, unsigned seed, double mean = 0, double missing = 0,
           bool whole = false)
        : rows(n), cols(d), classes(c) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal(mean, 1.0);
        std::uniform_real_distribution<double> uniform(0, 1);
        for (std::size_t k = 0; k < n * d; ++k) {
            const double value = whole ? std::floor(uniform(random) * 100) : normal(random);
            x.push_back(uniform(random) < missing ? std::numeric_limits<double>::quiet_NaN() : value);
        }
        for (std::size_t r = 0; r < n; ++r) {
            codes.push_back(static_cast<std::int64_t>(random() % (c + 1)) - 1);   // some rows are excluded
            w.push_back(std::floor(uniform(random) * 4) * (whole ? 1.0 : 0.37));  // some weights are 0
        }
    }
    Labels labels(bool weighted) const {
        Labels l;
        l.codes = {reinterpret_cast<const std::byte*>(codes.data()), Dtype::i64, 8};
        l.classes = classes;
        l.weighted = weighted;
        if (weighted) l.weights = {reinterpret_cast<const std::byte*>(w.data()), Dtype::f64, 8};
        return l;
    }
    double weight(std::size_t r, bool weighted) const { return codes[r] < 0 ? 0.0 : weighted ? w[r] : 1.0; }
    Table table() const {
        return {
            rows, cols, reinterpret_cast<const std::byte*>(x.data()), Dtype::f64, static_cast<std::ptrdiff_t>(cols * 8),
            8,    {}};
    }
};

// The same values in another dtype, in F order, with a gap after each column and, by default, an odd byte before all of
// them.
template <class T>
struct Elsewhere {
    std::vector<std::byte> bytes;
    Table table;

    Elsewhere(const Random& from, Dtype type, std::size_t offset = 1) {
        const std::size_t gap = 3, stride = (from.rows + gap) * sizeof(T);
        bytes.resize(offset + stride * from.cols);
        for (std::size_t r = 0; r < from.rows; ++r)
            for (std::size_t j = 0; j < from.cols; ++j) {
                const T value = static_cast<T>(from.x[r * from.cols + j]);
                std::memcpy(bytes.data() + offset + j * stride + r * sizeof(T), &value, sizeof(T));
            }
        table = {from.rows, from.cols, bytes.data() + offset, type, sizeof(T), static_cast<std::ptrdiff_t>(stride), {}};
    }
};

}  // namespace rows
