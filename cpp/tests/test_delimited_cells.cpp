#include "suffice/delimited_cells.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "suffice/texts.hpp"

using namespace suffice;

namespace {

constexpr Delimited commas{',', true};

// Exactly as long as the text: whatever is read beyond it is found out.
std::optional<RecordBatch> parsed(const std::string& text, const std::vector<CellKind>& kinds, std::size_t rows,
                                  const std::vector<std::string>& markers = {"?"}, Delimited how = commas) {
    const std::vector<char> exact(text.begin(), text.end());
    std::vector<CellColumn> columns;
    for (const CellKind kind : kinds) columns.push_back({"c", kind});
    return parse_cells({exact.data(), exact.size()}, how, columns, rows, markers);
}

const ArrowArray& child(const RecordBatch& batch, std::size_t at) { return *(*batch.array).children[at]; }

template <class Value>
Value value_at(const ArrowArray& column, std::size_t row) {
    return load<Value>(column.buffers[1], row);
}

bool valid_at(const ArrowArray& column, std::size_t row) {
    return Validity{static_cast<const std::uint8_t*>(column.buffers[0]), 0}(row);
}

std::string text_at(const ArrowArray& column, std::size_t row) {
    const auto number = static_cast<std::size_t>(column.n_buffers) - 3;
    const ViewTexts texts{static_cast<const std::byte*>(column.buffers[1]), {column.buffers + 2, number}, column.buffers[2 + number],
                          static_cast<std::size_t>(column.length), {}};
    return std::string(texts.at(row));
}

}  // namespace

TEST(cells_are_read_by_their_columns) {
    const auto batch = parsed("-12,0.25,true,a\n?,-1.5,false,\"b,\"\"c\"\"\"\n7,,,a text of some length\n",
                              {CellKind::integer, CellKind::real, CellKind::boolean, CellKind::text}, 3);
    CHECK(batch.has_value());
    CHECK_EQUAL((*batch->array).n_children, 4);
    CHECK_EQUAL(value_at<std::int64_t>(child(*batch, 0), 0), -12);
    CHECK_EQUAL(value_at<std::int64_t>(child(*batch, 0), 2), 7);
    CHECK_EQUAL(child(*batch, 0).null_count, 1);
    CHECK(!valid_at(child(*batch, 0), 1));
    CHECK_EQUAL(value_at<double>(child(*batch, 1), 0), 0.25);
    CHECK_EQUAL(value_at<double>(child(*batch, 1), 1), -1.5);
    CHECK(!valid_at(child(*batch, 1), 2));
    CHECK_EQUAL(static_cast<int>(value_at<std::uint8_t>(child(*batch, 2), 0)), 1);
    CHECK_EQUAL(text_at(child(*batch, 3), 0), std::string("a"));
    CHECK_EQUAL(text_at(child(*batch, 3), 1), std::string("b,\"c\""));
    CHECK_EQUAL(text_at(child(*batch, 3), 2), std::string("a text of some length"));
    CHECK_EQUAL(child(*batch, 3).null_count, 0);
}

TEST(a_column_taken_out_of_a_batch_outlives_it) {
    auto batch = parsed("a text of some length,1\n", {CellKind::text, CellKind::integer}, 1);
    Owned<ArrowArray> taken(*(*batch->array).children[0]);
    batch.reset();
    CHECK_EQUAL(text_at(*taken, 0), std::string("a text of some length"));
}

TEST(numbers_of_any_length_are_what_the_library_reads) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 20'000; ++round) {
        std::string number = random() % 2 ? "-" : "";
        const std::size_t whole = random() % 10, places = random() % 19;
        for (std::size_t i = 0; i <= whole; ++i) number += static_cast<char>('0' + random() % 10);
        if (places > 0) number += '.';
        for (std::size_t i = 0; i < places; ++i) number += static_cast<char>('0' + random() % 10);
        const auto batch = parsed(number, {CellKind::real}, 1);
        CHECK(batch.has_value());
        CHECK_EQUAL(value_at<double>(child(*batch, 0), 0), std::strtod(number.c_str(), nullptr));
        const std::string integer = number.substr(0, number.find('.'));
        const auto whole_batch = parsed(integer + "\r\n", {CellKind::integer}, 1);
        CHECK(whole_batch.has_value());
        CHECK_EQUAL(value_at<std::int64_t>(child(*whole_batch, 0), 0), std::strtoll(integer.c_str(), nullptr, 10));
    }
}

TEST(a_row_is_the_same_wherever_it_stands) {
    std::mt19937 random(5);
    for (std::size_t rows = 1; rows < 3000; rows += 1 + random() % 90) {
        std::string text;
        std::vector<std::string> names;
        for (std::size_t row = 0; row < rows; ++row) {
            names.push_back(std::string(random() % 40, static_cast<char>('a' + random() % 3)));
            text += std::to_string(row) + "," + (random() % 2 ? names.back() : "\"" + names.back() + "\"") + ",x\n";
        }
        if (rows % 2) text.pop_back();
        const auto batch = parsed(text, {CellKind::integer, CellKind::text, CellKind::skipped}, rows);
        CHECK(batch.has_value());
        for (std::size_t row = 0; row < rows; ++row) {
            CHECK_EQUAL(value_at<std::int64_t>(child(*batch, 0), row), static_cast<std::int64_t>(row));
            CHECK_EQUAL(text_at(child(*batch, 1), row), names[row]);
            CHECK_EQUAL(valid_at(child(*batch, 1), row), !names[row].empty());
        }
    }
}

TEST(any_characters_are_read_or_left) {
    static const std::string characters = "ab,,\r\n\n\"\"?0123456789.-+eE\xc3\xa9\xff";
    std::mt19937 random(3);
    std::size_t read = 0;
    for (int round = 0; round < 50'000; ++round) {
        std::string text;
        const std::size_t size = random() % 120;
        while (text.size() < size) text += characters[random() % characters.size()];
        std::vector<CellKind> kinds(random() % 3);
        for (CellKind& kind : kinds) kind = static_cast<CellKind>(random() % 5);
        read += parsed(text, kinds, random() % 6, {"?", "0"}, {',', random() % 2 == 0}).has_value();
    }
    CHECK(read > 0);
}
