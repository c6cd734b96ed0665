// The kernels that compute scores. See suffice/kernels.hpp for their contracts.
//
// Real columns, presences and weighted counts are scored with lanes along rows, one register per class; tables of
// levels and counts with lanes along classes. In both cases a sum over columns runs in the order of the columns.

namespace suffice {
namespace {

// 1.5 · 2⁵²: adding it leaves a small integer in the lowest bits of the sum.
constexpr double whole_number = 0x1.8p52;
constexpr double log2_high = 0x1.62e42feep-1, log2_low = 0x1.a39ef35793c76p-33;  // log 2 in two parts (fdlibm)

// e^x for x ≤ 709: x = n log 2 + r, |r| ≤ ½ log 2, and the series of e^r to its 13th power (error below 2⁻⁵⁷).
// The power 2ⁿ is applied as two factors, so that results below 2⁻¹⁰²² are correct and −inf gives 0.
inline __attribute__((always_inline)) Lane8 exp8(Lane8 x) {
    const Lane8 zero = {}, lowest = zero - 1000.0;
    x = x < lowest ? lowest : x;
    const Lane8 shifted = x * 0x1.71547652b82fep0 + whole_number;
    const Lane8 n = shifted - whole_number;
    const Lane8 r = (x - n * log2_high) - n * log2_low;
    Lane8 p = zero + 1.0 / 6227020800.0;
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * (r * r) + (r + 1.0);
    const Mask8 whole = (Mask8)(shifted) - (Mask8)(zero + whole_number);
    const Mask8 half = whole >> 1;
    const Mask8 first = (half + 1023) << 52, second = (whole - half + 1023) << 52;
    return (p * (Lane8)(first)) * (Lane8)(second);
}

// log x for normal x > 0: x = 2ᵏ (1 + f) with 1 + f in [√½, √2), and fdlibm's series in f / (2 + f).
inline __attribute__((always_inline)) Lane8 log8(Lane8 x) {
    const Lane8 zero = {};
    const Mask8 bits = (Mask8)(x);
    const Mask8 k = (bits - 0x3fe6a09e667f3bcdLL) >> 52;
    const Lane8 f = (Lane8)(bits - (k << 52)) - 1.0;
    const Lane8 exponent = (Lane8)(k + (Mask8)(zero + whole_number)) - whole_number;
    const Lane8 s = f / (f + 2.0), z = s * s, w = z * z;
    const Lane8 odd = w * (w * (w * 1.531383769920937332e-01 + 2.222219843214978396e-01) + 3.999999999940941908e-01);
    const Lane8 even =
        z * (w * (w * (w * 1.479819860511658591e-01 + 1.818357216161805012e-01) + 2.857142874366239149e-01) +
             6.666666666666735130e-01);
    const Lane8 half_square = 0.5 * f * f;
    return exponent * log2_high - ((half_square - (s * (half_square + (odd + even)) + exponent * log2_low)) - f);
}

// log(1 + u) for u ≥ −½: corrects for the digits of u lost in 1 + u. Beyond 2⁵³ the correction is zero.
inline __attribute__((always_inline)) Lane8 log1p8(Lane8 u) {
    const Lane8 zero = {}, v = u + 1.0;
    return log8(v) + (u < 0x1p53 ? u - (v - 1.0) : zero) / v;
}

// Calls part.template operator()<n>(c) for runs of at most eight classes.
template <class Part>
inline __attribute__((always_inline)) void each_class_run(size_t classes, Part&& part) {
    for (size_t c = 0; c < classes; c += lanes) switch (classes - c) {
            case 1: part.template operator()<1>(c); break;
            case 2: part.template operator()<2>(c); break;
            case 3: part.template operator()<3>(c); break;
            case 4: part.template operator()<4>(c); break;
            case 5: part.template operator()<5>(c); break;
            case 6: part.template operator()<6>(c); break;
            case 7: part.template operator()<7>(c); break;
            default: part.template operator()<8>(c); break;
        }
}

template <size_t n, bool masked>
void quadratic_run(const RowTile& tile, const QuadraticTable& t, size_t c, double* scores) {
    const size_t rows = tile.rows, columns = t.columns, width = t.width;
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 sum[n];
        for (size_t k = 0; k < n; ++k) sum[k] = Lane8{} + (masked ? 0.0 : t.constant[c + k]);
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 z = (load(tile.x + tile.column[j] * rows + r) - t.centre[j]) * t.scale[j];
            const double *m = t.m + j * width + c, *s = t.s + j * width + c, *constant = t.c + j * width + c;
            for (size_t k = 0; k < n; ++k) {
                const Lane8 d = z - m[k], square = d * d * s[k];
                if (masked) {
                    sum[k] += z == z ? constant[k] - square : Lane8{};
                } else {
                    sum[k] -= square;
                }
            }
        }
        for (size_t k = 0; k < n; ++k) {
            double* to = scores + (c + k) * rows + r;
            store(to, load(to) + sum[k]);
        }
    }
}

