// Inputs of the kernels: a matrix or separate columns, the class of each row, the weight of each row.
//
// Views only. Strides are in bytes and may be negative or zero; data may be unaligned. Only small tiles are copied, so
// a strided or integer input needs no extra memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace suffice {

enum class Dtype : std::uint8_t { f64, f32, i8, i16, i32, i64, u8, u16, u32, u64, boolean };

constexpr std::size_t size_of(Dtype type) {
    switch (type) {
        case Dtype::f64:
        case Dtype::i64:
        case Dtype::u64: return 8;
        case Dtype::f32:
        case Dtype::i32:
        case Dtype::u32: return 4;
        case Dtype::i16:
        case Dtype::u16: return 2;
        default: return 1;
    }
}

// One strided vector. `validity` is an Arrow bitmap (bit i of the bitmap, counted from `validity_offset`,
// is 1 where the value is present), or null when every value is.
struct Column {
    const std::byte* data = nullptr;
    Dtype dtype = Dtype::f64;
    std::ptrdiff_t stride = 8;
    const std::uint8_t* validity = nullptr;
    std::size_t validity_offset = 0;
};

// Rows of numbers: a strided matrix, or one Column each when `columns` is not empty.
struct Table {
    std::size_t rows = 0, cols = 0;
    const std::byte* data = nullptr;
    Dtype dtype = Dtype::f64;
    std::ptrdiff_t row_stride = 0, col_stride = 0;
    std::span<const Column> columns = {};

    bool is_matrix() const { return columns.empty(); }
    Column column(std::size_t j) const {
        if (!is_matrix()) return columns[j];
        return {data + static_cast<std::ptrdiff_t>(j) * col_stride, dtype, row_stride, nullptr, 0};
    }
};

// Compressed sparse rows. Index arrays are int32 or int64; duplicates, any order and explicit zeros are allowed.
struct Csr {
    std::size_t rows = 0, cols = 0, stored = 0;
    const std::byte *starts = nullptr, *indices = nullptr, *values = nullptr;
    Dtype starts_type = Dtype::i64, indices_type = Dtype::i32, dtype = Dtype::f64;
};

// The class code (0 … classes−1, or −1 for an excluded row) and the weight of each row. A row of weight 0 is excluded
// too, as if it had never been seen.
struct Labels {
    Column codes;
    std::size_t classes = 0;
    Column weights;
    bool weighted = false;
};

// Why an input cannot be used, and where. Thrown by the core and translated into a Python exception by the bindings.
struct InvalidInput {
    enum class Kind {
        class_out_of_range,
        bad_weight,
        infinite,
        overflow,
        weight_overflow,
        negative,
        level_out_of_range,
        bad_index,
        bad_starts,
        bad_count,
        not_whole,
        undefined
    };
    Kind kind;
    std::size_t row = 0, column = 0;
    double value = 0;
};

}  // namespace suffice
