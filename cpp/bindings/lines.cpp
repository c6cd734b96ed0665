// Lines of delimited text through the door: bytes in, their ends, flaws and tidy copy out.
#include "lines.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "door.hpp"
#include "suffice/delimited_cells.hpp"
#include "suffice/lines.hpp"

namespace suffice::door {
namespace {

using nb::literals::operator""_a;

std::string_view text_of(const nb::bytes& text) { return {text.c_str(), text.size()}; }

Delimited how_of(const std::string& delimiter, bool quoted) {
    if (delimiter.size() != 1 || delimiter == "\n" || delimiter == "\"")
        throw std::invalid_argument("a delimiter is one byte that is neither a line end nor a quote");
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

CellKind kind_of(const std::string& name) {
    if (name == "skipped") return CellKind::skipped;
    if (name == "integer") return CellKind::integer;
    if (name == "float") return CellKind::real;
    if (name == "bool") return CellKind::boolean;
    if (name == "text") return CellKind::text;
    throw std::invalid_argument("a column of cells is skipped, integer, float, bool or text");
}

std::optional<RecordBatch> cells_of(const nb::bytes& text, const std::string& delimiter, bool quoted,
                                    const std::vector<std::tuple<std::string, std::string>>& columns, std::size_t rows,
                                    const std::vector<std::string>& markers) {
    const Delimited how = how_of(delimiter, quoted);
    std::vector<CellColumn> wanted;
    for (const auto& [name, kind] : columns) wanted.push_back({name, kind_of(kind)});
    const std::string_view view = text_of(text);
    nb::gil_scoped_release released;
    return parse_cells(view, how, wanted, rows, markers);
}

template <class Struct>
nb::object capsule_of(Owned<Struct>& owned, const char* name) {
    auto moved = std::make_unique<Owned<Struct>>(std::move(owned));
    nb::capsule capsule(moved->get(), name, [](void* p) noexcept {
        // The struct is the first member of its owner.
        delete static_cast<Owned<Struct>*>(p);
    });
    moved.release();
    return capsule;
}

std::tuple<nb::object, nb::object> capsules_of(RecordBatch& batch, nb::handle) {
    if (!batch.array) throw std::invalid_argument("the cells have been handed over already, which is done once only");
    nb::object schema = capsule_of(batch.schema, "arrow_schema");
    return {std::move(schema), capsule_of(batch.array, "arrow_array")};
}

}  // namespace

void define_lines(nb::module_& m) {
    nb::class_<BadLine>(m, "BadLine", "A record with another number of fields than the others.")
        .def_ro("begin", &BadLine::begin)
        .def_ro("end", &BadLine::end)
        .def_ro("line", &BadLine::line)
        .def_ro("fields", &BadLine::fields);
    nb::class_<LineScan>(m, "LineScan", "What stands in a block of delimited text.")
        .def_ro("end", &LineScan::end)
        .def_ro("records", &LineScan::records)
        .def_ro("lines", &LineScan::lines)
        .def_ro("bad", &LineScan::bad)
        .def_ro("untidy", &LineScan::untidy)
        .def_ro("first_bad", &LineScan::first_bad);
    m.def("scan_lines", &scan_of, "text"_a, "delimiter"_a, "quoted"_a, "fields"_a, "last"_a, "shown"_a,
          "Count records and line ends; fields = 0 asks for no number of fields.");
    m.def("tidy_lines", &tidy_of, "text"_a, "delimiter"_a, "quoted"_a, "fields"_a,
          "The good records without blank lines and without blanks around fields.");
    m.def("place_of_record", &place_of, "text"_a, "delimiter"_a, "quoted"_a, "fields"_a, "record"_a,
          "(begin, line ends before) of a good record.");
    nb::class_<RecordBatch>(m, "RecordBatch", "Columns for whoever speaks Arrow, who takes them once.")
        .def("__arrow_c_array__", &capsules_of, "requested_schema"_a.none() = nb::none(), "The capsules of Arrow's PyCapsule interface.");
    m.def("parse_cells", &cells_of, "text"_a, "delimiter"_a, "quoted"_a, "columns"_a, "rows"_a, "markers"_a,
          "The cells of tidy text, for every field (name, 'skipped', 'integer', 'float', 'bool' or 'text'); None where a cell is written in another way.");
}

}  // namespace suffice::door
