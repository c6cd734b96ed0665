// The kernels that collect statistics. See suffice/kernels.hpp for their contracts.

namespace suffice {
namespace {

constexpr double missing = __builtin_nan("");

// A boolean byte other than 0 and 1 (a view of raw bytes) is true, as in NumPy.
template <class T, bool truth>
double as_double(T value) {
    return truth ? static_cast<double>(value != 0) : static_cast<double>(value);
}

template <class T, bool truth = false>
void load_rows_of(const std::byte* base, ptrdiff_t row_stride, size_t rows, size_t cols, double* __restrict out,
                  size_t out_stride) {
    typedef T __attribute__((aligned(1), may_alias)) Unaligned;
    for (size_t r = 0; r < rows; ++r) {
        const auto* row = reinterpret_cast<const Unaligned*>(base + static_cast<ptrdiff_t>(r) * row_stride);
        double* to = out + r * out_stride;
        for (size_t j = 0; j < cols; ++j) to[j] = as_double<T, truth>(row[j]);
        for (size_t j = cols; j < out_stride; ++j) to[j] = 0;
    }
}

template <class T, bool truth = false>
void load_column_of(const std::byte* base, ptrdiff_t stride, size_t rows, double* __restrict out, size_t out_stride) {
    typedef T __attribute__((aligned(1), may_alias)) Unaligned;
    for (size_t r = 0; r < rows; ++r)
        out[r * out_stride] =
            as_double<T, truth>(*reinterpret_cast<const Unaligned*>(base + static_cast<ptrdiff_t>(r) * stride));
}

#define SUFFICE_FOR_DTYPE(type, CALL)                          \
    switch (type) {                                            \
        case Dtype::f64: CALL(double); break;                  \
        case Dtype::f32: CALL(float); break;                   \
        case Dtype::i8: CALL(signed char); break;              \
        case Dtype::i16: CALL(short); break;                   \
        case Dtype::i32: CALL(int); break;                     \
        case Dtype::i64: CALL(long long); break;               \
        case Dtype::u8: CALL(unsigned char); break;            \
        case Dtype::u16: CALL(unsigned short); break;          \
        case Dtype::u32: CALL(unsigned int); break;            \
        case Dtype::u64: CALL(unsigned long long); break;      \
        case Dtype::boolean: CALL(unsigned char, true); break; \
    }

#define SUFFICE_FOR_INTEGER(type, CALL)                                       \
    switch (type) {                                                           \
        case Dtype::i8: CALL(signed char); break;                             \
        case Dtype::i16: CALL(short); break;                                  \
        case Dtype::i32: CALL(int); break;                                    \
        case Dtype::i64: CALL(long long); break;                              \
        case Dtype::u16: CALL(unsigned short); break;                         \
        case Dtype::u32: CALL(unsigned int); break;                           \
        case Dtype::u64: CALL(unsigned long long); break;                     \
        case Dtype::boolean: CALL(unsigned char, true); break;                \
        default: CALL(unsigned char); break; /* the bindings reject floats */ \
    }

void load_rows(const std::byte* base, Dtype type, ptrdiff_t row_stride, size_t rows, size_t cols, double* out,
               size_t out_stride) {
#define SUFFICE_CALL(...) load_rows_of<__VA_ARGS__>(base, row_stride, rows, cols, out, out_stride)
    SUFFICE_FOR_DTYPE(type, SUFFICE_CALL)
#undef SUFFICE_CALL
}

void load_column(const Column* column, size_t first_row, size_t rows, double* out, size_t out_stride) {
    const std::byte* base = column->data + static_cast<ptrdiff_t>(first_row) * column->stride;
#define SUFFICE_CALL(...) load_column_of<__VA_ARGS__>(base, column->stride, rows, out, out_stride)
    SUFFICE_FOR_DTYPE(column->dtype, SUFFICE_CALL)
#undef SUFFICE_CALL
    if (column->validity == nullptr) return;
    for (size_t r = 0; r < rows; ++r) {
        const size_t bit = column->validity_offset + first_row + r;
        if (!(column->validity[bit / 8] >> (bit % 8) & 1)) out[r * out_stride] = missing;
    }
}

// Calls row(class, weight, x) for each row of the tile that is not excluded. Every field is read once in advance,
// because the compiler would have to assume that a store to an accumulator changes it.
template <bool weighted, class Row>
inline __attribute__((always_inline)) void each_row(const Tile& tile, Row&& row) {
    const double* x = tile.x;
    const size_t stride = tile.stride, rows = tile.rows;
    const std::int32_t* codes = tile.codes;
    const double* weights = tile.weights;
    for (size_t r = 0; r < rows; ++r, x += stride)
        if (codes[r] >= 0) row(static_cast<size_t>(codes[r]), weighted ? weights[r] : 1.0, x);
}

// Columns that cannot be read in place are converted a few rows at a time, into a buffer that stays in the cache.
void load_eight_columns(const Column* columns, size_t number, size_t first_row, size_t rows, double* out,
                        size_t out_stride) {
    if (number <= 2) {
        for (size_t j = 0; j < number; ++j) load_column(columns + j, first_row, rows, out + j, out_stride);
        return;
    }
    constexpr size_t most = 128;
    double buffer[lanes][most];
    bool plain[lanes] = {};
    for (size_t j = 0; j < lanes; ++j) {
        plain[j] = j < number && columns[j].dtype == Dtype::f64 && columns[j].stride == 8 &&
                   columns[j].validity == nullptr &&
                   reinterpret_cast<std::uintptr_t>(columns[j].data) % alignof(double) == 0;
        for (size_t r = 0; j >= number && r < most; ++r) buffer[j][r] = 0;
    }
    for (size_t done = 0; done < rows; done += most) {
        const size_t count = rows - done < most ? rows - done : most;
        const double* starts[lanes];
        for (size_t j = 0; j < lanes; ++j) {
            starts[j] = plain[j] ? reinterpret_cast<const double*>(columns[j].data) + first_row + done : buffer[j];
            if (j < number && !plain[j]) load_column(columns + j, first_row + done, count, buffer[j], 1);
        }
        turn_rows(starts, count, out + done * out_stride, out_stride);
    }
}

// −1 → 0, k → k + 1, and a number greater than every level for invalid codes.
template <class T, bool truth>
inline __attribute__((always_inline)) std::uint64_t slot_of(T code) {
    if (truth) return 1 + (code != 0);
    if (static_cast<T>(-1) < static_cast<T>(0)) return static_cast<std::uint64_t>(static_cast<long long>(code)) + 1;
    const auto k = static_cast<std::uint64_t>(code);
    return k + (k < static_cast<std::uint64_t>(-1));
}

template <class T, bool truth = false>
bool row_slots_of(const std::byte* base, ptrdiff_t row_stride, size_t rows, size_t cols,
                  const std::uint32_t* __restrict first, const std::uint64_t* __restrict levels,
                  std::uint32_t* __restrict out) {
    typedef T __attribute__((aligned(1), may_alias)) Unaligned;
    std::uint64_t beyond = 0;
    for (size_t r = 0; r < rows; ++r, out += cols) {
        const auto* codes = reinterpret_cast<const Unaligned*>(base + static_cast<ptrdiff_t>(r) * row_stride);
        for (size_t j = 0; j < cols; ++j) {
            const std::uint64_t k = slot_of<T, truth>(codes[j]);
            const bool outside = k > levels[j];
            beyond |= outside;
            out[j] = outside ? no_slot : first[j] + static_cast<std::uint32_t>(k);
        }
    }
    return beyond != 0;
}

bool row_slots(const std::byte* base, Dtype type, ptrdiff_t row_stride, size_t rows, size_t cols,
               const std::uint32_t* first, const std::uint64_t* levels, std::uint32_t* out) {
#define SUFFICE_CALL(...) return row_slots_of<__VA_ARGS__>(base, row_stride, rows, cols, first, levels, out)
    SUFFICE_FOR_INTEGER(type, SUFFICE_CALL)
#undef SUFFICE_CALL
}

template <class T, bool truth = false>
inline __attribute__((always_inline)) bool strided_slots_of(const std::byte* base, ptrdiff_t stride, size_t rows,
                                                            std::uint32_t first, std::uint64_t levels,
                                                            std::uint32_t* __restrict out) {
    typedef T __attribute__((aligned(1), may_alias)) Unaligned;
    std::uint64_t beyond = 0;
    for (size_t r = 0; r < rows; ++r) {
        const std::uint64_t k =
            slot_of<T, truth>(*reinterpret_cast<const Unaligned*>(base + static_cast<ptrdiff_t>(r) * stride));
        const bool outside = k > levels;
        beyond |= outside;
        out[r] = outside ? no_slot : first + static_cast<std::uint32_t>(k);
    }
    return beyond != 0;
}

template <class T, bool truth = false>
bool column_slots_of(const std::byte* base, ptrdiff_t stride, size_t rows, std::uint32_t first, std::uint64_t levels,
                     std::uint32_t* out) {
    constexpr auto side_by_side = static_cast<ptrdiff_t>(sizeof(T));  // a constant, which lets the compiler vectorise
    return stride == side_by_side ? strided_slots_of<T, truth>(base, side_by_side, rows, first, levels, out)
                                  : strided_slots_of<T, truth>(base, stride, rows, first, levels, out);
}

bool column_slots(const std::byte* base, Dtype type, ptrdiff_t stride, size_t rows, std::uint32_t first,
                  std::uint64_t levels, std::uint32_t* out) {
#define SUFFICE_CALL(...) return column_slots_of<__VA_ARGS__>(base, stride, rows, first, levels, out)
    SUFFICE_FOR_INTEGER(type, SUFFICE_CALL)
#undef SUFFICE_CALL
}

// If `many`, the sums are farther away than the rows and are prefetched.
template <bool weighted, bool many>
void moments_clean_of(const Tile& tile, const MomentSums& sums) {
    const size_t width = tile.width, ahead = 16 * tile.stride;
    double *const pivots = sums.pivot, *const first = sums.s1, *const second = sums.s2;
    std::uint8_t* const started = sums.started;
    each_row<weighted>(tile, [=](size_t c, double w, const double* x) __attribute__((always_inline)) {
        double *pivot = pivots + c * width, *s1 = first + c * width, *s2 = second + c * width;
        if (!started[c]) {
            started[c] = 1;
            for (size_t j = 0; j < width; j += lanes) {
                store(pivot + j, load(x + j));
                store(s1 + j, Lane8{});
                store(s2 + j, Lane8{});
            }
        }
        for (size_t j = 0; j < width; j += lanes) {
            if (many) __builtin_prefetch(x + ahead + j);
            const Lane8 d = load(x + j) - load(pivot + j);
            const Lane8 wd = weighted ? w * d : d;
            store(s1 + j, load(s1 + j) + wd);
            store(s2 + j, load(s2 + j) + wd * d);
        }
    });
}

void moments_clean(const Tile* tile, const MomentSums* sums) {
    if (sums->many) {
        tile->weights ? moments_clean_of<true, true>(*tile, *sums) : moments_clean_of<false, true>(*tile, *sums);
    } else {
        tile->weights ? moments_clean_of<true, false>(*tile, *sums) : moments_clean_of<false, false>(*tile, *sums);
    }
}

// Eight cells as a masked kernel uses them: the values, with 0 for missing cells, and the weight of the others.
struct Cells {
    Lane8 value, weight;
    Mask8 infinite;
};

inline __attribute__((always_inline)) Cells cells(const double* x, double w) {
    const Lane8 raw = load(x), zero = {};
    const Mask8 observed = raw == raw;
    const Lane8 value = observed ? raw : zero;
    return {value, observed ? w + zero : zero, value - value != zero};
}

template <bool weighted>
bool moments_masked_of(const Tile& tile, const MomentSums& sums) {
    const size_t width = tile.width;
    double *const pivots = sums.pivot, *const first = sums.s1, *const second = sums.s2,
                  *const weights = sums.cell_weight;
    std::uint8_t* const started = sums.started;
    Mask8 infinite = {};
    each_row<weighted>(tile, [=, &infinite](size_t c, double w, const double* x) __attribute__((always_inline)) {
        double *pivot = pivots + c * width, *s1 = first + c * width, *s2 = second + c * width, *n = weights + c * width;
        if (!started[c]) {
            started[c] = 1;
            for (size_t j = 0; j < width; j += lanes)
                for (double* sum : {pivot, s1, s2, n}) store(sum + j, Lane8{});
        }
        for (size_t j = 0; j < width; j += lanes) {
            const Cells cell = cells(x + j, w);
            const Lane8 before = load(n + j), zero = {};
            const Lane8 p = before == zero ? cell.value : load(pivot + j);
            const Lane8 d = cell.weight == zero ? zero : cell.value - p;
            const Lane8 wd = weighted ? w * d : d;
            infinite |= cell.infinite;
            store(pivot + j, p);
            store(n + j, before + cell.weight);
            store(s1 + j, load(s1 + j) + wd);
            store(s2 + j, load(s2 + j) + wd * d);
        }
    });
    return any(infinite);
}

bool moments_masked(const Tile* tile, const MomentSums* sums) {
    return tile->weights ? moments_masked_of<true>(*tile, *sums) : moments_masked_of<false>(*tile, *sums);
}

template <bool weighted>
void sums_clean_of(const Tile& tile, double* values, double* least) {
    const size_t width = tile.width;
    each_row<weighted>(tile, [=](size_t c, double w, const double* x) __attribute__((always_inline)) {
        double* sum = values + c * width;
        for (size_t j = 0; j < width; j += lanes) {
            const Lane8 value = load(x + j), low = load(least + j);
            store(sum + j, load(sum + j) + (weighted ? w * value : value));
            store(least + j, value < low ? value : low);
        }
    });
}

void sums_clean(const Tile* tile, double* values, double* least) {
    tile->weights ? sums_clean_of<true>(*tile, values, least) : sums_clean_of<false>(*tile, values, least);
}

template <bool weighted>
bool sums_masked_of(const Tile& tile, double* values, double* cell_weight, double* least) {
    const size_t width = tile.width;
    Mask8 infinite = {};
    each_row<weighted>(tile, [=, &infinite](size_t c, double w, const double* x) __attribute__((always_inline)) {
        double *sum = values + c * width, *n = cell_weight + c * width;
        for (size_t j = 0; j < width; j += lanes) {
            const Cells cell = cells(x + j, w);
            const Lane8 low = load(least + j);
            infinite |= cell.infinite;
            store(n + j, load(n + j) + cell.weight);
            store(sum + j, load(sum + j) + (weighted ? w * cell.value : cell.value));
            store(least + j, cell.value < low ? cell.value : low);
        }
    });
    return any(infinite);
}

bool sums_masked(const Tile* tile, double* values, double* cell_weight, double* least) {
    return tile->weights ? sums_masked_of<true>(*tile, values, cell_weight, least)
                         : sums_masked_of<false>(*tile, values, cell_weight, least);
}

template <bool weighted>
void presence_clean_of(const Tile& tile, double threshold, double* values, double* flaw) {
    const size_t width = tile.width;
    each_row<weighted>(tile, [=](size_t c, double w, const double* x) __attribute__((always_inline)) {
        double* count = values + c * width;
        const Lane8 zero = {}, weight = w + zero, limit = threshold + zero;
        for (size_t j = 0; j < width; j += lanes) {
            const Lane8 value = load(x + j);
            store(count + j, load(count + j) + (value > limit ? weight : zero));
            store(flaw + j, load(flaw + j) + (value - value));
        }
    });
}

void presence_clean(const Tile* tile, double threshold, double* values, double* flaw) {
    tile->weights ? presence_clean_of<true>(*tile, threshold, values, flaw)
                  : presence_clean_of<false>(*tile, threshold, values, flaw);
}

template <bool weighted>
bool presence_masked_of(const Tile& tile, double threshold, double* values, double* cell_weight) {
    const size_t width = tile.width;
    Mask8 infinite = {};
    each_row<weighted>(tile, [=, &infinite](size_t c, double w, const double* x) __attribute__((always_inline)) {
        double *count = values + c * width, *n = cell_weight + c * width;
        const Lane8 zero = {}, limit = threshold + zero;
        for (size_t j = 0; j < width; j += lanes) {
            const Cells cell = cells(x + j, w);
            infinite |= cell.infinite;
            store(n + j, load(n + j) + cell.weight);
            store(count + j, load(count + j) + (cell.value > limit ? cell.weight : zero));
        }
    });
    return any(infinite);
}

bool presence_masked(const Tile* tile, double threshold, double* values, double* cell_weight) {
    return tile->weights ? presence_masked_of<true>(*tile, threshold, values, cell_weight)
                         : presence_masked_of<false>(*tile, threshold, values, cell_weight);
}

// A tile of 4 rows i of the product by `columns` × 8 columns j stays in registers over all rows r of the data.
template <size_t columns>
inline __attribute__((always_inline)) void outer_tile(const double* left, const double* right, size_t rows,
                                                      size_t width, size_t i, size_t j, double* products) {
    Lane8 sum[4][columns];
    for (size_t a = 0; a < 4; ++a)
        for (size_t b = 0; b < columns; ++b) sum[a][b] = load(products + (i + a) * width + j + b * lanes);
    for (size_t r = 0; r < rows; ++r) {
        const double* l = left + r * width + i;
        const double* x = right + r * width + j;
        for (size_t b = 0; b < columns; ++b) {
            const Lane8 value = load(x + b * lanes);
            for (size_t a = 0; a < 4; ++a) sum[a][b] += l[a] * value;
        }
    }
    for (size_t a = 0; a < 4; ++a)
        for (size_t b = 0; b < columns; ++b) store(products + (i + a) * width + j + b * lanes, sum[a][b]);
}

void outer_products(const double* left, const double* right, size_t rows, size_t width, double* products) {
    for (size_t i = 0; i < width; i += 4) {
        size_t j = i / lanes * lanes;
        for (; j + 4 * lanes <= width; j += 4 * lanes) outer_tile<4>(left, right, rows, width, i, j, products);
        for (; j + lanes <= width; j += lanes) outer_tile<1>(left, right, rows, width, i, j, products);
    }
}

double sum(const double* x, size_t count) {
    constexpr size_t ways = 8 * lanes;
    double part[ways] = {};
    size_t k = 0;
    for (; k + ways <= count; k += ways)
        for (size_t j = 0; j < ways; ++j) part[j] += x[k + j];
    double total = 0;
    for (; k < count; ++k) total += x[k];
    for (size_t j = 0; j < ways; ++j) total += part[j];
    return total;
}

}  // namespace
}  // namespace suffice
