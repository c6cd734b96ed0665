// Conversion of half-precision floats and decimals to float32 and float64.
//
//   half      1 sign bit, 5 exponent bits, 10 fraction bits: every value is a float32
//   decimal   a little-endian two's complement integer of 4, 8, 16 or 32 bytes; the value is integer / 10^scale,
//             rounded once to the nearest float64
#pragma once

#include <cstddef>
#include <cstdint>

namespace suffice {

float float_of_half(std::uint16_t half);
double float_of_decimal(const std::byte* integer, std::size_t width, int scale);

}  // namespace suffice
