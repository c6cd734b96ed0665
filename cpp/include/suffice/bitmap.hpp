// Arrow validity bitmaps: one bit per row, least significant bit first, starting at any bit offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace suffice {

// Replaces std::popcount, which is a library call on the baseline instruction set.
inline std::size_t ones(std::uint64_t mask) {
    mask -= (mask >> 1) & 0x5555555555555555u;
    mask = (mask & 0x3333333333333333u) + ((mask >> 2) & 0x3333333333333333u);
    mask = (mask + (mask >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (mask * 0x0101010101010101u) >> 56;
}

// The 8 bits that start at `row`; bits past `rows` are 0, and a byte that lies entirely past `rows` is not read.
inline std::uint8_t eight_bits(const std::uint8_t* bits, std::size_t offset, std::size_t row, std::size_t rows) {
    const std::size_t first = offset + row, left = rows - row < 8 ? rows - row : 8, shift = first & 7;
    unsigned byte = static_cast<unsigned>(bits[first >> 3]) >> shift;
    if (shift + left > 8) byte |= static_cast<unsigned>(bits[(first >> 3) + 1]) << (8 - shift);
    return static_cast<std::uint8_t>(byte & (0xffu >> (8 - left)));
}

inline std::size_t count_zeros(const std::uint8_t* bits, std::size_t offset, std::size_t rows) {
    std::size_t present = 0, row = 0;
    for (; row < rows && (offset + row) % 8 != 0; ++row)
        present += bits[(offset + row) / 8] >> ((offset + row) % 8) & 1u;
    for (; row + 64 <= rows; row += 64) {
        std::uint64_t word;
        std::memcpy(&word, bits + (offset + row) / 8, sizeof word);
        present += ones(word);
    }
    for (; row < rows; row += 8) present += ones(eight_bits(bits, offset, row, rows));
    return rows - present;
}

// The same bits, shifted so that row 0 is bit 0.
inline std::vector<std::uint8_t> aligned_bits(const std::uint8_t* bits, std::size_t offset, std::size_t rows) {
    std::vector<std::uint8_t> aligned((rows + 7) / 8);
    for (std::size_t row = 0; row < rows; row += 8) aligned[row / 8] = eight_bits(bits, offset, row, rows);
    return aligned;
}

}  // namespace suffice
