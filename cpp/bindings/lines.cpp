// Bindings of the line scanner: bytes in; line ends, malformed records and normalised text out.
#include "lines.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string_view>
#include <tuple>

#include "bindings.hpp"
#include "suffice/lines.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;

std::string_view text_of(const nb::bytes& text) { return {text.c_str(), text.size()}; }

Delimited how_of(const std::string& delimiter, bool quoted) {
    if (delimiter.size() != 1 || delimiter == "\n" || delimiter == "\"")
        throw std::invalid_argument("a delimiter must be one byte that is neither a line end nor a quote");
    return {delimiter[0], quoted};
}

LineScan scan_of(const nb::bytes& text, const std::string& delimiter, bool quoted, std::size_t fields, bool last,
                 std::size_t shown) {
    const Delimited how = how_of(delimiter, quoted);
    const std::string_view view = text_of(text);
    nb::gil_scoped_release released;
    return scan_lines(view, how, fields, last, shown);
}

nb::bytes tidy_of(const nb::bytes& text, const std::string& delimiter, bool quoted, std::size_t fields) {
    const Delimited how = how_of(delimiter, quoted);
    const std::string_view view = text_of(text);
    std::string tidy;
    {
        nb::gil_scoped_release released;
        tidy = tidy_lines(view, how, fields);
    }
    return nb::bytes(tidy.data(), tidy.size());
}

std::tuple<std::size_t, std::size_t> place_of(const nb::bytes& text, const std::string& delimiter, bool quoted,
                                              std::size_t fields, std::size_t record) {
    const RecordPlace place = place_of_record(text_of(text), how_of(delimiter, quoted), fields, record);
    return {place.begin, place.line};
}

}  // namespace

void define_lines(nb::module_& m) {
    nb::class_<BadLine>(m, "BadLine", "A record with the wrong number of fields.")
        .def_ro("begin", &BadLine::begin)
        .def_ro("end", &BadLine::end)
        .def_ro("line", &BadLine::line)
        .def_ro("fields", &BadLine::fields);
    nb::class_<LineScan>(m, "LineScan", "The result of scanning a block of delimited text.")
        .def_ro("end", &LineScan::end)
        .def_ro("records", &LineScan::records)
        .def_ro("lines", &LineScan::lines)
        .def_ro("bad", &LineScan::bad)
        .def_ro("untidy", &LineScan::untidy)
        .def_ro("first_bad", &LineScan::first_bad);
    m.def("scan_lines", &scan_of, "text"_a, "delimiter"_a, "quoted"_a, "fields"_a, "last"_a, "shown"_a,
          "Count records and line ends; fields = 0 accepts any number of fields.");
    m.def("tidy_lines", &tidy_of, "text"_a, "delimiter"_a, "quoted"_a, "fields"_a,
          "The valid records, without blank lines and blanks around fields.");
    m.def("place_of_record", &place_of, "text"_a, "delimiter"_a, "quoted"_a, "fields"_a, "record"_a,
          "(begin, number of line ends before) of a valid record.");
}

}  // namespace suffice::bindings
