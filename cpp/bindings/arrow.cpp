// ArrowChunk: columns that a frame library exports through the Arrow PyCapsule interface.
#include "arrow.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shared_dictionary.hpp"
#include "suffice/arrow_chunk.hpp"
#include "suffice/bitmap.hpp"
#include "suffice/decimals.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;

using OutAny = nb::ndarray<nb::numpy, nb::ro, nb::ndim<1>, nb::c_contig>;
using OutBits = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;

constexpr const char* stream_name = "arrow_array_stream";

std::vector<ArrowChunk> arrow_chunks(nb::handle capsule) {
    if (!PyCapsule_IsValid(capsule.ptr(), stream_name))
        throw nb::type_error(("capsule must be what column.__arrow_c_stream__() returns, a PyCapsule named "
                              "'arrow_array_stream': got a " +
                              std::string(nb::str(capsule.type().attr("__name__")).c_str()) + ".")
                                 .c_str());
    auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), stream_name));
    if (stream->release == nullptr)
        throw std::invalid_argument(
            "the Arrow stream has already been read, which is possible only once. Request another: "
            "column.__arrow_c_stream__().");
    Owned<ArrowArrayStream> moved(*stream);
    return without_gil([&](const Interrupt& interrupt) { return read_chunks(std::move(moved), interrupt); });
}

[[noreturn]] void refuse(const ArrowChunk& chunk, const char* what, const char* instead) {
    throw std::invalid_argument(std::string("a chunk of kind '") + name_of(chunk.type().kind) + "' has no " + what +
                                ". " + instead);
}

nb::dlpack::dtype numpy_type(ArrowKind kind) {
    switch (kind) {
        case ArrowKind::int8: return nb::dtype<std::int8_t>();
        case ArrowKind::int16: return nb::dtype<std::int16_t>();
        case ArrowKind::int32: return nb::dtype<std::int32_t>();
        case ArrowKind::int64: return nb::dtype<std::int64_t>();
        case ArrowKind::uint8: return nb::dtype<std::uint8_t>();
        case ArrowKind::uint16: return nb::dtype<std::uint16_t>();
        case ArrowKind::uint32: return nb::dtype<std::uint32_t>();
        case ArrowKind::uint64: return nb::dtype<std::uint64_t>();
        case ArrowKind::float32: return nb::dtype<float>();
        default: return nb::dtype<double>();
    }
}

nb::dlpack::dtype numpy_type(Dtype codes) {
    switch (codes) {
        case Dtype::i8: return nb::dtype<std::int8_t>();
        case Dtype::i16: return nb::dtype<std::int16_t>();
        case Dtype::i32: return nb::dtype<std::int32_t>();
        case Dtype::i64: return nb::dtype<std::int64_t>();
        case Dtype::u8: return nb::dtype<std::uint8_t>();
        case Dtype::u16: return nb::dtype<std::uint16_t>();
        case Dtype::u32: return nb::dtype<std::uint32_t>();
        default: return nb::dtype<std::uint64_t>();
    }
}

// Fixed-width values in the producer's memory; `self` stays alive with the array. The kernels need numbers aligned to
// their width, which Arrow recommends but does not guarantee: unaligned values are copied.
OutAny fixed_array(nb::handle self, const ArrowChunk& chunk, nb::dlpack::dtype type) {
    static constexpr std::byte nothing[8] = {};
    const std::size_t rows = chunk.rows(), width = chunk.type().width;
    if (rows == 0) return OutAny(nothing, {0}, self, {}, type);
    const std::byte* data = chunk.fixed();
    if (std::bit_cast<std::uintptr_t>(data) % width == 0) return OutAny(data, {rows}, self, {}, type);
    auto* copy = new std::byte[rows * width];
    nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<std::byte*>(p); });
    std::memcpy(copy, data, rows * width);
    return OutAny(copy, {rows}, owner, {}, type);
}

// Converts values that have no NumPy type, one by one.
template <class Value, class Read>
OutAny converted(std::size_t rows, Read&& read) {
    auto* values = new Value[rows];
    nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<Value*>(p); });
    without_gil([&](const Interrupt& interrupt) {
        for (std::size_t row = 0; row < rows; ++row) {
            if (row % (std::size_t{1} << 20) == (std::size_t{1} << 20) - 1 && interrupt()) throw Interrupted{};
            values[row] = read(row);
        }
        return 0;
    });
    return OutAny(values, {rows}, owner, {}, nb::dtype<Value>());
}

OutAny values_of(nb::handle self) {
    const auto& chunk = nb::cast<const ArrowChunk&>(self);
    const std::byte* data = chunk.type().layout == ArrowType::Layout::fixed ? chunk.fixed() : nullptr;
    switch (chunk.type().kind) {
        case ArrowKind::boolean: {
            const Validity bits{reinterpret_cast<const std::uint8_t*>(data), chunk.offset()};
            return converted<bool>(chunk.rows(), [&](std::size_t row) { return bits(row); });
        }
        case ArrowKind::float16:
            return converted<float>(chunk.rows(),
                                    [&](std::size_t row) { return float_of_half(load<std::uint16_t>(data, row)); });
        case ArrowKind::decimal: {
            const std::size_t width = chunk.type().width;
            const int scale = chunk.type().scale;
            return converted<double>(
                chunk.rows(), [&](std::size_t row) { return float_of_decimal(data + row * width, width, scale); });
        }
        case ArrowKind::int8:
        case ArrowKind::int16:
        case ArrowKind::int32:
        case ArrowKind::int64:
        case ArrowKind::uint8:
        case ArrowKind::uint16:
        case ArrowKind::uint32:
        case ArrowKind::uint64:
        case ArrowKind::float32:
        case ArrowKind::float64: return fixed_array(self, chunk, numpy_type(chunk.type().kind));
        default: refuse(chunk, "numbers", "Cast the column to numbers first.");
    }
}

