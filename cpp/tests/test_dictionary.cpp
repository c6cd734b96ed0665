#include <cstring>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>

#include "arrow_texts.hpp"
#include "check.hpp"
#include "suffice/dictionary.hpp"

using namespace suffice;
using arrow_texts::Rows;

namespace {

// The definition: a map from text to the number of its first appearance.
struct Slow {
    std::map<std::string, std::int32_t> codes;

    std::vector<std::int32_t> encode(const Rows& rows, bool grow) {
        std::vector<std::int32_t> out;
        for (const auto& row : rows) {
            if (!row) out.push_back(-1);
            else if (const auto found = codes.find(*row); found != codes.end()) out.push_back(found->second);
            else if (grow) out.push_back(codes.emplace(*row, static_cast<std::int32_t>(codes.size())).first->second);
            else out.push_back(-2);
        }
        return out;
    }
};

template <class Texts>
std::vector<std::int32_t> encoded(const Texts& texts, Dictionary& dictionary, bool grow) {
    std::vector<std::int32_t> codes(texts.rows, -9);
    encode(texts, dictionary, grow, codes.data(), {});
    return codes;
}

template <class Texts>
std::string refusal(const Texts& texts, Dictionary& dictionary) {
    try {
        encoded(texts, dictionary, true);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no error";
}

void check_labels(const Dictionary& dictionary, const Slow& slow) {
    CHECK_EQUAL(dictionary.size(), slow.codes.size());
    for (const auto& [text, code] : slow.codes) {
        CHECK_EQUAL(dictionary.label(static_cast<std::size_t>(code)), text);
        CHECK_EQUAL(dictionary.find(text), code);
    }
}

const std::string at_fault =
    " The library that produced the column is at fault: recreate the column, or pass a list of str.";

}  // namespace

TEST(codes_count_first_appearances) {
    Dictionary dictionary;
    CHECK_EQUAL(dictionary.code("b", false), -2);
    CHECK_EQUAL(dictionary.code("b", true), 0);
    CHECK_EQUAL(dictionary.code("", true), 1);
    CHECK_EQUAL(dictionary.code("a", true), 2);
    CHECK_EQUAL(dictionary.code("b", true), 0);
    CHECK_EQUAL(dictionary.code(std::string_view("\0", 1), false), -2);
    CHECK_EQUAL(dictionary.code("", false), 1);
    CHECK_EQUAL(dictionary.size(), std::size_t{3});
}

TEST(a_dictionary_agrees_with_a_map_on_every_layout) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        const std::size_t bit = seed % 11;
        const Rows first = arrow_texts::random_rows(seed * 17 % 300, seed),
                   second = arrow_texts::random_rows(200, seed + 1000);
        Slow slow;
        Dictionary by32, by64, by_views, by_padded;
        for (const bool grow : {true, false, true}) {
            const Rows& rows = grow ? first : second;
            const std::vector<std::int32_t> expected = slow.encode(rows, grow);
            CHECK(encoded(arrow_texts::Offsets<std::int32_t>(rows, bit).texts, by32, grow) == expected);
            CHECK(encoded(arrow_texts::Offsets<std::int64_t>(rows, bit).texts, by64, grow) == expected);
            CHECK(encoded(arrow_texts::Views(rows, bit).texts, by_views, grow) == expected);
            CHECK(encoded(arrow_texts::Views(rows, bit, '#').texts, by_padded, grow) == expected);
        }
        for (const Dictionary* dictionary : {&by32, &by64, &by_views, &by_padded}) check_labels(*dictionary, slow);
    }
}

TEST(long_texts_at_scattered_locations_agree_with_a_map) {
    // Texts of every length from 11 to 30, some that differ in one byte only; some rows are missing.
    std::vector<std::string> texts;
    for (std::size_t length = 11; length <= 30; ++length)
        for (std::size_t k = 0; k <= length; ++k) {
            texts.emplace_back(length, 'x');
            if (k < length) texts.back()[k] = 'y';
        }
    std::mt19937 random(7);
    Rows first, second;
    for (std::size_t i = 0; i < 40'000; ++i) {
        const bool missing = random() % 11 == 0;
        const std::size_t known = random() % (texts.size() / 2), any = random() % texts.size();
        first.push_back(missing ? std::nullopt : std::optional(texts[known]));
        second.push_back(missing ? std::nullopt : std::optional(texts[any]));
    }
    Slow slow;
    Dictionary dictionary;
    for (const bool grow : {true, false, true}) {
        const Rows& rows = slow.codes.empty() ? first : second;
        CHECK(encoded(arrow_texts::Views(rows, 3).texts, dictionary, grow) == slow.encode(rows, grow));
    }
    check_labels(dictionary, slow);
}

