// A hash of a text, after Wang Yi's wyhash. The bytes are read as pairs of words a and b (the last pair overlaps the
// one before it):
//
//   mix(a, b) = low(a·b) xor high(a·b),  of the 128-bit product
//   s ← mix(a xor k₁, b xor s) for every 16 bytes,  hash = mix(k₂ xor length, mix(a xor k₁, b xor s)),  s₀ = k₀
//
// The keys k are random, because a·0 = 0 would let anyone who knows k₁ construct colliding texts. They are fixed where
// the hash itself is stored, in a model whose columns are hashes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "suffice/texts.hpp"

namespace suffice {

class TextHash final {
  public:
    static TextHash drawn();  // the same throughout a process
    static constexpr TextHash fixed() {
        return TextHash({0x9e3779b97f4a7c15u, 0xbf58476d1ce4e5b9u, 0x94d049bb133111ebu, 0xd6e8feb86659fd93u});
    }

    std::uint64_t operator()(std::string_view text) const {
        const char* p = text.data();
        const std::size_t n = text.size();
        std::uint64_t a = 0, b = 0, s = key_[0];
        if (n > 16) {
            std::size_t left = n;
            for (; left > 16; left -= 16, p += 16) s = mix(word8(p) ^ key_[1], word8(p + 8) ^ s);
            a = word8(p + left - 16);
            b = word8(p + left - 8);
        } else if (n >= 4) {
            const std::size_t step = (n >> 3) << 2;
            a = (word4(p) << 32) | word4(p + step);
            b = (word4(p + n - 4) << 32) | word4(p + n - 4 - step);
        } else if (n > 0) {
            const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
            a = (byte(0) << 16) | (byte(n >> 1) << 8) | byte(n - 1);
        }
        return mix(key_[2] ^ n, mix(a ^ key_[1], b ^ s) ^ key_[3]);
    }

    // The same for a text from which 4 bytes can be read, whatever its length. The lengths of words are unpredictable,
    // so computing both variants for up to 16 bytes is faster than a branch.
    std::uint64_t ahead(const char* p, std::size_t n) const {
        if (n > 16) return (*this)({p, n});
        const bool few = n < 4;
        const std::size_t step = (n >> 3) << 2, last = few ? 0 : n - 4;
        const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
        const std::uint64_t few_bytes = (byte(0) << 16) | (byte(n >> 1) << 8) | byte(n - (n != 0));
        const std::uint64_t a = (word4(p) << 32) | word4(p + step),
                            b = (word4(p + last) << 32) | word4(p + last - step);
        const std::uint64_t is_few = std::uint64_t{0} - few, is_none = std::uint64_t{0} - (n == 0);
        return mix(key_[2] ^ n,
                   mix(((a & ~is_few) | (few_bytes & is_few & ~is_none)) ^ key_[1], (b & ~is_few) ^ key_[0]) ^ key_[3]);
    }

  private:
    explicit constexpr TextHash(const std::array<std::uint64_t, 4>& key) : key_(key) {}

    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    static std::uint64_t word8(const char* p) { return load<std::uint64_t>(p, 0); }
    static std::uint64_t word4(const char* p) { return load<std::uint32_t>(p, 0); }

    std::array<std::uint64_t, 4> key_;
};

}  // namespace suffice
