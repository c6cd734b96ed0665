#include <string>
#include <vector>

#include "check.hpp"
#include "slow_tokens.hpp"
#include "suffice/unicode.hpp"

using namespace suffice;

namespace {

// The characters of a text as decoded by the core: hexadecimal numbers with the bytes that each took.
std::string shapes(std::string_view text) {
    std::string out;
    char number[16];
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        std::snprintf(number, sizeof number, "%s%X/%zu", at == 0 ? "" : " ", static_cast<unsigned>(decoded.character),
                      decoded.bytes);
        out += number;
        at += decoded.bytes;
    }
    return out;
}

bool is_final(std::string_view text) { return unicode::is_final_sigma(text, text.find("\u03A3")); }

char32_t lower(char32_t c) { return slow::has(c, unicode::has_lower) ? unicode::Characters::known().lower(c) : c; }

}  // namespace

TEST(every_character_is_decoded_from_its_own_bytes) {
    std::size_t wrong = 0;
    for (char32_t c = 0; c <= unicode::last; ++c) {
        if (c >= 0xD800 && c < 0xE000) continue;
        std::string bytes;
        unicode::append(bytes, c);
        const unicode::Decoded forwards = unicode::decode(bytes, 0),
                               backwards = unicode::decode_before(bytes, bytes.size());
        wrong += forwards.character != c || forwards.bytes != bytes.size() || backwards.character != c ||
                 backwards.bytes != bytes.size();
    }
    CHECK_EQUAL(wrong, std::size_t{0});
}

TEST(invalid_utf8_is_replaced_part_by_part) {
    using namespace std::string_view_literals;
    CHECK_EQUAL(shapes("a\0b"sv), "61/1 0/1 62/1");
    CHECK_EQUAL(shapes("\x80"), "FFFD/1");  // a continuation byte on its own
    CHECK_EQUAL(shapes("\xBF\xBF"), "FFFD/1 FFFD/1");
    CHECK_EQUAL(shapes("\xC0\xAF"), "FFFD/1 FFFD/1");  // an overlong encoding of /
    CHECK_EQUAL(shapes("\xC1\xBF"), "FFFD/1 FFFD/1");
    CHECK_EQUAL(shapes("\xE0\x80\xAF"), "FFFD/1 FFFD/1 FFFD/1");
    CHECK_EQUAL(shapes("\xF0\x8F\xBF\xBF"), "FFFD/1 FFFD/1 FFFD/1 FFFD/1");
    CHECK_EQUAL(shapes("\xF4\x90\x80\x80"), "FFFD/1 FFFD/1 FFFD/1 FFFD/1");  // beyond the last character
    CHECK_EQUAL(shapes("\xF5\x80"), "FFFD/1 FFFD/1");
    CHECK_EQUAL(shapes("\xFE\xFF"), "FFFD/1 FFFD/1");
    CHECK_EQUAL(shapes("\xC3"), "FFFD/1");  // truncated
    CHECK_EQUAL(shapes("\xE2\x82"), "FFFD/2");
    CHECK_EQUAL(shapes("\xF0\x9F\x98"), "FFFD/3");
    CHECK_EQUAL(shapes("\xC3"
                       "a"),
                "FFFD/1 61/1");  // followed by another first byte
    CHECK_EQUAL(shapes("\xE2\x82"
                       "a"),
                "FFFD/2 61/1");
    CHECK_EQUAL(shapes("\xF0\x9F\x98\xC3\xA9"), "FFFD/3 E9/2");
    CHECK_EQUAL(shapes("\xF0\xF0\x9F\x98\x80"), "FFFD/1 1F600/4");
    CHECK_EQUAL(shapes("\xED\xA0\x80"), "FFFD/3");  // one lone surrogate, then two
    CHECK_EQUAL(shapes("\xED\xA0\xBD\xED\xB8\x80"), "FFFD/3 FFFD/3");
    CHECK_EQUAL(shapes("\xED\x9F\xBF\xEE\x80\x80"), "D7FF/3 E000/3");
    CHECK_EQUAL(shapes("\xEF\xBF\xBD"), "FFFD/3");
    CHECK_EQUAL(shapes("\xF4\x8F\xBF\xBF"), "10FFFF/4");
}

