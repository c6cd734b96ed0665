// ln Γ(a + x) − ln Γ(a), eight at a time, with the same bits on every instruction set. ln x! is the case a = 1.
//
// An integer x ≤ 16 is the log of the product a(a + 1)…(a + x − 1). Otherwise, with
//   S(y) = 1/(12 y) − 1/(360 y³) + 1/(1260 y⁵) − …      the remainder of Stirling's formula; nine terms for y ≥ 8
//   p(y) = y(y + 1)…(y + 7)                             ln Γ(y) = ln Γ(y + 8) − ln p(y)
//   A = a, or a + 8 if a < 8;  B likewise for a + x;  d = B − A
//   ln Γ(a + x) − ln Γ(a) = (A − ½) ln(B/A) + d (ln B − 1) + S(B) − S(A) + ln(p(a)/p(a + x))
// where p(y) is replaced by 1 for an argument that was not shifted. The large terms of Stirling's formula are never
// subtracted from each other, so no digits cancel.

namespace suffice {
namespace {

constexpr double stirling_from = 8.0;

// log x for every x > 0, including subnormal numbers.
inline __attribute__((always_inline)) Lane8 log_positive8(Lane8 x) {
    const Lane8 zero = {};
    const Mask8 tiny = x < zero + least_factor;
    const Lane8 log = log8(tiny ? x * 0x1p200 : x);
    return tiny ? log - 200.0 * 0x1.62e42fefa39efp-1 : log;
}

inline __attribute__((always_inline)) Lane8 stirling_rest8(Lane8 y) {
    const Lane8 inverse = 1.0 / y, square = inverse * inverse;
    Lane8 s = 43867.0 / 244188.0 + Lane8{};
    s = s * square - 3617.0 / 122400.0;
    s = s * square + 1.0 / 156.0;
    s = s * square - 691.0 / 360360.0;
    s = s * square + 1.0 / 1188.0;
    s = s * square - 1.0 / 1680.0;
    s = s * square + 1.0 / 1260.0;
    s = s * square - 1.0 / 360.0;
    s = s * square + 1.0 / 12.0;
    return s * inverse;
}

inline __attribute__((always_inline)) Lane8 eight_factors8(Lane8 y) {
    return ((y * (y + 1.0)) * ((y + 2.0) * (y + 3.0))) * (((y + 4.0) * (y + 5.0)) * ((y + 6.0) * (y + 7.0)));
}

inline __attribute__((always_inline)) Lane8 log_rising_far8(Lane8 a, double x) {
    const Lane8 zero = {}, one = zero + 1.0, up = zero + stirling_from;
    const Lane8 b = a + x;
    const Mask8 low = a < up, high = b < up;
    const Lane8 from = low ? a + up : a, to = high ? b + up : b;
    const Lane8 d = (low != high) ? zero + (x - stirling_from) : zero + x;
    const Lane8 moved = (low ? eight_factors8(a) : one) / (high ? eight_factors8(b) : one);
    const Lane8 stirling = (from - 0.5) * log1p8(d / from) + d * (log8(to) - 1.0);
    return stirling + (stirling_rest8(to) - stirling_rest8(from)) + log_positive8(moved);
}

// x is an integer and at most most_factors.
inline __attribute__((always_inline)) Lane8 log_rising_small8(Lane8 a, double x) {
    Lane8 product = a;
    for (int k = 1; k < static_cast<int>(x); ++k) product *= a + static_cast<double>(k);
    const Mask8 large = a > Lane8{} + greatest_factor;
    const Lane8 log = log_positive8(product);
    if (!any(large)) return log;
    return large ? log_rising_far8(a, x) : log;
}

void log_rising(const double* start, size_t width, double x, double* out) {
    if (x > greatest_count) x = greatest_count;
    const bool small = x <= most_factors && x == static_cast<double>(static_cast<int>(x));
    for (size_t c = 0; c < width; c += lanes) {
        if (x == 0) {
            store(out + c, Lane8{});
        } else if (small) {
            store(out + c, log_rising_small8(load(start + c), x));
        } else {
            store(out + c, log_rising_far8(load(start + c), x));
        }
    }
}

void log_factorials(const double* x, size_t count, double* out) {
    for (size_t k = 0; k < count; k += lanes) {
        const Lane8 y = load(x + k) + 1.0;
        const Mask8 low = y < Lane8{} + stirling_from;
        const Lane8 to = low ? y + stirling_from : y;
        const Lane8 moved = low ? eight_factors8(y) : Lane8{} + 1.0;
        const Lane8 half_log_two_pi = Lane8{} + 0.91893853320467274178;
        store(out + k, (to - 0.5) * log8(to) - to + half_log_two_pi + stirling_rest8(to) - log8(moved));
    }
}

}  // namespace
}  // namespace suffice
