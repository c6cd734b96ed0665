// Arrow's bitmaps: one bit a row, the least significant first, from any bit on.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace suffice {

// The 8 bits from `row` on; bits past `rows` are 0, and the byte that holds none of them is not read.
inline std::uint8_t eight_bits(const std::uint8_t* bits, std::size_t offset, std::size_t row, std::size_t rows) {
    const std::size_t first = offset + row, left = rows - row < 8 ? rows - row : 8, shift = first & 7;
    unsigned byte = static_cast<unsigned>(bits[first >> 3]) >> shift;
    if (shift + left > 8) byte |= static_cast<unsigned>(bits[(first >> 3) + 1]) << (8 - shift);
    return static_cast<std::uint8_t>(byte & (0xffu >> (8 - left)));
}

inline std::size_t count_zeros(const std::uint8_t* bits, std::size_t offset, std::size_t rows) {
    std::size_t ones = 0;
    for (std::size_t row = 0; row < rows; row += 8) ones += static_cast<std::size_t>(std::popcount(eight_bits(bits, offset, row, rows)));
    return rows - ones;
}

// The same bits with row 0 at bit 0.
inline std::vector<std::uint8_t> aligned_bits(const std::uint8_t* bits, std::size_t offset, std::size_t rows) {
    std::vector<std::uint8_t> aligned((rows + 7) / 8);
    for (std::size_t row = 0; row < rows; row += 8) aligned[row / 8] = eight_bits(bits, offset, row, rows);
    return aligned;
}

}  // namespace suffice
