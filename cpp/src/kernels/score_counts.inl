// The kernels that score and collect rows of counts. See suffice/kernels.hpp for their contracts.

namespace suffice {
namespace {

typedef std::uint32_t Slot8 __attribute__((vector_size(32), aligned(4), may_alias));

void count_slots(const RowTile* tile, size_t columns, size_t depth, size_t width, std::uint32_t* slots, double* totals,
                 std::uint8_t* state) {
    const size_t rows = tile->rows;
    const Lane8 zero = {}, deepest = zero + static_cast<double>(depth), greatest = zero + __DBL_MAX__;
    const double step = static_cast<double>(width);
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 total = zero;
        Mask8 slow = {}, bad = {}, gap = {};
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 x = load(tile->x + tile->column[j] * rows + r);
            const Lane8 value = x == x ? x : zero;
            const Mask8 listed = ((value + whole_number) - whole_number == value) & (value <= deepest);
            // An integer in the lowest bits of a double: no integer multiplication, no conversion.
            const Lane8 shifted = value * step + (whole_number + static_cast<double>(j * depth * width));
            const Mask8 slot = (Mask8)(shifted) - (Mask8)(zero + whole_number);
            gap |= x != x;
            bad |= (value < zero) | (value > greatest);
            slow |= ~listed;
            total += value;
            *reinterpret_cast<Slot8*>(slots + j * rows + r) =
                __builtin_convertvector(slot & listed & (value > zero), Slot8);
        }
        store(totals + r, total);
        for (size_t k = 0; k < lanes; ++k)
            state[r + k] = static_cast<std::uint8_t>((slow[k] & 1) | (bad[k] & 2) | (gap[k] & 4));
    }
}

// Several registers of classes at a time, so that each row of the table is read once; later rows are prefetched.
template <size_t n>
void gather_run(const double* const* rows, const double* values, const size_t* starts, size_t count, size_t width,
                size_t c, double* sums) {
    for (size_t r = 0; r < count; ++r) {
        Lane8 sum[n] = {};
        for (size_t k = starts[r]; k < starts[r + 1]; ++k) {
            for (size_t i = 0; i < n; ++i) __builtin_prefetch(rows[k + gathered_ahead] + c + i * lanes);
            for (size_t i = 0; i < n; ++i) sum[i] += values[k] * load(rows[k] + c + i * lanes);
        }
        for (size_t i = 0; i < n; ++i) store(sums + r * width + c + i * lanes, sum[i]);
    }
}

void gather_terms(const double* const* rows, const double* values, const size_t* starts, size_t count, size_t width,
                  double* sums) {
    size_t c = 0;
    for (; c + 4 * lanes <= width; c += 4 * lanes) gather_run<4>(rows, values, starts, count, width, c, sums);
    switch ((width - c) / lanes) {
        case 3: gather_run<3>(rows, values, starts, count, width, c, sums); break;
        case 2: gather_run<2>(rows, values, starts, count, width, c, sums); break;
        case 1: gather_run<1>(rows, values, starts, count, width, c, sums); break;
        default: break;
    }
}

// Σ ln x(x + 1)… is the log of a product whose exponents are summed separately: one logarithm per row instead of one
// per cell.
template <size_t n>
void rising_run(const double* const* rows, const double* counts, const size_t* starts, size_t count, size_t width,
                size_t c, double* sums) {
    const Lane8 zero = {};
    for (size_t r = 0; r < count; ++r) {
        Lane8 product[n];
        Mask8 exponent[n] = {};
        for (size_t i = 0; i < n; ++i) product[i] = zero + 1.0;
        for (size_t k = starts[r]; k < starts[r + 1]; ++k) {
            const int factors = static_cast<int>(counts[k]);
            for (size_t i = 0; i < n; ++i) __builtin_prefetch(rows[k + gathered_ahead] + c + i * lanes);
            for (size_t i = 0; i < n; ++i) {
                const Lane8 start = load(rows[k] + c + i * lanes);
                Lane8 next = start;
                for (int m = 1; m < factors; ++m) next *= start + static_cast<double>(m);
                const Mask8 bits = (Mask8)(product[i] * next);
                exponent[i] += (bits >> 52) - 1023;
                product[i] = (Lane8)((bits & 0x000fffffffffffffLL) | 0x3ff0000000000000LL);
            }
        }
        for (size_t i = 0; i < n; ++i) {
            const Lane8 twos = (Lane8)(exponent[i] + (Mask8)(zero + whole_number)) - whole_number;
            store(sums + r * width + c + i * lanes, twos * log2_high + (log8(product[i]) + twos * log2_low));
        }
    }
}

