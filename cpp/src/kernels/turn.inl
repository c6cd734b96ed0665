// Transposes eight rows into columns of eight. See suffice/kernels.hpp for the contract.
//
// Square blocks of cells are transposed in registers of the instruction set. Nothing is computed, so the bits are the
// same. A vector wider than a register would be taken apart cell by cell by the compiler.

namespace suffice {
namespace {

#if defined(__AVX512F__)
typedef Lane8 Part;
typedef double Lane4 __attribute__((vector_size(32), aligned(8), may_alias));

// Four columns of eight rows; the upper halves of the registers hold the last four rows. Non-finite cells set bits in
// `odd`: x − x is +0 for all other numbers.
inline __attribute__((always_inline)) void turn_part(const double* const* rows, size_t j, double* out,
                                                     size_t out_stride, Part& odd) {
    Part x[4];
    for (size_t k = 0; k < 4; ++k) {
        const Lane4 low = *reinterpret_cast<const Lane4*>(rows[k] + j),
                    high = *reinterpret_cast<const Lane4*>(rows[k + 4] + j);
        x[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
        odd = (Part)((Mask8)(odd) | (Mask8)(x[k] - x[k]));
    }
    for (size_t k = 0; k < 4; k += 2) {
        const Part a = x[k], b = x[k + 1];
        x[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        x[k + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (size_t k = 0; k < 2; ++k) {
        store(out + (j + k) * out_stride, __builtin_shufflevector(x[k], x[k + 2], 0, 1, 8, 9, 4, 5, 12, 13));
        store(out + (j + k + 2) * out_stride, __builtin_shufflevector(x[k], x[k + 2], 2, 3, 10, 11, 6, 7, 14, 15));
    }
}
constexpr size_t part_columns = 4;

#elif defined(__AVX__)
typedef double Part __attribute__((vector_size(32), aligned(8), may_alias));
typedef long long PartBits __attribute__((vector_size(32), aligned(8), may_alias));

// Four columns of eight rows, four rows at a time.
inline __attribute__((always_inline)) void turn_part(const double* const* rows, size_t j, double* out,
                                                     size_t out_stride, Part& odd) {
    for (size_t r = 0; r < lanes; r += 4) {
        Part x[4];
        for (size_t k = 0; k < 4; ++k) {
            x[k] = *reinterpret_cast<const Part*>(rows[r + k] + j);
            odd = (Part)((PartBits)(odd) | (PartBits)(x[k] - x[k]));
        }
        for (size_t k = 0; k < 4; k += 2) {
            const Part a = x[k], b = x[k + 1];
            x[k] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
            x[k + 1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        }
        for (size_t k = 0; k < 2; ++k) {
            *reinterpret_cast<Part*>(out + (j + k) * out_stride + r) =
                __builtin_shufflevector(x[k], x[k + 2], 0, 1, 4, 5);
            *reinterpret_cast<Part*>(out + (j + k + 2) * out_stride + r) =
                __builtin_shufflevector(x[k], x[k + 2], 2, 3, 6, 7);
        }
    }
}
constexpr size_t part_columns = 4;

#else
typedef double Part __attribute__((vector_size(16), aligned(8), may_alias));
typedef long long PartBits __attribute__((vector_size(16), aligned(8), may_alias));

// Two columns of eight rows, two rows at a time.
inline __attribute__((always_inline)) void turn_part(const double* const* rows, size_t j, double* out,
                                                     size_t out_stride, Part& odd) {
    for (size_t r = 0; r < lanes; r += 2) {
        const Part a = *reinterpret_cast<const Part*>(rows[r] + j), b = *reinterpret_cast<const Part*>(rows[r + 1] + j);
        odd = (Part)((PartBits)(odd) | (PartBits)(a - a) | (PartBits)(b - b));
        *reinterpret_cast<Part*>(out + j * out_stride + r) = __builtin_shufflevector(a, b, 0, 2);
        *reinterpret_cast<Part*>(out + (j + 1) * out_stride + r) = __builtin_shufflevector(a, b, 1, 3);
    }
}
constexpr size_t part_columns = 2;
#endif

bool turn_rows(const double* const* rows, size_t cols, double* out, size_t out_stride) {
    Part odd = {};
    size_t j = 0;
    for (; j + part_columns <= cols; j += part_columns) turn_part(rows, j, out, out_stride, odd);
    bool finite = true;
    if (j < cols && cols >= part_columns) {
        turn_part(rows, cols - part_columns, out, out_stride, odd);  // some of these columns are written twice
    } else {
        for (; j < cols; ++j)
            for (size_t k = 0; k < lanes; ++k) {
                const double x = rows[k][j];
                out[j * out_stride + k] = x;
                finite &= x - x == 0;
            }
    }
    for (size_t k = 0; k < sizeof(Part) / sizeof(double); ++k) finite &= odd[k] == 0;
    return finite;
}

}  // namespace
}  // namespace suffice
