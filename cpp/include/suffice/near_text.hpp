// A text of up to 24 bytes, held in place with zeros behind it and compared as three words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "suffice/texts.hpp"

namespace suffice {

struct NearText {
    static constexpr std::size_t most = 24;  // bytes that can be read from whatever is compared, whatever its length

    std::array<char, most> bytes{};

    static NearText of(const char* text, std::size_t length) {
        NearText near;
        std::memcpy(near.bytes.data(), text, length);
        return near;
    }

    // Whether it is this text, where both are `length` long. What lies beyond is masked, without a branch that would
    // depend on the length.
    bool is(const char* text, std::size_t length) const {
        const Words& mask = masks[length];
        std::uint64_t differ = 0;
        for (std::size_t k = 0; k < mask.size(); ++k)  // a word at a time: together they would go by way of memory
            differ |= (load<std::uint64_t>(text, k) & mask[k]) ^ load<std::uint64_t>(bytes.data(), k);
        return differ == 0;
    }

  private:
    using Words = std::array<std::uint64_t, most / 8>;

    // For each length the bytes of a text that long, as they lie in memory.
    static constexpr std::array<Words, most + 1> masks = [] {
        std::array<Words, most + 1> all{};
        for (std::size_t length = 0; length <= most; ++length) {
            std::array<unsigned char, most> bytes{};
            for (std::size_t k = 0; k < length; ++k) bytes[k] = 0xFF;
            all[length] = std::bit_cast<Words>(bytes);
        }
        return all;
    }();
};

}  // namespace suffice