void rising_terms(const double* const* rows, const double* counts, const size_t* starts, size_t count, size_t width,
                  double* sums) {
    size_t c = 0;
    for (; c + 4 * lanes <= width; c += 4 * lanes) rising_run<4>(rows, counts, starts, count, width, c, sums);
    switch ((width - c) / lanes) {
        case 3: rising_run<3>(rows, counts, starts, count, width, c, sums); break;
        case 2: rising_run<2>(rows, counts, starts, count, width, c, sums); break;
        case 1: rising_run<1>(rows, counts, starts, count, width, c, sums); break;
        default: break;
    }
}

// ln x! for integer counts 0 … small_count; `shifted` is the count plus whole_number.
inline __attribute__((always_inline)) Lane8 small_log_factorials(Lane8 shifted, Lane8 table) {
#if defined(__AVX512F__) && !defined(__clang__)
    return __builtin_shuffle(table, (Mask8)(shifted));  // selects by the lowest three bits of a lane: one instruction
#else
    const Lane8 value = shifted - whole_number;
    Lane8 log = {};
    for (int n = 2; n <= static_cast<int>(small_count); ++n)
        log = value >= Lane8{} + static_cast<double>(n) ? Lane8{} + table[n] : log;
    return log;
#endif
}

// Nonzero bits for every count that is not one of 0 … small_count.
inline __attribute__((always_inline)) Mask8 not_small(Lane8 value, Lane8 shifted) {
    const Mask8 beyond = ((Mask8)(shifted) ^ (Mask8)(Lane8{} + whole_number)) & ~static_cast<long long>(small_count);
    return beyond | (Mask8)((shifted - whole_number) - value);
}

// The sums over the lanes of eight rows, always paired in the same order.
inline __attribute__((always_inline)) Lane8 added_across(Lane8 (&x)[lanes]) {
    transpose(x);
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

// Lane k of a row's sum holds the columns k, k + 8, … in order.
void count_logs(const double* x, size_t stride, size_t rows, size_t columns, const double* log_factorials,
                double* cells, double* totals, std::uint8_t* state) {
    const Lane8 zero = {}, table = load(log_factorials);
    const size_t whole = columns / lanes * lanes;
    Mask8 in_row = {};  // mask of the last lanes of a row
    for (size_t k = 0; k < columns - whole; ++k) in_row[k] = -1;
    for (size_t first = 0; first < rows; first += lanes) {
        Lane8 logs[lanes] = {}, sums[lanes] = {};
        Mask8 invalid[lanes] = {}, any_invalid = {};
        const size_t count = rows - first < lanes ? rows - first : lanes;
        for (size_t k = 0; k < count; ++k) {
            const double* row = x + (first + k) * stride;
            Lane8 log = zero, sum = zero;
            Mask8 wrong = {};
            const auto take = [&](Lane8 value) __attribute__((always_inline)) {
                const Lane8 shifted = value + whole_number;
                wrong |= not_small(value, shifted);
                sum += value;
                log += small_log_factorials(shifted, table);
            };
            for (size_t j = 0; j < whole; j += lanes) {
                const Lane8 raw = load(row + j);
                take(raw == raw ? raw : zero);
            }
            if (whole < columns) {
                const Lane8 raw = load(row + whole);
                take((raw == raw) & in_row ? raw : zero);
            }
            logs[k] = log;
            sums[k] = sum;
            invalid[k] = wrong;
            any_invalid |= wrong;
        }
        double log_of_row[lanes], sum_of_row[lanes];
        store(log_of_row, added_across(logs));
        store(sum_of_row, added_across(sums));
        const bool has_invalid = any(any_invalid);
        for (size_t k = 0; k < count; ++k) {
            cells[first + k] = log_of_row[k];
            totals[first + k] = sum_of_row[k];
            state[first + k] = has_invalid && any(invalid[k]);
        }
    }
}

void tile_logs(const RowTile* tile, size_t columns, const double* log_factorials, double* cells, double* totals,
               std::uint8_t* state) {
    const size_t rows = tile->rows;
    const Lane8 zero = {}, table = load(log_factorials);
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 log = zero, sum = zero;
        Mask8 wrong = {};
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 raw = load(tile->x + tile->column[j] * rows + r);
            const Lane8 value = raw == raw ? raw : zero, shifted = value + whole_number;
            wrong |= not_small(value, shifted);
            sum += value;
            log += small_log_factorials(shifted, table);
        }
        store(cells + r, log);
        store(totals + r, sum);
        for (size_t k = 0; k < lanes; ++k) state[r + k] = wrong[k] != 0;
    }
}

void split_logs(const double* logs, size_t count, double* coarse, double* fine) {
    const Lane8 zero = {};
    for (size_t k = 0; k < count; k += lanes) {
        const Lane8 log = load(logs + k), scaled = log * 0x1p20, nearest = (scaled + whole_number) - whole_number;
        const Lane8 down = nearest > scaled ? nearest - 1.0 : nearest + zero;
        store(coarse + k, down);
        store(fine + k, ((log - down * 0x1p-20) * 0x1p43 + whole_number) - whole_number);
    }
}

}  // namespace
}  // namespace suffice