void quadratic_terms(const RowTile* tile, const QuadraticTable* table, double* scores) {
    each_class_run(table->classes, [&]<size_t n>(size_t c) {
        tile->missing ? quadratic_run<n, true>(*tile, *table, c, scores)
                      : quadratic_run<n, false>(*tile, *table, c, scores);
    });
}

// (1 + u)(1 + q) − 1. Nothing cancels if u and q have the same sign, so the result keeps their digits however small
// they are. 1 + q alone would lose them, and the log is multiplied by a factor as large as the weight of a class.
inline __attribute__((always_inline)) Lane8 times8(Lane8 u, Lane8 q) { return u + q * (u + 1.0); }

// The mantissa of v, in [1, 2), minus 1.
inline __attribute__((always_inline)) Lane8 fraction8(Lane8 v) {
    return (Lane8)(((Mask8)(v) & 0x000fffffffffffffLL) | 0x3ff0000000000000LL) - 1.0;
}

inline __attribute__((always_inline)) Mask8 exponent8(Lane8 v) { return ((Mask8)(v) >> 52) - 1023; }

// log(2^exponent (1 + u)).
inline __attribute__((always_inline)) Lane8 log_scaled8(Lane8 u, Mask8 exponent) {
    const Lane8 zero = {};
    const Lane8 twos = (Lane8)(exponent + (Mask8)(zero + whole_number)) - whole_number;
    return log1p8(u) + twos * 0x1.62e42fefa39efp-1;
}

// Σ_j log(1 + q_j) of one class, for q of any sign and size: overflow is clamped to the largest number, and a factor
// that rounds to 0 to the smallest. A missing cell contributes a factor of 1.
Lane8 log_any_product(const RowTile& tile, const StudentTable& t, size_t r, size_t c) {
    const Lane8 zero = {}, greatest = eight(__DBL_MAX__), least = eight(__DBL_MIN__);
    Lane8 u = zero;
    Mask8 exponent = {};
    for (size_t j = 0; j < t.columns; ++j) {
        const Lane8 z = (load(tile.x + tile.column[j] * tile.rows + r) - t.centre[j]) * t.scale[j];
        const Lane8 d = z - t.m[j * t.width + c];
        const Lane8 q = z == z ? d * d * t.s[j * t.width + c] : zero;
        Lane8 factor = q + 1.0;
        factor = factor > least ? factor : (factor == factor ? least : greatest);
        factor = factor < greatest ? factor : greatest;
        const Lane8 v = (u + 1.0) * factor;  // 1 + u is between ½ and 2
        const Lane8 whole = v < greatest ? v : greatest;
        const Mask8 in_range = (whole >= 0.5) & (whole < 2.0);
        exponent += in_range ? Mask8{} : exponent8(whole);
        u = in_range ? times8(u, q) : fraction8(whole);
    }
    return log_scaled8(u, exponent);
}

