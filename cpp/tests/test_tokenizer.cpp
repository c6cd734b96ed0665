#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "slow_tokens.hpp"
#include "suffice/tokenizer.hpp"

using namespace suffice;
using Unit = TokenizerOptions::Unit;

namespace {

std::string listed(const std::vector<std::string>& tokens) {
    std::string out;
    for (const std::string& token : tokens) out += (out.empty() ? "" : "|") + token;
    return out;
}

// The tokens of a text by the core, sorted and joined by bars, if they agree with the definition.
std::string cut(const TokenizerOptions& options, std::string_view text) {
    const std::string fast = listed(slow::fast_tokens(Tokenizer(options), text)),
                      defined = listed(slow::tokens(options, text));
    return fast == defined ? fast : "definition: " + defined + ", core: " + fast;
}

TokenizerOptions ngrams(Unit unit, std::uint32_t least, std::uint32_t most) {
    TokenizerOptions options;
    options.unit = unit;
    options.least_ngram = least;
    options.most_ngram = most;
    return options;
}

std::string refusal(const TokenizerOptions& options) {
    try {
        Tokenizer tokenizer(options);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST(words_are_lower_cased_runs_of_two_or_more_word_characters) {
    using namespace std::string_view_literals;
    const TokenizerOptions options;
    CHECK_EQUAL(cut(options, ""), "");
    CHECK_EQUAL(cut(options, " \n\t"), "");
    CHECK_EQUAL(cut(options, "a"), "");
    CHECK_EQUAL(cut(options, "ab"), "ab");
    CHECK_EQUAL(cut(options, "Buy NOW, buy_1 x 10%!"), "10|buy|buy_1|now");
    CHECK_EQUAL(cut(options, "ab\0cd"sv), "ab|cd");
    CHECK_EQUAL(cut(options, "@[`{AZ az 09 __"), "09|__|az|az");
    CHECK_EQUAL(cut(options, "ÀÉ straße ΟΔΟΣ ΟΔΟΣ."), "straße|àé|οδος|οδος");
    CHECK_EQUAL(cut(options,
                    "ab\xFF"
                    "cd e\xCC\x81"
                    "f"),
                "ab|cd");                 // a mark is not in \w
    CHECK_EQUAL(cut(options, "İx"), "");  // i, a combining dot above, x
    CHECK_EQUAL(cut(options, "水火 𝒳𝒴"), "水火|𝒳𝒴");
}

TEST(case_and_accents_are_kept_as_requested) {
    TokenizerOptions options;
    options.lowercase = false;
    CHECK_EQUAL(cut(options, "Ab ÀB ΟΔΟΣ"), "Ab|ÀB|ΟΔΟΣ");
    options.strip_accents = true;
    CHECK_EQUAL(cut(options, "ÀB ﬁx e\u0301a 가각 ǅ"), "AB|Dz|ea|fix|\u1100\u1161\u1100\u1161\u11A8");
    options.lowercase = true;
    CHECK_EQUAL(cut(options, "ÀB İX Ά\u0301Σ"), "ab|ix|ας");
}

TEST(words_have_a_least_and_a_greatest_length_in_characters) {
    TokenizerOptions options;
    options.least_length = 1;
    options.most_length = 3;
    CHECK_EQUAL(cut(options, "a ab abc abcd äöü äöüß"), "a|ab|abc|äöü");
    options.most_ngram = 2;
    CHECK_EQUAL(cut(options, "one three two"), "one|one two|two");
}

TEST(stop_words_are_removed_before_n_grams) {
    TokenizerOptions options = ngrams(Unit::words, 1, 2);
    options.stop_words = {"the", "of", "à"};
    CHECK_EQUAL(cut(options, "THE end of the À la carte"), "carte|end|end la|la|la carte");
}

TEST(n_grams_of_words_do_not_cross_documents) {
    const Tokenizer tokenizer(ngrams(Unit::words, 2, 3));
    TokenScratch scratch;  // earlier tokens stay in the bytes
    std::vector<std::string> tokens;
    for (const std::string_view text : {"aa bb", "cc dd", "ee"})
        tokenizer(text, scratch, [&](std::uint32_t start, std::uint32_t length) {
            tokens.emplace_back(scratch.bytes.data() + start, length);
        });
    CHECK_EQUAL(listed(tokens), "aa bb|cc dd");
    const TokenizerOptions five = ngrams(Unit::words, 1, 5);
    const auto all = slow::fast_tokens(Tokenizer(five), "aa bb cc dd ee ff");
    CHECK_EQUAL(all.size(), std::size_t{6 + 5 + 4 + 3 + 2});
    CHECK(all == slow::tokens(five, "aa bb cc dd ee ff"));
}

TEST(characters_in_words_and_across_them) {
    CHECK_EQUAL(cut(ngrams(Unit::chars, 2, 2), "Ab  c"), " c|ab|b ");
    CHECK_EQUAL(cut(ngrams(Unit::chars, 1, 1), "\t \n"), " ");
    CHECK_EQUAL(cut(ngrams(Unit::chars, 1, 1), "\t"), "\t");
    CHECK_EQUAL(cut(ngrams(Unit::chars, 2, 3), "a\u00A0b"), "a\u00A0|a\u00A0b|\u00A0b");
    CHECK_EQUAL(cut(ngrams(Unit::chars, 3, 3), "ab"), "");
    CHECK_EQUAL(cut(ngrams(Unit::chars_in_words, 2, 2), "Ab  c"), " a| c|ab|b |c ");
    CHECK_EQUAL(cut(ngrams(Unit::chars_in_words, 4, 5), "a bc"), " a | bc ");  // a shorter word counts once, whole
    CHECK_EQUAL(cut(ngrams(Unit::chars_in_words, 1, 1), " "), "");
    CHECK_EQUAL(cut(ngrams(Unit::chars, 1, 1), "\xFF\xED\xA0\x80"), "\uFFFD|\uFFFD");
}

TEST(a_set_of_characters_defines_the_tokens) {
    TokenizerOptions options;
    options.characters = {U"}", U"{", U";", U"é"};
    options.least_length = 1;
    CHECK_EQUAL(cut(options, "if (x) { y; }; é {{}}"), ";|{|{{}}|};|é");
    options.unit = Unit::chars;
    options.least_ngram = options.most_ngram = 2;
    CHECK_EQUAL(cut(options, "{{};x;}"), ";}|{{|{}|};");
    options.unit = Unit::chars_in_words;
    CHECK_EQUAL(cut(options, "{;x"), " {|; |{;");
    options.characters = {U"a", U" ", U"\t"};
    options.unit = Unit::chars;
    CHECK_EQUAL(cut(options, "a \tax  a"), " a| a|a ");
}

TEST(characters_of_a_group_are_one_symbol) {
    TokenizerOptions options = ngrams(Unit::chars, 1, 1);
    options.characters = {U"{}", U"[]", U";", U"éèê"};
    CHECK_EQUAL(cut(options, "if (x) { y[0]; }"), ";|[]|[]|{}|{}");
    CHECK_EQUAL(cut(options, "É è, e"), "éèê|éèê");
    options.most_ngram = 2;
    CHECK_EQUAL(cut(options, "{{};x;}"), ";|;|;{}|{}|{}|{}|{}|{};|{}{}|{}{}");
    options.unit = Unit::chars_in_words;
    CHECK_EQUAL(cut(options, "[;"), " | | []|;|; |[]|[];");
    options = ngrams(Unit::chars, 1, 2);
    options.characters = {U" \n", U"\tab", U"水火"};  // a run of white space is a space, and that is in a group
    CHECK_EQUAL(cut(options, "a\t\n水"), "\tab|\tab \n| \n| \n水火|水火");
    options.unit = Unit::chars_in_words;
    CHECK_EQUAL(cut(options, "a\n火"), "\tab|\tab | | | | | \tab| 水火|水火|水火 ");
}

TEST(invalid_groups_of_characters_are_rejected) {
    TokenizerOptions options = ngrams(Unit::chars, 1, 1);
    options.characters = {U"ab", U"bc"};
    CHECK_EQUAL(refusal(options), "a character must not be in two groups.");
    options.characters = {U"aa"};
    CHECK_EQUAL(refusal(options), "a character must not be in two groups.");
    options.characters = {U"a", U""};
    CHECK_EQUAL(refusal(options), "a group must have at least one character, and for words only one.");
    options.characters = {U"ab"};
    options.unit = Unit::words;
    CHECK_EQUAL(refusal(options), "a group must have at least one character, and for words only one.");
    options.characters = {U"a", U"a"};
    CHECK_EQUAL(refusal(options), "no error");
}

TEST(a_symbol_of_many_characters_is_written_whole) {
    TokenizerOptions options = ngrams(Unit::chars, 1, 3);
    std::u32string letters;
    for (char32_t c = 0x100; c < 0x2100; ++c) letters += c;
    options.characters = {letters};
    options.lowercase = false;
    std::string text;
    for (std::size_t k = 0; k < 40; ++k) unicode::append(text, letters[k * 97]);
    const auto tokens = slow::fast_tokens(Tokenizer(options), text);
    CHECK_EQUAL(tokens.size(), std::size_t{40 + 39 + 38});
    CHECK(tokens == slow::tokens(options, text));
}

TEST(tokens_and_characters_that_straddle_the_blocks_are_whole) {
    const std::vector<std::string> pieces = {"word",    "Wörter", "水", "𝒳𝒴",           "ΟΣ",           "ΟΣ'", "Σ",
                                             "e\u0301", "ﬁ",      "İ",  "\xF0\x9F\x98", "\xED\xA0\x80", "_",   "\xC3"};
    std::vector<TokenizerOptions> every(4);
    every[1].lowercase = false;
    every[1].least_length = 1;
    every[2].strip_accents = true;
    every[2].most_ngram = 2;
    every[3] = ngrams(Unit::chars_in_words, 2, 3);
    std::size_t wrong = 0;
    for (const TokenizerOptions& options : every) {
        const Tokenizer tokenizer(options);
        for (std::size_t before = 50; before < 140; ++before)
            for (const std::string& piece : pieces)
                for (const char fill : {' ', 'x', 'X'})
                    for (const char* after : {"", " ", "y", "Ya "}) {
                        const std::string text = std::string(before, fill) + piece + after;
                        wrong += slow::fast_tokens(tokenizer, text) != slow::tokens(options, text);
                    }
    }
    CHECK_EQUAL(wrong, std::size_t{0});
}

TEST(no_byte_beyond_the_text_is_read_and_none_is_skipped) {
    // The text fills its allocation, so that the sanitizer detects a read past its end.
    for (std::size_t length = 0; length < 200; ++length) {
        const std::vector<char> bytes(length, 'k');
        const auto tokens = slow::fast_tokens(Tokenizer({}), {bytes.data(), bytes.size()});
        CHECK_EQUAL(listed(tokens), length < 2 ? std::string() : std::string(length, 'k'));
    }
}

TEST(a_word_of_millions_of_characters_is_one_token) {
    std::string text(3'000'000, 'Q');
    CHECK(slow::fast_tokens(Tokenizer({}), text) == std::vector<std::string>{std::string(3'000'000, 'q')});
    text += "é";
    CHECK_EQUAL(slow::fast_tokens(Tokenizer({}), text).at(0).size(), std::size_t{3'000'002});
}

TEST(random_texts_have_the_tokens_of_the_definition) {
    const std::u32string alphabet = U"aAzZ_09 \t.':\u00AD\u0301éÉßİıſΣσςΑαﬁǅ가각水𝒳😀\u2028\u00A0\uFFFD";
    std::mt19937 random(5);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < 4000; ++k) {
        TokenizerOptions options = ngrams(static_cast<Unit>(random() % 3), 1 + random() % 2, 2 + random() % 3);
        options.lowercase = random() % 4 != 0;
        options.strip_accents = random() % 3 == 0;
        options.least_length = 1 + random() % 3;
        if (random() % 4 == 0) {
            const bool alone = options.unit == Unit::words;
            const std::size_t of = alone ? 1 : 1 + random() % 3;
            for (std::size_t at = 0; at < 4 + k % 12; at += of) options.characters.push_back(alphabet.substr(at, of));
        }
        std::string text;
        for (std::size_t left = random() % 150; left > 0; --left)
            if (random() % 16 == 0) text.push_back(static_cast<char>(random()));
            else unicode::append(text, alphabet[random() % 3 == 0 ? random() % alphabet.size() : random() % 8]);
        wrong += slow::fast_tokens(Tokenizer(options), text) != slow::tokens(options, text);
    }
    CHECK_EQUAL(wrong, std::size_t{0});
}

TEST(invalid_n_gram_ranges_are_rejected) {
    CHECK_EQUAL(refusal(ngrams(Unit::words, 0, 1)), "n-gram lengths must be from 1 to 64: got 0 to 1.");
    CHECK_EQUAL(refusal(ngrams(Unit::words, 3, 2)), "n-gram lengths must be from 1 to 64: got 3 to 2.");
    CHECK_EQUAL(refusal(ngrams(Unit::chars, 1, 65)), "n-gram lengths must be from 1 to 64: got 1 to 65.");
    CHECK_EQUAL(refusal(ngrams(Unit::chars, 64, 64)), "no error");
}