TEST(four_bytes_of_every_kind_are_decoded_in_both_directions) {
    const unsigned char kinds[] = {0x00, 'a',  0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2,
                                   0xCE, 0xDF, 0xE0, 0xE1, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF4, 0xF5, 0xFF};
    std::size_t wrong = 0;
    std::vector<std::size_t> bounds;
    for (const unsigned char a : kinds)
        for (const unsigned char b : kinds)
            for (const unsigned char c : kinds)
                for (const unsigned char d : kinds) {
                    const char bytes[] = {static_cast<char>(a), static_cast<char>(b), static_cast<char>(c),
                                          static_cast<char>(d)};
                    const std::string_view text(bytes, 4);
                    bounds.assign(1, 0);
                    for (std::size_t at = 0; at < 4; at = bounds.back()) {
                        const auto [character, taken] = slow::front(text.substr(at));
                        const unicode::Decoded decoded = unicode::decode(text, at);
                        wrong += decoded.character != character || decoded.bytes != taken;
                        const unicode::Decoded back = unicode::decode_before(text, at + taken);
                        wrong += back.character != character || back.bytes != taken;
                        bounds.push_back(at + taken);
                    }
                }
    CHECK_EQUAL(wrong, std::size_t{0});
}

TEST(decoding_stops_at_the_end_of_the_text) {
    const std::string text = "\xF0\x9F\x98\x80";
    for (std::size_t length = 1; length < 4; ++length)
        CHECK_EQUAL(unicode::decode(std::string_view(text).substr(0, length), 0).bytes, length);
}

TEST(lower_case_and_decompositions_of_some_characters) {
    const unicode::Characters& known = unicode::Characters::known();
    CHECK_EQUAL(std::string(unicode::version()), "14.0.0");
    CHECK(lower(U'A') == U'a' && lower(U'Z') == U'z' && lower(U'@') == U'@' && lower(U'[') == U'[');
    CHECK(lower(U'À') == U'à' && lower(U'ẞ') == U'ß' && lower(U'K') == U'k' && lower(U'Ǆ') == U'ǆ' &&
          lower(U'ı') == U'ı');
    CHECK(lower(0x10400) == 0x10428 && lower(0x1E900) == 0x1E922);  // Deseret, Adlam
    const auto plain = [&](char32_t c) { return std::u32string(known.plain(c).begin(), known.plain(c).end()); };
    CHECK(plain(U'é') == U"e" && plain(U'ﬁ') == U"fi" && plain(U'ﷺ').size() == 18 && plain(0x1D400) == U"A");
    CHECK(slow::has(0x301, unicode::has_plain) && plain(0x301).empty());  // a mark is removed
    const unicode::Letters two = unicode::letters_of(U'가'), three = unicode::letters_of(U'한');
    CHECK(two.number == 2 && two.letter[0] == 0x1100 && two.letter[1] == 0x1161);
    CHECK(three.number == 3 && three.letter[0] == 0x1112 && three.letter[1] == 0x1161 && three.letter[2] == 0x11AB);
    CHECK(!unicode::is_syllable(0xABFF) && unicode::is_syllable(0xD7A3) && !unicode::is_syllable(0xD7A4));
}

TEST(a_capital_sigma_is_final_after_a_letter_and_before_none) {
    CHECK(is_final("ΟΔΟΣ") && is_final("aΣ") && is_final("aΣ ") && is_final("aΣ1"));
    CHECK(!is_final("Σ") && !is_final(" Σ") && !is_final("1Σ") && !is_final("ΣΑ") && !is_final("aΣb"));
    // Ignorable characters
    CHECK(is_final("a'Σ") && is_final("a.:Σ") && is_final("a\u0301Σ") && is_final("a\u00ADΣ'"));
    CHECK(!is_final("'Σ") && !is_final("aΣ'b") && !is_final("aΣ\u0301\u0301b"));
    CHECK(!is_final("a\xFFΣ") &&
          is_final("aΣ\xFF"
                   "b") &&
          !is_final("a\xE2\x82Σ") &&
          is_final("aΣ\xED\xA0\x80"
                   "b"));
    CHECK(is_final("𐐀Σ") && !is_final("aΣ𐐀"));
}
