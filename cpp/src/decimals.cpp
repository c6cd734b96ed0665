#include "suffice/decimals.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

#include "suffice/texts.hpp"

namespace suffice {
namespace {

using Limbs = std::array<std::uint32_t, 8>;  // least significant first

constexpr double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};  // each is exact

// Divides by 10⁹ and returns the remainder.
std::uint32_t take_nine_digits(Limbs& limbs) {
    std::uint64_t rest = 0;
    for (std::size_t i = limbs.size(); i-- > 0;) {
        const std::uint64_t part = (rest << 32) | limbs[i];
        limbs[i] = static_cast<std::uint32_t>(part / 1'000'000'000u);
        rest = part % 1'000'000'000u;
    }
    return static_cast<std::uint32_t>(rest);
}

}  // namespace

float float_of_half(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16, exponent = (half >> 10) & 31u,
                        fraction = half & 0x3ffu;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
    if (exponent > 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
    const float tiny = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -tiny : tiny;
}

double float_of_decimal(const std::byte* integer, std::size_t width, int scale) {
    Limbs limbs{};
    std::memcpy(limbs.data(), integer, width);
    if constexpr (std::endian::native == std::endian::big)
        std::reverse(limbs.begin(), limbs.begin() + static_cast<std::ptrdiff_t>(width / 4));
    const bool negative = (limbs[width / 4 - 1] >> 31) != 0;
    if (negative) {  // −n is the complement plus one
        std::uint64_t carry = 1;
        for (std::size_t i = 0; i < width / 4; ++i) {
            const std::uint64_t sum = std::uint64_t{~limbs[i]} + carry;
            limbs[i] = static_cast<std::uint32_t>(sum);
            carry = sum >> 32;
        }
    }
    const bool small = std::all_of(limbs.begin() + 2, limbs.end(), [](std::uint32_t limb) { return limb == 0; }) &&
                       limbs[1] < (1u << 21);
    if (small && scale >= 0 && scale <= 22) {  // both are exact, so the quotient is rounded once
        const double whole = static_cast<double>((std::uint64_t{limbs[1]} << 32) | limbs[0]);
        return (negative ? -whole : whole) / powers[scale];
    }
    char text[104];  // a sign, 78 digits in groups of nine, the exponent
    char* const digits_end = text + 92;
    char* at = digits_end;
    while (std::any_of(limbs.begin(), limbs.end(), [](std::uint32_t limb) { return limb != 0; })) {
        std::uint32_t nine = take_nine_digits(limbs);
        for (int i = 0; i < 9; ++i, nine /= 10) *--at = static_cast<char>('0' + nine % 10);
    }
    if (at == digits_end) *--at = '0';
    if (negative) *--at = '-';
    *digits_end = 'e';
    char* const end = std::to_chars(digits_end + 1, text + sizeof text, -scale).ptr;
    double value = 0;
    std::from_chars(at, end, value);
    return value;
}

}  // namespace suffice