// Σ_j log(1 + q_j) is the log of a product, stored as 2^exponent (1 + u), which neither overflows nor costs a logarithm
// per column. Four columns are multiplied at a time; rows in which a product of four overflows are recomputed one
// column at a time.
template <size_t n, bool masked>
void student_run(const RowTile& tile, const StudentTable& t, size_t c, double* scores) {
    constexpr size_t at_once = 4;
    const size_t rows = tile.rows, columns = t.columns, width = t.width;
    const Lane8 zero = {};
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 u[n], constant[n];
        Mask8 exponent[n];
        for (size_t k = 0; k < n; ++k) {
            u[k] = zero;
            constant[k] = zero + (masked ? 0.0 : t.constant[c + k]);
            exponent[k] = Mask8{};
        }
        const auto add = [&]<size_t columns_at_once>(size_t j) __attribute__((always_inline)) {
            Lane8 z[columns_at_once];
            for (size_t i = 0; i < columns_at_once; ++i)
                z[i] = (load(tile.x + tile.column[j + i] * rows + r) - t.centre[j + i]) * t.scale[j + i];
            const double *m = t.m + j * width + c, *s = t.s + j * width + c, *own = t.c + j * width + c;
            for (size_t k = 0; k < n; ++k) {
                Lane8 q[columns_at_once];
                for (size_t i = 0; i < columns_at_once; ++i) {
                    const Lane8 d = z[i] - m[i * width + k];
                    q[i] = d * d * s[i * width + k];
                    if (masked) {
                        q[i] = z[i] == z[i] ? q[i] : zero;
                        constant[k] += z[i] == z[i] ? zero + own[i * width + k] : zero;
                    }
                }
                if constexpr (columns_at_once == at_once) {
                    u[k] = times8(u[k], times8(times8(q[0], q[1]), times8(q[2], q[3])));
                } else {
                    u[k] = times8(u[k], q[0]);
                }
                const Lane8 v = u[k] + 1.0;
                exponent[k] += exponent8(v);
                u[k] = v < 2.0 ? u[k] : fraction8(v) + (v - v);  // overflow becomes NaN and stays NaN
            }
        };
        size_t j = 0;
        for (; j + at_once <= columns; j += at_once) add.template operator()<at_once>(j);
        for (; j < columns; ++j) add.template operator()<1>(j);
        for (size_t k = 0; k < n; ++k) {
            Lane8 log = log_scaled8(u[k], exponent[k]);
            const Mask8 beyond = u[k] != u[k];
            if (any(beyond)) log = beyond ? log_any_product(tile, t, r, c + k) : log;
            double* to = scores + (c + k) * rows + r;
            store(to, load(to) + (constant[k] - t.e[c + k] * log));
        }
    }
}

// The same when a q may be negative, for a row that is removed from its own class.
void student_left_out(const RowTile& tile, const StudentTable& t, double* scores) {
    const Lane8 zero = {};
    for (size_t c = 0; c < t.classes; ++c)
        for (size_t r = 0; r < tile.rows; r += lanes) {
            Lane8 constant = zero;
            for (size_t j = 0; j < t.columns; ++j) {
                const Lane8 x = load(tile.x + tile.column[j] * tile.rows + r);
                constant += x == x ? zero + t.c[j * t.width + c] : zero;
            }
            double* to = scores + c * tile.rows + r;
            store(to, load(to) + (constant - t.e[c] * log_any_product(tile, t, r, c)));
        }
}

void student_terms(const RowTile* tile, const StudentTable* table, double* scores) {
    if (!table->rising) return student_left_out(*tile, *table, scores);
    each_class_run(table->classes, [&]<size_t n>(size_t c) {
        tile->missing ? student_run<n, true>(*tile, *table, c, scores)
                      : student_run<n, false>(*tile, *table, c, scores);
    });
}

