#include "suffice/unicode.hpp"

#include <algorithm>
#include <iterator>

namespace suffice::unicode {
namespace {

#include "unicode_tables.inl"

std::size_t index_of(std::span<const char32_t> sorted, char32_t c) {
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), c) - sorted.begin());
}

std::uint8_t ascii_flags(char32_t c) {
    const bool upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    std::uint8_t flags = 0;
    if (upper || lower || digit || c == '_') flags |= word;
    if ((c >= 9 && c <= 13) || (c >= 28 && c <= 32)) flags |= space;
    if (upper || lower) flags |= cased;
    if (c == '\'' || c == '.' || c == ':' || c == '^' || c == '`') flags |= ignorable;
    if (upper) flags |= has_lower;
    return flags;
}

}  // namespace

const char* version() { return version_text; }

Characters::Characters() : flags_(last + 1) {
    for (char32_t c = 0; c < 128; ++c) flags_[c] = ascii_flags(c);
    const std::size_t runs = std::size(flag_starts);
    for (std::size_t run = 0; run < runs; ++run) {
        const char32_t end = run + 1 < runs ? flag_starts[run + 1] : last + 1;
        std::fill(flags_.begin() + flag_starts[run], flags_.begin() + end, flag_values[run]);
    }
}

const Characters& Characters::known() {
    static const Characters characters;
    return characters;
}

char32_t Characters::lower(char32_t c) const { return c < 128 ? c + 32 : lower_to[index_of(lower_from, c)]; }

std::span<const char32_t> Characters::plain(char32_t c) const {
    const std::size_t at = index_of(plain_from, c);
    const std::size_t start = at == 0 ? 0 : plain_ends[at - 1];
    return {plain_to + start, plain_to + plain_ends[at]};
}

Decoded decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4) return {replacement, 1};
    // The second byte alone decides whether a valid character can follow: no overlong encodings, nothing beyond the
    // last character.
    const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = first == 0xF4 ? 0x8F : 0xBF;
    char32_t c = first & (0x7F >> length);
    for (std::size_t k = 1; k < length; ++k) {
        if (at + k >= text.size()) return {replacement, k};
        const unsigned char next = byte(at + k);
        if (k == 1 ? next < least || next > most : (next & 0xC0) != 0x80) return {replacement, k};
        c = c << 6 | (next & 0x3F);
    }
    if (c >= 0xD800 && c < 0xE000) return {replacement, length};
    return {c, length};
}

Decoded decode_before(std::string_view text, std::size_t end) {
    for (std::size_t back = 1; back <= 4 && back <= end; ++back) {
        const Decoded decoded = decode(text.substr(0, end), end - back);
        if (decoded.bytes == back && (back == 1 || (static_cast<unsigned char>(text[end - back]) & 0xC0) == 0xC0)) {
            if (back == 1 && decoded.character == replacement &&
                (static_cast<unsigned char>(text[end - 1]) & 0xC0) == 0x80)
                continue;
            return decoded;
        }
    }
    return {replacement, 1};
}

bool is_final_sigma(std::string_view text, std::size_t at) {
    const Characters& known = Characters::known();
    bool before = false;
    for (std::size_t end = at; end > 0;) {
        const Decoded decoded = decode_before(text, end);
        const std::uint8_t flags = known.flags(decoded.character);
        before = (flags & cased) != 0;
        if (before || (flags & ignorable) == 0) break;
        end -= decoded.bytes;
    }
    if (!before) return false;
    for (std::size_t next = at + 2; next < text.size();) {
        const Decoded decoded = decode(text, next);
        const std::uint8_t flags = known.flags(decoded.character);
        if ((flags & cased) != 0) return false;
        if ((flags & ignorable) == 0) return true;
        next += decoded.bytes;
    }
    return true;
}

}  // namespace suffice::unicode
