// The lines of delimited text: where they end, how many fields each has, and whether anything has to be tidied before
// a parser reads them. A record is a line, or several where a quoted field holds line ends; a blank line is none.
//
// A field may stand in quotes when its first character that is not blank is one; a quote within quotes is written twice.
// Anywhere else a quote is a character like any other. Blanks around a field do not belong to it, nor do carriage returns
// behind it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace suffice {

struct Delimited {
    char delimiter;
    bool quoted;  // whether fields may stand in quotes
};

struct BadLine {
    std::size_t begin;   // of the record, from the start of the text
    std::size_t end;     // past it, without its line end
    std::size_t line;    // how many line ends stand before it
    std::size_t fields;  // how many it has
};

struct LineScan {
    std::size_t end = 0;      // past the last record that is whole
    std::size_t records = 0;  // that are whole and have the number of fields that was asked for
    std::size_t lines = 0;    // line ends before `end`, blank lines and those in quotes too
    std::size_t bad = 0;      // records with another number of fields
    bool untidy = false;      // there are blank lines, blanks around fields, or quotes that do not open a field
    std::vector<BadLine> first_bad;  // at most as many as were asked for
};

// fields = 0 asks for no number of fields. `last` says that nothing follows the text: its last line needs no line end,
// and an open quote ends there, in a record of 0 fields.
LineScan scan_lines(std::string_view text, Delimited how, std::size_t fields, bool last, std::size_t shown);

// The whole records of the text that have that number of fields, each field without the blanks around it and in quotes
// where it needs them, and the line end "\n"; `text` holds whole records, as scan_lines says.
std::string tidy_lines(std::string_view text, Delimited how, std::size_t fields);

// How many line ends stand before the given record among those that tidy_lines keeps, and where that record begins.
struct RecordPlace {
    std::size_t begin;
    std::size_t line;
};
RecordPlace place_of_record(std::string_view text, Delimited how, std::size_t fields, std::size_t record);

}  // namespace suffice