// log(x/m) is computed as log(1 + (x − m)/m), where the difference is exact for x near m: the log is multiplied by e,
// which may be as large as the weight of a class. A quotient that overflows is clamped to the largest number.
template <size_t n>
void uniform_run(const RowTile& tile, const UniformTable& t, size_t c, double* scores) {
    const size_t rows = tile.rows, columns = t.columns, width = t.width;
    const Lane8 zero = {}, greatest = eight(__DBL_MAX__), impossible = eight(-__builtin_inf());
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 sum[n] = {};
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 x = load(tile.x + tile.column[j] * rows + r);
            const Mask8 outside = (x < zero) | (x > greatest), missing = x != x;
            const double *m = t.m + j * width + c, *constant = t.c + j * width + c, *e = t.e + j * width + c;
            for (size_t k = 0; k < n; ++k) {
                Lane8 term = eight(constant[k]);
                const Mask8 beyond = x > eight(m[k]);
                if (any(beyond)) {
                    Lane8 u = beyond ? (x - m[k]) / m[k] : zero;
                    u = u < greatest ? u : greatest;
                    term = beyond ? (e[k] <= __DBL_MAX__ ? term - e[k] * log1p8(u) : impossible) : term;
                }
                sum[k] += missing ? zero : (outside ? impossible : term);
            }
        }
        for (size_t k = 0; k < n; ++k) {
            double* to = scores + (c + k) * rows + r;
            store(to, load(to) + sum[k]);
        }
    }
}

void uniform_terms(const RowTile* tile, const UniformTable* table, double* scores) {
    each_class_run(table->classes, [&]<size_t n>(size_t c) { uniform_run<n>(*tile, *table, c, scores); });
}

// Table rows are added in registers of the instruction set: a Lane8 wider than a register would be kept in memory.
// Several rows at a time, because each sum waits for its previous addition.
#if defined(__AVX512F__)
typedef double Register __attribute__((vector_size(64), aligned(8), may_alias));
#elif defined(__AVX__)
typedef double Register __attribute__((vector_size(32), aligned(8), may_alias));
#else
typedef double Register __attribute__((vector_size(16), aligned(8), may_alias));
#endif
constexpr size_t registers = sizeof(Lane8) / sizeof(Register), register_lanes = lanes / registers;

template <size_t at_once>
inline __attribute__((always_inline)) void level_rows(const std::uint32_t* slots, size_t row_stride,
                                                      size_t column_stride, size_t columns, const double* table,
                                                      size_t width, double* scores) {
    Register sum[at_once][registers] = {};
    for (size_t j = 0; j < columns; ++j)
        for (size_t k = 0; k < at_once; ++k) {
            const double* from = table + slots[k * row_stride + j * column_stride] * width;
            for (size_t i = 0; i < registers; ++i)
                sum[k][i] += *reinterpret_cast<const Register*>(from + i * register_lanes);
        }
    for (size_t k = 0; k < at_once; ++k)
        for (size_t i = 0; i < registers; ++i)
            *reinterpret_cast<Register*>(scores + k * width + i * register_lanes) += sum[k][i];
}

inline __attribute__((always_inline)) void add_level_rows(const std::uint32_t* slots, size_t row_stride,
                                                          size_t column_stride, size_t rows, size_t columns,
                                                          const double* table, size_t width, double* scores) {
    constexpr size_t at_once = registers > 2 ? 2 : 4;
    for (size_t c = 0; c < width; c += lanes) {
        size_t r = 0;
        for (; r + at_once <= rows; r += at_once)
            level_rows<at_once>(slots + r * row_stride, row_stride, column_stride, columns, table + c, width,
                                scores + r * width + c);
        for (; r < rows; ++r)
            level_rows<1>(slots + r * row_stride, row_stride, column_stride, columns, table + c, width,
                          scores + r * width + c);
    }
}

void level_terms(const std::uint32_t* slots, size_t rows, size_t columns, const double* table, size_t width,
                 double* scores) {
    add_level_rows(slots, columns, 1, rows, columns, table, width, scores);
}

void tabled_terms(const std::uint32_t* slots, size_t rows, size_t columns, const double* table, size_t width,
                  double* sums) {
    constexpr size_t at_once = 8;
    for (size_t c = 0; c < width; c += lanes)
        for (size_t r = 0; r < rows; r += at_once) {
            Lane8 sum[at_once] = {};
            const double* from = table + c;
            for (size_t j = 0; j < columns; ++j)
                for (size_t k = 0; k < at_once; ++k) sum[k] += load(from + slots[j * rows + r + k]);
            for (size_t k = 0; k < at_once; ++k) store(sums + (r + k) * width + c, sum[k]);
        }
}

