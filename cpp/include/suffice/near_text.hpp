// A text of up to 24 bytes, held in place with zeros behind it and compared as three words; a longer one says where its bytes are.
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

// The bytes of longer texts, and how all are held: a near text, or where a longer one starts and how long it is.
class LongTexts final {
  public:
    NearText hold(const char* text, std::size_t length) {
        if (length <= NearText::most) return NearText::of(text, length);
        const NearText held = std::bit_cast<NearText>(Far{bytes_.size(), length, 0});
        bytes_.insert(bytes_.end(), text, text + length);
        return held;
    }
    // Whether it is this text, where both are `length` long if they are near. 24 bytes can be read from it.
    bool is(const NearText& held, const char* text, std::size_t length) const {
        return length <= NearText::most ? held.is(text, length) : is_far(held, text, length);
    }
    std::string_view text(const NearText& held, std::size_t length) const {
        return {length <= NearText::most ? held.bytes.data() : bytes_.data() + std::bit_cast<Far>(held)[0], length};
    }
    void clear() { bytes_.clear(); }

  private:
    using Far = std::array<std::size_t, 3>;

    bool is_far(const NearText& held, const char* text, std::size_t length) const {
        const auto [start, there, unused] = std::bit_cast<Far>(held);
        return there == length && std::memcmp(bytes_.data() + start, text, length) == 0;
    }

    std::vector<char> bytes_;
};

}  // namespace suffice
