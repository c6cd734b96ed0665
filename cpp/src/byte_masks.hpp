// 64 characters at a time: bit i of a mask is character i.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace suffice {

inline constexpr std::size_t mask_width = 64;

class Characters64 final {
  public:
#if defined(__SSE2__)
    explicit Characters64(const char* text) {
        for (int k = 0; k < 4; ++k) parts_[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * k));
    }
    std::uint64_t equal_to(char c) const {
        const __m128i wanted = _mm_set1_epi8(c);
        return joined([&](int k) { return _mm_movemask_epi8(_mm_cmpeq_epi8(parts_[k], wanted)); });
    }
    // Those that are no ASCII.
    std::uint64_t high() const {
        return joined([&](int k) { return _mm_movemask_epi8(parts_[k]); });
    }

  private:
    template <class Part>
    static std::uint64_t joined(Part&& part) {
        std::uint64_t mask = 0;
        for (int k = 0; k < 4; ++k) mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(part(k))) << (16 * k);
        return mask;
    }
    __m128i parts_[4];
#else
    explicit Characters64(const char* text) : text_(text) {}
    std::uint64_t equal_to(char c) const {
        return joined([c](char each) { return each == c; });
    }
    std::uint64_t high() const {
        return joined([](char each) { return static_cast<unsigned char>(each) >= 0x80; });
    }

  private:
    template <class Is>
    std::uint64_t joined(Is&& is) const {
        std::uint64_t mask = 0;
        for (std::size_t i = 0; i < mask_width; ++i) mask |= static_cast<std::uint64_t>(is(text_[i])) << i;
        return mask;
    }
    const char* text_;
#endif
};

}  // namespace suffice