// `masked`: some cell is missing and contributes nothing.
template <size_t n, bool masked>
void presence_run(const RowTile& tile, const PresenceTable& t, size_t c, double* scores) {
    const size_t rows = tile.rows, columns = t.columns, width = t.width;
    const Lane8 zero = {}, threshold = eight(t.threshold);
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 sum[n] = {};
        const double* absent = t.table + width + c;
        for (size_t j = 0; j < columns; ++j, absent += 3 * width) {
            const Lane8 x = load(tile.x + tile.column[j] * rows + r);
            const double* present = absent + width;
            for (size_t k = 0; k < n; ++k) {
                const Lane8 term = x > threshold ? eight(present[k]) : eight(absent[k]);
                sum[k] += masked ? (x == x ? term : zero) : term;
            }
        }
        for (size_t k = 0; k < n; ++k) {
            double* to = scores + (c + k) * rows + r;
            store(to, load(to) + sum[k]);
        }
    }
}

void presence_terms(const RowTile* tile, const PresenceTable* table, double* scores) {
    each_class_run(table->classes, [&]<size_t n>(size_t c) {
        tile->missing ? presence_run<n, true>(*tile, *table, c, scores)
                      : presence_run<n, false>(*tile, *table, c, scores);
    });
}

// `masked`: a weight is −inf or a count is missing, so products must be selected. Otherwise 0 · weight is 0, and an
// infinite count gives a sum that is not finite. Returns false when a count may be negative or infinite.
template <size_t n, bool masked>
bool linear_run(const RowTile& tile, const LinearTable& t, size_t c, double* scores) {
    const size_t rows = tile.rows, columns = t.columns, width = t.width;
    const Lane8 zero = {}, greatest = eight(__DBL_MAX__);
    Lane8 least = zero;
    Mask8 bad = {};
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 sum[n] = {};
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 x = load(tile.x + tile.column[j] * rows + r);
            const double* weight = t.weight + j * width + c;
            least = x < least ? x : least;
            if (masked) bad |= x > greatest;
            for (size_t k = 0; k < n; ++k)
                if (masked) {
                    // 0 log 0 = 0; a missing count contributes nothing
                    sum[k] += (x == zero) | (x != x) ? zero : x * weight[k];
                } else {
                    sum[k] += x * weight[k];
                }
        }
        for (size_t k = 0; k < n; ++k) {
            double* to = scores + (c + k) * rows + r;
            store(to, load(to) + sum[k]);
            if (!masked) bad |= sum[k] - sum[k] != zero;
        }
    }
    return !any(bad | (least < zero));
}

bool linear_terms(const RowTile* tile, const LinearTable* table, double* scores) {
    const bool masked = tile->missing || !table->finite;
    bool sound = true;
    each_class_run(table->classes, [&]<size_t n>(size_t c) {
        sound &=
            masked ? linear_run<n, true>(*tile, *table, c, scores) : linear_run<n, false>(*tile, *table, c, scores);
    });
    return sound;
}

bool any_missing(const double* x, size_t count) {
    Mask8 nan = {};
    size_t k = 0;
    for (; k + lanes <= count; k += lanes) nan |= load(x + k) != load(x + k);
    bool has_nan = any(nan);
    for (; k < count; ++k) has_nan |= x[k] != x[k];
    return has_nan;
}

bool all_finite(const double* x, size_t count) {
    Mask8 odd = {};  // x − x is +0 for every finite number
    size_t k = 0;
    for (; k + lanes <= count; k += lanes) odd |= (Mask8)(load(x + k) - load(x + k));
    bool finite = !any(odd);
    for (; k < count; ++k) finite &= x[k] - x[k] == 0;
    return finite;
}

}  // namespace
}  // namespace suffice