TEST(the_prefix_in_a_view_is_not_trusted) {
    const Rows rows = {"aaaa0123456789", "bbbb0123456789", "aaaa0123456789"};
    arrow_texts::Views views(rows, 0);
    for (std::size_t i = 0; i < rows.size(); ++i) std::memset(views.views.get() + i * 16 + 4, 0, 4);
    Dictionary dictionary;
    CHECK(encoded(views.texts, dictionary, true) == std::vector<std::int32_t>({0, 1, 0}));
}

TEST(a_million_texts_keep_their_codes_as_the_table_widens) {
    Dictionary dictionary;
    for (int i = 0; i < 1'000'000; ++i) CHECK_EQUAL(dictionary.add(std::to_string(i * 7)), i);
    for (int i = 0; i < 1'000'000; i += 997) {
        CHECK_EQUAL(dictionary.find(std::to_string(i * 7)), i);
        CHECK_EQUAL(dictionary.find(std::to_string(i * 7 + 1)), -2);
    }
}

TEST(texts_that_differ_in_one_byte_differ_at_every_length) {
    Dictionary dictionary;
    std::int32_t next = 0;
    for (std::size_t length = 0; length < 70; ++length) {
        CHECK_EQUAL(dictionary.add(std::string(length, 'x')), next++);
        for (std::size_t k = 0; k < length; ++k) {
            std::string text(length, 'x');
            text[k] = '\0';
            CHECK_EQUAL(dictionary.add(text), next++);
        }
    }
}

TEST(truncated_texts_were_never_added) {
    Dictionary dictionary, plain;
    for (int i = 0; i < 20; ++i) dictionary.add(std::to_string(i)), plain.add(std::to_string(i));
    for (int i = 20; i < 5000; ++i) dictionary.add(std::to_string(i));
    dictionary.truncate(20);
    CHECK_EQUAL(dictionary.size(), std::size_t{20});
    for (int i = 0; i < 5000; ++i) CHECK_EQUAL(dictionary.find(std::to_string(i)), plain.find(std::to_string(i)));
    CHECK_EQUAL(dictionary.add("4000"), 20);
    CHECK_EQUAL(dictionary.label(20), std::string_view("4000"));
    dictionary.truncate(0);
    CHECK_EQUAL(dictionary.size(), std::size_t{0});
    CHECK_EQUAL(dictionary.add("7"), 0);
}

TEST(a_full_dictionary_throws_and_keeps_its_texts) {
    Dictionary dictionary(2);
    const Rows rows{"a", "b", "a", "c"};
    std::string message;
    try {
        encoded(arrow_texts::Offsets<std::int32_t>(rows, 0).texts, dictionary, true);
    } catch (const std::length_error& error) {
        message = error.what();
    }
    CHECK_EQUAL(message,
                "a dictionary holds at most 2 distinct texts, and the column has more. Group them into fewer "
                "categories, or model them as words.");
    CHECK_EQUAL(dictionary.size(), std::size_t{0});
    CHECK(encoded(arrow_texts::Offsets<std::int32_t>({"a", "b", "a"}, 0).texts, dictionary, true) ==
          std::vector<std::int32_t>({0, 1, 0}));
}

