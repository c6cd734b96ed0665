// Characters as the tokenizer sees them: Python's \w, \s and lower(), and the decomposition without accents.
//
// The tables are of one version of Unicode, whatever Python runs, so that a model reads the same tokens everywhere.
// Characters are UTF-8 in texts and char32_t here; what is no UTF-8 is U+FFFD, one for each part that could not be
// the beginning of a character, as Python's errors="replace" has it. Half a surrogate pair is one U+FFFD.
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

// Flags of every character, and where its small letter and its plain form are found.
class Characters final {
  public:
    static const Characters& known();

    std::uint8_t flags(char32_t c) const { return flags_[c]; }
    char32_t lower(char32_t c) const;                     // of one with has_lower, but not of U+0130
    std::span<const char32_t> plain(char32_t c) const;    // of one with has_plain

  private:
    Characters();
    std::vector<std::uint8_t> flags_;
};

struct Decoded {
    char32_t character;
    std::size_t bytes;  // how many of the text it took, at least 1
};

// The character that starts at `at`, which is inside the text.
Decoded decode(std::string_view text, std::size_t at);
// The character that ends before `end`, which is > 0 and where a character ends.
Decoded decode_before(std::string_view text, std::size_t end);

// Appends the UTF-8 of a character that is no surrogate.
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

// The syllable of Hangul as its two or three letters: how many, and which.
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

// Whether a capital sigma that takes bytes [at, at + 2) ends a word: a cased character before it and none after it,
// passing over those that are ignorable. Its small letter is then ς, else σ.
bool is_final_sigma(std::string_view text, std::size_t at);

}  // namespace suffice::unicode
