// The cells of delimited text as Arrow columns: whole numbers (int64), numbers (float64), true and false, and text, each
// short one in its view and each longer one copied once for all the rows near each other that hold it.
//
// The quick way for text as most programs write it. It reads what it is sure of, and gives up on a whole block where a
// cell is written in some other way, or is wrong: what is said then is for a parser that takes its time.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "suffice/arrow.hpp"
#include "suffice/lines.hpp"

namespace suffice {

enum class CellKind { skipped, integer, real, boolean, text };

struct CellColumn {
    std::string name;
    CellKind kind;
};

// One record batch, in Arrow's own structs: a struct with a child for every column that is not skipped.
struct RecordBatch {
    Owned<ArrowSchema> schema;
    Owned<ArrowArray> array;
};

// `text` holds `rows` records, tidy as tidy_lines has them or with "\r\n" for line ends; every field has its column.
// A cell is missing where nothing is written, in quotes or not, or one of the markers.
std::optional<RecordBatch> parse_cells(std::string_view text, Delimited how, std::span<const CellColumn> columns, std::size_t rows,
                                       std::span<const std::string> markers);

}  // namespace suffice
