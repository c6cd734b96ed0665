// The lines of delimited text: where they end, how many fields each has, and whether the text must be normalised before
// a parser reads it. A record is one line, or several where a quoted field contains line ends; a blank line is not a
// record.
//
// A field may be quoted when its first non-blank character is a quote; a quote inside quotes is doubled. Anywhere else
// a quote is an ordinary character. Blanks around a field and carriage returns after it do not belong to the field.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace suffice {

struct Delimited {
    char delimiter;
    bool quoted;  // whether fields may be quoted
};

struct BadLine {
    std::size_t begin;   // start of the record, as an offset into the text
    std::size_t end;     // end of the record, without its line end
    std::size_t line;    // number of line ends before it
    std::size_t fields;  // number of fields in it
};

struct LineScan {
    std::size_t end = 0;      // end of the last complete record
    std::size_t records = 0;  // complete records with the requested number of fields
    std::size_t lines = 0;    // line ends before `end`, including blank lines and those inside quotes
    std::size_t bad = 0;      // records with a different number of fields
    bool untidy = false;      // the text has blank lines, blanks around fields, or quotes that do not open a field
    std::vector<BadLine> first_bad;  // at most as many as requested
};

// fields = 0 accepts any number of fields. `last` means that nothing follows the text: its last line needs no line end,
// and an unclosed quote ends there, in a record of 0 fields.
LineScan scan_lines(std::string_view text, Delimited how, std::size_t fields, bool last, std::size_t shown);

// The complete records of the text with the given number of fields, each field without surrounding blanks and quoted
// where necessary, each line ended by "\n". `text` consists of complete records, as found by scan_lines.
std::string tidy_lines(std::string_view text, Delimited how, std::size_t fields);

// The number of line ends before the given record of those that tidy_lines keeps, and where that record begins.
struct RecordPlace {
    std::size_t begin;
    std::size_t line;
};
RecordPlace place_of_record(std::string_view text, Delimited how, std::size_t fields, std::size_t record);

}  // namespace suffice
