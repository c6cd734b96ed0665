// Numbers of other widths as floats.
//
//   half      sign 1, exponent 5, fraction 10: every one is a float32
//   decimal   a little-endian integer of two's complement, of 4, 8, 16 or 32 bytes; the value is integer / 10^scale,
//             rounded once to the nearest float64
#pragma once

#include <cstddef>
#include <cstdint>

namespace suffice {

float float_of_half(std::uint16_t half);
double float_of_decimal(const std::byte* integer, std::size_t width, int scale);

}  // namespace suffice
