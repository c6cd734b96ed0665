// Python arrays as views of the core. The objects keep the arrays alive; nothing is copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>
#include <vector>

#include "suffice/rows.hpp"

namespace suffice::bindings {

namespace nb = nanobind;

using Array1 = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using Array2 = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Bytes1 = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

struct Matrix {
    explicit Matrix(Array2 x);
    Array2 array;
    Table table;
};

struct Columns {
    Columns(std::vector<Array1> columns, std::vector<std::optional<Bytes1>> validity, std::size_t rows);
    std::vector<Array1> arrays;
    std::vector<std::optional<Bytes1>> bitmaps;
    std::vector<Column> columns;
    Table table;
};

struct Sparse {
    Sparse(Array1 starts, Array1 indices, Array1 values, std::size_t cols);
    Array1 starts, indices, values;
    Csr csr;
};

struct RowLabels {
    RowLabels(Array1 codes, std::size_t classes, std::optional<Array1> weights);
    Array1 codes;
    std::optional<Array1> weights;
    Labels labels;
};

}  // namespace suffice::bindings
