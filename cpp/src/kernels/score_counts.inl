// The kernels that score and collect rows of counts. See suffice/kernels.hpp for what each does.

namespace suffice {
namespace {

typedef std::uint32_t Slot8 __attribute__((vector_size(32), aligned(4), may_alias));

void count_slots(const RowTile* tile, size_t columns, size_t depth, std::uint32_t* slots, double* totals, std::uint8_t* state) {
    const size_t rows = tile->rows;
    const Lane8 zero = {}, deepest = zero + static_cast<double>(depth), greatest = zero + __DBL_MAX__;
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 total = zero;
        Mask8 slow = {}, bad = {}, gap = {};
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 x = load(tile->x + tile->column[j] * rows + r);
            const Lane8 value = x == x ? x : zero;
            const Lane8 shifted = value + whole_number;
            const Mask8 listed = (shifted - whole_number == value) & (value <= deepest);
            const Mask8 slot = ((Mask8)(shifted) - (Mask8)(zero + whole_number)) + static_cast<long long>(j * depth);
            gap |= x != x;
            bad |= (value < zero) | (value > greatest);
            slow |= ~listed;
            total += value;
            *reinterpret_cast<Slot8*>(slots + j * rows + r) = __builtin_convertvector(slot & listed & (value > zero), Slot8);
        }
        store(totals + r, total);
        for (size_t k = 0; k < lanes; ++k)
            state[r + k] = static_cast<std::uint8_t>((slow[k] & 1) | (bad[k] & 2) | (gap[k] & 4));
    }
}

void tabled_terms(const std::uint32_t* slots, size_t rows, size_t columns, const double* table, size_t width, double* sums) {
    constexpr size_t at_once = 8;
    for (size_t c = 0; c < width; c += lanes)
        for (size_t r = 0; r < rows; r += at_once) {
            Lane8 sum[at_once] = {};
            const double* from = table + c;
            for (size_t j = 0; j < columns; ++j)
                for (size_t k = 0; k < at_once; ++k) sum[k] += load(from + slots[j * rows + r + k] * width);
            for (size_t k = 0; k < at_once; ++k) store(sums + (r + k) * width + c, sum[k]);
        }
}

// Several registers of classes at a time, so that a row of the table is met once.
template <size_t n, bool valued>
void gather_run(const double* const* rows, const double* values, size_t count, size_t c, double* sums) {
    Lane8 sum[n] = {};
    for (size_t k = 0; k < count; ++k)
        for (size_t i = 0; i < n; ++i) {
            const Lane8 row = load(rows[k] + c + i * lanes);
            sum[i] += valued ? values[k] * row : row;
        }
    for (size_t i = 0; i < n; ++i) store(sums + c + i * lanes, sum[i]);
}

template <bool valued>
void gather_of(const double* const* rows, const double* values, size_t count, size_t width, double* sums) {
    size_t c = 0;
    for (; c + 4 * lanes <= width; c += 4 * lanes) gather_run<4, valued>(rows, values, count, c, sums);
    switch ((width - c) / lanes) {
        case 3: gather_run<3, valued>(rows, values, count, c, sums); break;
        case 2: gather_run<2, valued>(rows, values, count, c, sums); break;
        case 1: gather_run<1, valued>(rows, values, count, c, sums); break;
        default: break;
    }
}

void gather_terms(const double* const* rows, const double* values, size_t count, size_t width, double* sums) {
    values == nullptr ? gather_of<false>(rows, values, count, width, sums) : gather_of<true>(rows, values, count, width, sums);
}

// The sum of a row's lanes, for eight rows: lanes are always paired in the same way.
inline __attribute__((always_inline)) Lane8 added_across(Lane8 (&x)[lanes]) {
    transpose(x);
    return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}

// Lane k of a row's sum holds the columns k, k + 8, … in their order. A factorial of a small count is picked, not looked up.
void count_logs(const double* x, size_t stride, size_t rows, size_t columns, const double* log_factorials, double* cells,
                double* totals, std::uint8_t* state) {
    const Lane8 zero = {}, most = zero + small_count;
    const size_t whole = columns / lanes * lanes;
    for (size_t first = 0; first < rows; first += lanes) {
        Lane8 logs[lanes] = {}, sums[lanes] = {};
        const size_t count = rows - first < lanes ? rows - first : lanes;
        for (size_t k = 0; k < count; ++k) {
            const double* row = x + (first + k) * stride;
            Lane8 log = zero, sum = zero;
            Mask8 slow = {};
            const auto take = [&](Lane8 raw) __attribute__((always_inline)) {
                const Lane8 value = raw == raw ? raw : zero;
                slow |= ~((value + whole_number - whole_number == value) & (value >= zero) & (value <= most));
                sum += value;
                Lane8 factorial = zero;
                for (size_t n = 2; n <= static_cast<size_t>(small_count); ++n)
                    factorial = value >= zero + static_cast<double>(n) ? zero + log_factorials[n] : factorial;
                log += factorial;
            };
            for (size_t j = 0; j < whole; j += lanes) take(load(row + j));
            if (whole < columns) {
                double rest[lanes] = {};
                for (size_t j = whole; j < columns; ++j) rest[j - whole] = row[j];
                take(load(rest));
            }
            logs[k] = log;
            sums[k] = sum;
            state[first + k] = any(slow);
        }
        double log_of_row[lanes], sum_of_row[lanes];
        store(log_of_row, added_across(logs));
        store(sum_of_row, added_across(sums));
        for (size_t k = 0; k < count; ++k) {
            cells[first + k] = log_of_row[k];
            totals[first + k] = sum_of_row[k];
        }
    }
}

}  // namespace
}  // namespace suffice
