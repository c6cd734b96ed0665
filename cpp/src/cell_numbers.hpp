// Numbers as they are written in cells. What is read has the value that any good parser gives it, rounded once; what is
// not read is not necessarily wrong, only rare: whoever asks takes a slower parser then.
//
// Eight digits are one load, and their value three multiplications:
//   pairs    10 a + b      in every second byte
//   fours    100 p + q     in every fourth
//   eight    10⁴ f + g
// The last of fewer digits is shifted to where the last of eight would be; zeros come in before the first.
#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>

#include "suffice/texts.hpp"

namespace suffice::cells {

inline constexpr std::size_t read_beyond = 32;  // how many bytes behind a cell must be readable

// The first of eight characters lies in the lowest byte.
inline std::uint64_t eight_characters(const char* text) {
    const auto loaded = load<std::uint64_t>(text, 0);
    if constexpr (std::endian::native == std::endian::big) return __builtin_bswap64(loaded);
    return loaded;
}

inline constexpr std::uint64_t zeros = 0x3030303030303030u, high_bits = 0x8080808080808080u;

// Of bytes less '0': the high bit of each that is no digit, as far as the first of them.
inline std::uint64_t not_digits(std::uint64_t bytes) { return ((bytes + 0x7676767676767676u) | bytes) & high_bits; }

// The value of bytes from 0 to 9.
inline std::uint64_t value_of_eight(std::uint64_t bytes) {
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffu;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffu;
    return (bytes * 10000 + (bytes >> 32)) & 0xffffffffu;
}

// From 1 to 16 digits.
inline bool read_digits(const char* text, std::size_t size, std::uint64_t& value) {
    if (size <= 8) {
        const std::uint64_t bytes = (eight_characters(text) ^ zeros) << (64 - 8 * size);
        value = value_of_eight(bytes);
        return not_digits(bytes) == 0;
    }
    const std::uint64_t last = eight_characters(text + size - 8) ^ zeros;
    const std::uint64_t first = (eight_characters(text) ^ zeros) << (128 - 8 * size);
    value = value_of_eight(first) * 100'000'000u + value_of_eight(last);
    return (not_digits(first) | not_digits(last)) == 0;
}

inline bool read_whole(const char* text, std::size_t size, std::int64_t& value) {
    const bool negative = *text == '-', sign = negative || *text == '+';
    std::uint64_t digits = 0;
    if (size - sign - 1 >= 16 || !read_digits(text + sign, size - sign, digits)) {  // none, or more
        const auto [end, failure] = std::from_chars(text + (*text == '+' && size > 1 && text[1] != '-'), text + size, value);
        return failure == std::errc{} && end == text + size;
    }
    value = negative ? -static_cast<std::int64_t>(digits) : static_cast<std::int64_t>(digits);
    return true;
}

inline bool read_real_slowly(const char* text, std::size_t size, double& value) {
    const bool negative = *text == '-', sign = negative || *text == '+';
    const std::string_view rest(text + sign, size - sign);
    if (rest.empty()) return false;
    if ((rest[0] < '0' || rest[0] > '9') && rest[0] != '.') {
        const auto is = [&](std::string_view word) {
            bool same = rest.size() == word.size();
            for (std::size_t i = 0; same && i < word.size(); ++i) same = (rest[i] | 0x20) == word[i];
            return same;
        };
        if (is("nan")) value = std::numeric_limits<double>::quiet_NaN();
        else if (is("inf") || is("infinity")) value = std::numeric_limits<double>::infinity();
        else return false;
    } else {
        const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
        if (failure != std::errc{} || end != rest.data() + rest.size()) return false;
    }
    if (negative) value = -value;
    return true;
}

// At most eight digits, and perhaps a point and at most sixteen more, which is exact as a fraction of two floats.
inline bool read_real(const char* text, std::size_t size, double& value) {
    static constexpr double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};
    static constexpr std::uint64_t whole_powers[] = {
        1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000, 1000000000000,
        10000000000000, 100000000000000, 1000000000000000, 10000000000000000};
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    const bool negative = *text == '-';
    const char* const start = text + negative;
    const std::size_t length = size - negative;
    const std::uint64_t bytes = eight_characters(start) ^ zeros;
    const std::uint64_t others = not_digits(bytes);
    const std::size_t digits = others == 0 ? 8 : static_cast<std::size_t>(std::countr_zero(others)) / 8;
    std::uint64_t number = 0;
    std::size_t places = 0;
    if (digits >= length && length > 0) {
        number = value_of_eight(bytes << (64 - 8 * length));
    } else {
        places = length - digits - 1;
        if (digits == 0 || start[digits] != '.' || places - 1 >= 16) return read_real_slowly(text, size, value);
        std::uint64_t fraction = 0;
        if (!read_digits(start + digits + 1, places, fraction)) return read_real_slowly(text, size, value);
        const std::uint64_t whole = value_of_eight(bytes << (64 - 8 * digits));
        if (digits + places > 16 && whole != 0) return read_real_slowly(text, size, value);
        number = whole * whole_powers[places] + fraction;
        if (number > exact) return read_real_slowly(text, size, value);
    }
    const double ratio = static_cast<double>(number) / powers[places];
    value = negative ? -ratio : ratio;
    return true;
}

}  // namespace suffice::cells
