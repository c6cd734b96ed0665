// Character properties for the tokenizer: Python's \w, \s and lower(), and the decomposition without accents.
//
// The tables belong to one version of Unicode, whatever the version of Python, so that a model finds the same tokens
// everywhere. Characters are UTF-8 in texts and char32_t here. Invalid UTF-8 becomes U+FFFD, one for each maximal part
// of a character, as with Python's errors="replace"; a lone surrogate becomes one U+FFFD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace suffice::unicode {

inline constexpr char32_t replacement = 0xFFFD, last = 0x10FFFF;

const char* version();

enum Flag : std::uint8_t { word = 1, space = 2, cased = 4, ignorable = 8, has_lower = 16, has_plain = 32 };

// Flags of every character, its lower case and its decomposition without accents.
class Characters final {
  public:
    static const Characters& known();

    std::uint8_t flags(char32_t c) const { return flags_[c]; }
    char32_t lower(char32_t c) const;                   // requires has_lower; not for U+0130
    std::span<const char32_t> plain(char32_t c) const;  // requires has_plain

  private:
    Characters();
    std::vector<std::uint8_t> flags_;
};

struct Decoded {
    char32_t character;
    std::size_t bytes;  // bytes of the text, at least 1
};

// The character that starts at `at`, a position inside the text.
Decoded decode(std::string_view text, std::size_t at);
// The character that ends before `end`, which is > 0 and a character boundary.
Decoded decode_before(std::string_view text, std::size_t end);

// Appends the UTF-8 encoding of a character that is not a surrogate.
template <class Bytes>
void append(Bytes& bytes, char32_t c) {
    const auto put = [&](char32_t byte) { bytes.push_back(static_cast<char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

// The two or three letters (jamo) of a Hangul syllable.
struct Letters {
    char32_t letter[3];
    std::size_t number;
};
inline bool is_syllable(char32_t c) { return c >= 0xAC00 && c < 0xAC00 + 11172; }
inline Letters letters_of(char32_t syllable) {
    const char32_t s = syllable - 0xAC00;
    const char32_t tail = s % 28;
    return {{0x1100 + s / 588, 0x1161 + s % 588 / 28, 0x11A7 + tail}, tail == 0 ? std::size_t{2} : std::size_t{3}};
}

// Whether a capital sigma at bytes [at, at + 2) ends a word: a cased character precedes it and none follows, ignorable
// characters skipped. Its lower case is then ς, otherwise σ.
bool is_final_sigma(std::string_view text, std::size_t at);

}  // namespace suffice::unicode
