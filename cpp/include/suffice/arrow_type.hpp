// The type that an Arrow format string describes:
// arrow.apache.org/docs/format/CDataInterface.html#data-type-description-format-strings
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "suffice/arrow.hpp"
#include "suffice/rows.hpp"

namespace suffice {

enum class ArrowKind {
    boolean,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    float32,
    float64,
    text,
    dictionary,
    null,
    decimal,
    date,
    time,
    timestamp,
    duration,
    binary,
    list,
    structure,
    map,
    other
};

const char* name_of(ArrowKind kind);

struct ArrowType {
    enum class Layout { none, fixed, offsets32, offsets64, views };

    ArrowKind kind = ArrowKind::other;
    Layout layout = Layout::none;  // physical layout of the values, for the kinds that the core reads
    std::size_t width = 0;         // bytes per fixed-width value
    int scale = 0;                 // decimals: the value is integer / 10^scale
    bool has_validity = true;      // the first buffer is a validity bitmap
    std::string format;
    std::shared_ptr<const ArrowType> values;  // dictionaries only; `layout` and `width` then describe the codes
    Dtype codes = Dtype::i32;                 // dictionaries only
};

// Throws std::invalid_argument when the format is unknown.
ArrowType read_type(const ArrowSchema& schema);

}  // namespace suffice
