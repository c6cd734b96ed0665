#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "suffice/lines.hpp"

using namespace suffice;

namespace {

constexpr Delimited commas{',', true};

LineScan scanned(const std::string& text, std::size_t fields = 2, bool last = true, Delimited how = commas) {
    return scan_lines(text, how, fields, last, 8);
}

// Random characters: the scan of 64 characters at a time must agree with a scan of each record by itself.
std::string random_text(std::mt19937& random, std::size_t size) {
    static const std::string characters = "ab, \t\r\n\"\n,xyz,12";
    std::string text;
    while (text.size() < size) text += characters[random() % characters.size()];
    return text;
}

}  // namespace

TEST(lines_are_counted_and_cut_at_the_last_whole_record) {
    const LineScan scan = scanned("a,b\nc,d\ne,", 2, false);
    CHECK_EQUAL(scan.records, 2u);
    CHECK_EQUAL(scan.end, 8u);
    CHECK_EQUAL(scan.lines, 2u);
    CHECK_EQUAL(scan.bad, 0u);
    CHECK(!scan.untidy);
    CHECK_EQUAL(scanned("a,b\nc,d\ne,").records, 3u);
    CHECK_EQUAL(scanned("").records, 0u);
}

TEST(a_line_with_another_number_of_fields_is_bad) {
    const LineScan scan = scanned("a,b\nc\n\nd,e,f\ng,h\n");
    CHECK_EQUAL(scan.records, 2u);
    CHECK_EQUAL(scan.bad, 2u);
    CHECK(scan.untidy);
    CHECK_EQUAL(scan.first_bad[0].line, 1u);
    CHECK_EQUAL(scan.first_bad[0].fields, 1u);
    CHECK_EQUAL(scan.first_bad[1].line, 3u);
    CHECK_EQUAL(scan.first_bad[1].fields, 3u);
    CHECK_EQUAL(tidy_lines("a,b\nc\n\nd,e,f\ng,h\n", commas, 2), std::string("a,b\ng,h\n"));
    CHECK_EQUAL(place_of_record("a,b\nc\n\nd,e,f\ng,h\n", commas, 2, 1).line, 4u);
}

TEST(quotes_hold_delimiters_and_line_ends) {
    const std::string text = "\"a,\n b\",c\n\"x\"\"y\",z\n";
    const LineScan scan = scanned(text);
    CHECK_EQUAL(scan.records, 2u);
    CHECK_EQUAL(scan.lines, 3u);
    CHECK(!scan.untidy);
    CHECK_EQUAL(tidy_lines(text, commas, 2), text);
    CHECK_EQUAL(scanned(text, 2, true, {',', false}).records, 3u);
}

TEST(an_unclosed_quote_is_a_bad_record) {
    CHECK_EQUAL(scanned("a,b\n\"c,d\ne,f\n", 2, false).end, 4u);
    const LineScan scan = scanned("a,b\n\"c,d\ne,f\n");
    CHECK_EQUAL(scan.records, 1u);
    CHECK_EQUAL(scan.bad, 1u);
    CHECK_EQUAL(scan.first_bad[0].fields, 0u);
    CHECK_EQUAL(scan.first_bad[0].line, 1u);
}

TEST(tidy_fields_have_no_blanks_around_them_and_stray_quotes_are_text) {
    CHECK_EQUAL(tidy_lines(" a , b\r\n5\" pipe,\t\"c d\" \n\n", commas, 2),
                std::string("a,b\n\"5\"\" pipe\",\"c d\"\n"));
    CHECK_EQUAL(tidy_lines("\"a\"b,c\n", commas, 2), std::string("\"\"\"a\"\"b\",c\n"));
    CHECK_EQUAL(tidy_lines("a\t b\n", {'\t', true}, 2), std::string("a\tb\n"));
    CHECK_EQUAL(tidy_lines("a  b\t\n", {' ', true}, 3), std::string("a  b\n"));  // the delimiter is not a blank
    CHECK_EQUAL(tidy_lines("a\r,\rb\r\r\n", commas, 2), std::string("a,\rb\n"));
}

TEST(the_fast_scan_agrees_with_the_slow_one) {
    std::mt19937 random(7);
    for (int round = 0; round < 3000; ++round) {
        const std::string text = random_text(random, random() % 400);
        for (const Delimited how : {commas, Delimited{',', false}, Delimited{'\t', true}, Delimited{' ', true}}) {
            const std::string tidy = tidy_lines(text, how, 2);
            const LineScan whole = scan_lines(text, how, 2, true, 1000), again = scan_lines(tidy, how, 2, true, 8);
            CHECK_EQUAL(again.records, whole.records);
            CHECK_EQUAL(again.bad, 0u);
            CHECK_EQUAL(whole.end, text.size());
            CHECK_EQUAL(tidy_lines(tidy, how, 2), tidy);
            if (!whole.untidy && whole.bad == 0) {
                std::string plain;  // then only carriage returns may differ
                for (std::size_t i = 0; i < text.size(); ++i)
                    if (text[i] != '\r' || (i + 1 < text.size() && text[i + 1] != '\n')) plain += text[i];
                if (!plain.empty() && plain.back() != '\n') plain += '\n';
                CHECK_EQUAL(tidy.size(), plain.size());
            }
            // Wherever the text is cut, the complete records of the first part and the rest give the same records.
            const std::size_t cut = text.empty() ? 0 : random() % text.size();
            const LineScan first = scan_lines(std::string_view(text).substr(0, cut), how, 2, false, 1000);
            const LineScan rest = scan_lines(std::string_view(text).substr(first.end), how, 2, true, 1000);
            CHECK_EQUAL(first.records + rest.records, whole.records);
            CHECK_EQUAL(first.bad + rest.bad, whole.bad);
            CHECK_EQUAL(first.lines + rest.lines, whole.lines);
            for (std::size_t r = 0; r < whole.records; r += 7)
                CHECK(place_of_record(text, how, 2, r).begin < text.size());
        }
    }
}