OutAny codes_of(nb::handle self) {
    const auto& chunk = nb::cast<const ArrowChunk&>(self);
    if (chunk.type().kind != ArrowKind::dictionary)
        refuse(chunk, "codes", "For a text chunk, use encode(dictionary, grow).");
    return fixed_array(self, chunk, numpy_type(chunk.type().codes));
}

std::optional<OutBits> valid_of(nb::handle self) {
    const auto& chunk = nb::cast<const ArrowChunk&>(self);
    const std::size_t rows = chunk.rows(), bytes = (rows + 7) / 8;
    if (chunk.missing() == 0) return std::nullopt;
    const Validity& validity = chunk.validity();
    // Kind null: every row is missing
    if (validity.bits == nullptr) return hand_over<OutBits>(std::vector<std::uint8_t>(bytes), {bytes});
    if (validity.offset % 8 == 0) return OutBits(validity.bits + validity.offset / 8, {bytes}, self);
    return hand_over<OutBits>(aligned_bits(validity.bits, validity.offset, rows), {bytes});
}

nb::typed<nb::list, std::optional<nb::str>> texts_of(const ArrowChunk& chunk) {
    if (chunk.type().kind != ArrowKind::text) refuse(chunk, "texts", "Cast the column to text first.");
    nb::list list;
    std::visit(
        [&](const auto& texts) {
            for (std::size_t row = 0; row < texts.rows; ++row) {
                if (!texts.valid(row)) {
                    list.append(nb::none());
                    continue;
                }
                const std::string_view text = texts.at(row);
                nb::object made =
                    nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
                if (!made.is_valid()) {
                    PyErr_Clear();
                    throw std::invalid_argument(
                        "row " + std::to_string(row) +
                        " is not valid UTF-8. Replace the invalid bytes, or read the column as binary.");
                }
                list.append(std::move(made));
            }
        },
        chunk.texts());
    return nb::borrow<nb::typed<nb::list, std::optional<nb::str>>>(list);
}

OutCodes encode_chunks(const std::vector<const ArrowChunk*>& chunks, SharedDictionary& dictionary, bool grow) {
    std::size_t rows = 0;
    for (const ArrowChunk* chunk : chunks) {
        if (!chunk->is_text()) refuse(*chunk, "texts", "Cast the column to text first.");
        rows += chunk->rows();
    }
    Codes codes(rows);
    const Held held(dictionary, grow);
    without_gil([&](const Interrupt& interrupt) {
        Attempt attempt(dictionary.texts);
        std::int32_t* to = codes.data();
        for (const ArrowChunk* chunk : chunks) {
            chunk->encode(dictionary.texts, grow, to, interrupt);
            to += chunk->rows();
        }
        attempt.keep();
        return 0;
    });
    return codes.hand_over();
}

OutCodes encode_chunk(const ArrowChunk& chunk, SharedDictionary& dictionary, bool grow) {
    return encode_chunks({&chunk}, dictionary, grow);
}

}  // namespace

void define_arrow(nb::module_& m) {
    nb::class_<ArrowChunk>(m, "ArrowChunk", "A chunk of an Arrow column, not copied.")
        .def_prop_ro("length", &ArrowChunk::rows, "Number of rows.")
        .def_prop_ro(
            "kind", [](const ArrowChunk& self) { return name_of(self.type().kind); },
            "Kind of the values: int64, text, dictionary, …")
        .def_prop_ro("missing", &ArrowChunk::missing, "Number of missing rows.")
        .def("values", &values_of, "The numbers, read-only; arbitrary where missing.")
        .def("valid", &valid_of,
             "Validity bitmap, bit 0 for row 0, 1 where the row is present; None when nothing is missing.")
        .def("codes", &codes_of, "Index of each row's value in the dictionary; arbitrary where missing.")
        .def_prop_ro("dictionary", &ArrowChunk::values, "The values of the dictionary.")
        .def("texts", &texts_of, "The texts, None where missing.")
        .def("encode", &encode_chunk, "dictionary"_a, "grow"_a,
             "Codes of a text chunk or of a dictionary of texts: −1 missing, −2 unseen. Either all rows are coded or "
             "the dictionary is unchanged.");
    m.def("encode_chunks", &encode_chunks, "chunks"_a, "dictionary"_a, "grow"_a,
          "Concatenated codes of several chunks.");
    m.def("arrow_chunks", &arrow_chunks, "capsule"_a,
          "Read the stream of column.__arrow_c_stream__() to its end: at least one chunk.");
}

}  // namespace suffice::bindings
