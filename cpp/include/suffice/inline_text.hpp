// A text of up to 24 bytes stored inline, padded with zeros and compared as three words. For a longer text the same 24
// bytes hold the position of its bytes in LongTexts.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "suffice/texts.hpp"

namespace suffice {

struct InlineText {
    static constexpr std::size_t most = 24;  // as many bytes must be readable from any text that is compared

    std::array<char, most> bytes{};

    static InlineText of(const char* text, std::size_t length) {
        InlineText inlined;
        std::memcpy(inlined.bytes.data(), text, length);
        return inlined;
    }

    // Whether the two texts are equal, given that both are `length` long. Bytes beyond are masked, which avoids a
    // branch that depends on the length.
    bool is(const char* text, std::size_t length) const {
        const Words& mask = masks[length];
        std::uint64_t differ = 0;
        // One word at a time: a vector comparison would go through memory
        for (std::size_t k = 0; k < mask.size(); ++k)
            differ |= (load<std::uint64_t>(text, k) & mask[k]) ^ load<std::uint64_t>(bytes.data(), k);
        return differ == 0;
    }

  private:
    using Words = std::array<std::uint64_t, most / 8>;

    // For each length, a mask of the bytes of a text of that length, in memory order.
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

// The bytes of longer texts. A stored text is either inline, or the start and length of a longer text.
class LongTexts final {
  public:
    InlineText hold(const char* text, std::size_t length) {
        if (length <= InlineText::most) return InlineText::of(text, length);
        const InlineText held = std::bit_cast<InlineText>(Position{bytes_.size(), length, 0});
        bytes_.insert(bytes_.end(), text, text + length);
        return held;
    }
    // Whether the two texts are equal; inline texts must both be `length` long. 24 bytes must be readable at `text`.
    bool is(const InlineText& held, const char* text, std::size_t length) const {
        return length <= InlineText::most ? held.is(text, length) : is_long(held, text, length);
    }
    std::string_view text(const InlineText& held, std::size_t length) const {
        return {length <= InlineText::most ? held.bytes.data() : bytes_.data() + std::bit_cast<Position>(held)[0],
                length};
    }
    void clear() { bytes_.clear(); }

  private:
    using Position = std::array<std::size_t, 3>;

    bool is_long(const InlineText& held, const char* text, std::size_t length) const {
        const auto [start, stored, unused] = std::bit_cast<Position>(held);
        return stored == length && std::memcmp(bytes_.data() + start, text, length) == 0;
    }

    std::vector<char> bytes_;
};

}  // namespace suffice
