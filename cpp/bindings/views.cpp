#include "views.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace suffice::bindings {
namespace {

template <class Array>
Dtype dtype_of(const Array& array, const char* what) {
    const nb::dlpack::dtype type = array.dtype();
    const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
    if (type.lanes == 1) {
        if (code == nb::dlpack::dtype_code::Float && type.bits == 64) return Dtype::f64;
        if (code == nb::dlpack::dtype_code::Float && type.bits == 32) return Dtype::f32;
        if (code == nb::dlpack::dtype_code::Bool && type.bits == 8) return Dtype::boolean;
        if (code == nb::dlpack::dtype_code::Int) switch (type.bits) {
                case 8: return Dtype::i8;
                case 16: return Dtype::i16;
                case 32: return Dtype::i32;
                case 64: return Dtype::i64;
            }
        if (code == nb::dlpack::dtype_code::UInt) switch (type.bits) {
                case 8: return Dtype::u8;
                case 16: return Dtype::u16;
                case 32: return Dtype::u32;
                case 64: return Dtype::u64;
            }
    }
    throw std::invalid_argument(std::string(what) + " must be float64, float32, an integer type or bool");
}

bool is_integer(Dtype type) { return type != Dtype::f64 && type != Dtype::f32; }

Column column_of(const Array1& array, const char* what) {
    const Dtype type = dtype_of(array, what);
    return {static_cast<const std::byte*>(array.data()), type,
            static_cast<std::ptrdiff_t>(array.stride(0)) * static_cast<std::ptrdiff_t>(size_of(type)), nullptr, 0};
}

const std::byte* contiguous(const Array1& array, const char* what) {
    if (array.shape(0) > 1 && array.stride(0) != 1)
        throw std::invalid_argument(std::string(what) + " must be contiguous");
    return static_cast<const std::byte*>(array.data());
}

Dtype index_type(const Array1& array, const char* what) {
    const Dtype type = dtype_of(array, what);
    if (type != Dtype::i32 && type != Dtype::i64)
        throw std::invalid_argument(std::string(what) + " must be int32 or int64");
    return type;
}

}  // namespace

Matrix::Matrix(Array2 x) : array(std::move(x)) {
    const Dtype type = dtype_of(array, "x");
    const auto size = static_cast<std::ptrdiff_t>(size_of(type));
    table = {array.shape(0),
             array.shape(1),
             static_cast<const std::byte*>(array.data()),
             type,
             static_cast<std::ptrdiff_t>(array.stride(0)) * size,
             static_cast<std::ptrdiff_t>(array.stride(1)) * size,
             {}};
}

Columns::Columns(std::vector<Array1> given, std::vector<std::optional<Bytes1>> validity, std::size_t rows)
    : arrays(std::move(given)), bitmaps(std::move(validity)) {
    if (bitmaps.size() != arrays.size())
        throw std::invalid_argument("validity must have one bitmap or None per column");
    for (std::size_t j = 0; j < arrays.size(); ++j) {
        if (arrays[j].shape(0) != rows) throw std::invalid_argument("columns have different lengths");
        columns.push_back(column_of(arrays[j], "a column"));
        if (!bitmaps[j]) continue;
        if (bitmaps[j]->shape(0) < (rows + 7) / 8) throw std::invalid_argument("a validity bitmap is too short");
        columns[j].validity = bitmaps[j]->data();
    }
    table.rows = rows;
    table.cols = columns.size();
    table.columns = columns;
}

Sparse::Sparse(Array1 starts_, Array1 indices_, Array1 values_, std::size_t cols)
    : starts(std::move(starts_)), indices(std::move(indices_)), values(std::move(values_)) {
    if (starts.shape(0) == 0) throw std::invalid_argument("indptr must have one entry more than there are rows");
    if (indices.shape(0) != values.shape(0)) throw std::invalid_argument("indices and data have different lengths");
    csr = {starts.shape(0) - 1,
           cols,
           values.shape(0),
           contiguous(starts, "indptr"),
           contiguous(indices, "indices"),
           contiguous(values, "data"),
           index_type(starts, "indptr"),
           index_type(indices, "indices"),
           dtype_of(values, "data")};
}

RowLabels::RowLabels(Array1 codes_, std::size_t classes, std::optional<Array1> weights_)
    : codes(std::move(codes_)), weights(std::move(weights_)) {
    if (classes > INT32_MAX) throw std::invalid_argument("classes must be at most 2147483647");
    labels.codes = column_of(codes, "codes");
    if (!is_integer(labels.codes.dtype)) throw std::invalid_argument("codes must be integers");
    labels.classes = classes;
    labels.weighted = weights.has_value();
    if (!weights) return;
    if (weights->shape(0) != codes.shape(0)) throw std::invalid_argument("weights and codes have different lengths");
    labels.weights = column_of(*weights, "weights");
}

}  // namespace suffice::bindings
