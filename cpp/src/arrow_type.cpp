#include "suffice/arrow_type.hpp"

#include <charconv>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace suffice {
namespace {

using Kind = ArrowKind;
using Layout = ArrowType::Layout;

constexpr int least_scale = -128, greatest_scale = 127;  // a power of ten in this range cannot overflow a float64

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument("the Arrow column cannot be read: " + what +
                                " Convert it to numbers, text or booleans first.");
}

ArrowType plain(Kind kind, Layout layout = Layout::none, std::size_t width = 0) {
    ArrowType type;
    type.kind = kind;
    type.layout = layout;
    type.width = width;
    return type;
}

std::optional<ArrowType> one_letter(char letter) {
    switch (letter) {
        case 'n': {
            ArrowType type = plain(Kind::null);
            type.has_validity = false;
            return type;
        }
        case 'b': return plain(Kind::boolean, Layout::fixed, 0);
        case 'c': return plain(Kind::int8, Layout::fixed, 1);
        case 'C': return plain(Kind::uint8, Layout::fixed, 1);
        case 's': return plain(Kind::int16, Layout::fixed, 2);
        case 'S': return plain(Kind::uint16, Layout::fixed, 2);
        case 'i': return plain(Kind::int32, Layout::fixed, 4);
        case 'I': return plain(Kind::uint32, Layout::fixed, 4);
        case 'l': return plain(Kind::int64, Layout::fixed, 8);
        case 'L': return plain(Kind::uint64, Layout::fixed, 8);
        case 'e': return plain(Kind::float16, Layout::fixed, 2);
        case 'f': return plain(Kind::float32, Layout::fixed, 4);
        case 'g': return plain(Kind::float64, Layout::fixed, 8);
        case 'u': return plain(Kind::text, Layout::offsets32);
        case 'U': return plain(Kind::text, Layout::offsets64);
        case 'z':
        case 'Z': return plain(Kind::binary);
        default: return std::nullopt;
    }
}

// d:precision,scale or d:precision,scale,bits
std::optional<ArrowType> decimal(std::string_view format) {
    int numbers[3] = {0, 0, 128}, count = 0;
    const char *at = format.data() + 2, *end = format.data() + format.size();
    while (true) {
        const auto [stop, failure] = std::from_chars(at, end, numbers[count]);
        if (failure != std::errc{}) return std::nullopt;
        ++count;
        at = stop;
        if (at == end) break;
        if (count == 3 || *at++ != ',') return std::nullopt;
    }
    const auto [precision, scale, bits] = numbers;
    if (count < 2 || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) return std::nullopt;
    if (scale < least_scale || scale > greatest_scale)
        refuse("a decimal's scale must be in " + std::to_string(least_scale) + " … " + std::to_string(greatest_scale) +
               ", and it is " + std::to_string(scale) + ".");
    ArrowType type = plain(Kind::decimal, Layout::fixed, static_cast<std::size_t>(bits / 8));
    type.scale = scale;
    return type;
}

std::optional<ArrowType> nested(std::string_view format) {
    if (format == "+l" || format == "+L" || format == "+vl" || format == "+vL" || format.starts_with("+w:"))
        return plain(Kind::list);
    if (format == "+s") return plain(Kind::structure);
    if (format == "+m") return plain(Kind::map);
    if (format == "+r" || format.starts_with("+ud:") || format.starts_with("+us:")) {
        ArrowType type = plain(Kind::other);
        type.has_validity = false;
        return type;
    }
    return std::nullopt;
}

std::optional<ArrowType> moment(std::string_view format) {
    if (format == "tdD" || format == "tdm") return plain(Kind::date);
    if (format == "tiM" || format == "tiD" || format == "tin") return plain(Kind::other);  // intervals
    const auto unit = [&](std::size_t at) {
        return format.size() > at && std::string_view("smun").find(format[at]) != std::string_view::npos;
    };
    if (!unit(2)) return std::nullopt;
    if (format.starts_with("tt") && format.size() == 3) return plain(Kind::time);
    if (format.starts_with("tD") && format.size() == 3) return plain(Kind::duration);
    if (format.starts_with("ts") && format.size() > 3 && format[3] == ':') return plain(Kind::timestamp);
    return std::nullopt;
}

std::optional<ArrowType> by_format(std::string_view format) {
    if (format.size() == 1) return one_letter(format[0]);
    if (format == "vu") return plain(Kind::text, Layout::views);
    if (format == "vz" || format.starts_with("w:")) return plain(Kind::binary);
    if (format.starts_with("d:")) return decimal(format);
    if (format.starts_with("+")) return nested(format);
    if (format.starts_with("t")) return moment(format);
    return std::nullopt;
}

std::optional<Dtype> code_type(Kind kind) {
    switch (kind) {
        case Kind::int8: return Dtype::i8;
        case Kind::int16: return Dtype::i16;
        case Kind::int32: return Dtype::i32;
        case Kind::int64: return Dtype::i64;
        case Kind::uint8: return Dtype::u8;
        case Kind::uint16: return Dtype::u16;
        case Kind::uint32: return Dtype::u32;
        case Kind::uint64: return Dtype::u64;
        default: return std::nullopt;
    }
}

}  // namespace

const char* name_of(ArrowKind kind) {
    static constexpr const char* names[] = {
        "bool",      "int8",     "int16",   "int32", "int64",      "uint8", "uint16",  "uint32", "uint64",
        "float16",   "float32",  "float64", "text",  "dictionary", "null",  "decimal", "date",   "time",
        "timestamp", "duration", "binary",  "list",  "struct",     "map",   "other"};
    return names[static_cast<std::size_t>(kind)];
}

ArrowType read_type(const ArrowSchema& schema) {
    if (schema.format == nullptr) refuse("its schema has no format.");
    std::optional<ArrowType> type = by_format(schema.format);
    if (!type) refuse("its format '" + std::string(schema.format) + "' is unknown.");
    type->format = schema.format;
    if (schema.dictionary == nullptr) return *std::move(type);
    if (schema.dictionary->dictionary != nullptr)
        refuse("the values of its dictionary are dictionary-encoded themselves.");
    const std::optional<Dtype> codes = code_type(type->kind);
    if (!codes) refuse("the codes of its dictionary must be integers, and are '" + type->format + "'.");
    type->kind = Kind::dictionary;
    type->codes = *codes;
    type->values = std::make_shared<const ArrowType>(read_type(*schema.dictionary));
    return *std::move(type);
}

}  // namespace suffice