TEST(an_interrupted_call_leaves_the_dictionary_unchanged) {
    const Rows rows(600'000, "a");
    const arrow_texts::Offsets<std::int32_t> laid(rows, 3);
    std::vector<std::int32_t> codes(rows.size());
    Dictionary dictionary;
    int asked = 0;
    bool stopped = false;
    try {
        encode(laid.texts, dictionary, true, codes.data(), [&] { return ++asked == 2; });
    } catch (const Interrupted&) {
        stopped = true;
    }
    CHECK(stopped);
    CHECK_EQUAL(dictionary.size(), std::size_t{0});
}

TEST(invalid_offsets_are_rejected) {
    const std::int32_t beyond[] = {0, 2, 1}, falling[] = {2, 1, 3}, negative[] = {-1, 2, 3}, good[] = {0, 1, 2};
    Dictionary dictionary;
    const auto from = [](const std::int32_t* offsets, const char* bytes) {
        return OffsetTexts<std::int32_t>{offsets, bytes, 2, {}};
    };
    CHECK_EQUAL(
        refusal(from(beyond, "ab"), dictionary),
        "the Arrow column is malformed: row 0 runs from byte 0 to byte 2, beyond the last offset, 1." + at_fault);
    CHECK_EQUAL(refusal(from(falling, "abc"), dictionary),
                "the Arrow column is malformed: row 0 runs from byte 2 to byte 1, but offsets must be non-negative and "
                "non-decreasing." +
                    at_fault);
    CHECK_EQUAL(refusal(from(negative, "ab"), dictionary),
                "the Arrow column is malformed: row 0 runs from byte -1 to byte 2, but offsets must be non-negative "
                "and non-decreasing." +
                    at_fault);
    CHECK_EQUAL(refusal(from(good, nullptr), dictionary),
                "the Arrow column is malformed: row 0 has 1 bytes, but the column has no byte buffer." + at_fault);
    CHECK_EQUAL(dictionary.size(), std::size_t{0});  // not even the valid row before the invalid one
    CHECK_EQUAL(refusal(from(good, "ab"), dictionary), "no error");
}

TEST(views_out_of_range_are_rejected) {
    const std::string text(20, 'q');
    Dictionary dictionary;
    const auto spoilt = [&](std::size_t field, std::int32_t value) {
        arrow_texts::Views laid({"ok", text}, 0);
        arrow_texts::Views::put(laid.views.get() + 16 + field * 4, value);
        return refusal(laid.texts, dictionary);
    };
    const std::string malformed = "the Arrow column is malformed: row 1 ";
    CHECK_EQUAL(spoilt(0, -1), malformed + "has a length of -1 bytes." + at_fault);
    CHECK_EQUAL(spoilt(0, 21), malformed + "runs from byte 0 to byte 21 of a buffer of 20." + at_fault);
    CHECK_EQUAL(spoilt(0, 2147483647), malformed + "runs from byte 0 to byte 2147483647 of a buffer of 20." + at_fault);
    CHECK_EQUAL(spoilt(2, 1), malformed + "points into buffer 1, but the column has 1." + at_fault);
    CHECK_EQUAL(spoilt(2, -1), malformed + "points into buffer -1, but the column has 1." + at_fault);
    CHECK_EQUAL(spoilt(3, 1), malformed + "runs from byte 1 to byte 21 of a buffer of 20." + at_fault);
    CHECK_EQUAL(spoilt(3, -1), malformed + "runs from byte -1 to byte 19 of a buffer of 20." + at_fault);
    CHECK_EQUAL(dictionary.size(), std::size_t{0});
    arrow_texts::Views laid({"ok", text}, 0);
    laid.buffers[0] = nullptr;
    CHECK_EQUAL(refusal(laid.texts, dictionary),
                malformed + "has 20 bytes, but the column has no byte buffer." + at_fault);
}

TEST(wide_texts_become_utf8) {
    const char32_t cells[][4] = {
        {U'a', U'é', 0, 0}, {0, 0, 0, 0}, {U'水', 0, U'😀', 0}, {U'a', U'é', 0, 0}, {U'a', U'b', U'c', U'd'}};
    const WideTexts texts{reinterpret_cast<const std::byte*>(cells), 5, 4, 16, false};
    Dictionary dictionary;
    CHECK(encoded(texts, dictionary, true) == std::vector<std::int32_t>({0, 1, 2, 0, 3}));
    CHECK_EQUAL(dictionary.label(0), std::string_view("a\xc3\xa9"));
    CHECK_EQUAL(dictionary.label(2), std::string_view("\xe6\xb0\xb4\0\xf0\x9f\x98\x80", 8));
    const WideTexts backwards{reinterpret_cast<const std::byte*>(cells[4]), 5, 4, -16, false};
    CHECK(encoded(backwards, dictionary, false) == std::vector<std::int32_t>({3, 0, 2, 1, 0}));
}

TEST(invalid_code_points_are_rejected) {
    Dictionary dictionary;
    for (const auto& [character, message] : std::map<char32_t, std::string>{
             {0xd800,
              "row 1 holds the lone surrogate U+D800, which UTF-8 cannot encode. Replace it: text.encode('utf-8', "
              "'replace').decode('utf-8')."},
             {0xdfff,
              "row 1 holds the lone surrogate U+DFFF, which UTF-8 cannot encode. Replace it: text.encode('utf-8', "
              "'replace').decode('utf-8')."},
             {0x110000, "row 1 holds the number 1114112, which is not a Unicode character. Recreate the str array."}}) {
        const char32_t cells[] = {U'a', character};
        CHECK_EQUAL(refusal(WideTexts{reinterpret_cast<const std::byte*>(cells), 2, 1, 4, false}, dictionary), message);
        CHECK_EQUAL(dictionary.size(), std::size_t{0});
    }
}
