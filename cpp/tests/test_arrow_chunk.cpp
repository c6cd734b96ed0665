#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrow_texts.hpp"
#include "check.hpp"
#include "suffice/arrow_chunk.hpp"
#include "suffice/bitmap.hpp"
#include "suffice/decimals.hpp"

using namespace suffice;
using arrow_texts::Rows;

namespace {

int schemas_released = 0, arrays_released = 0, streams_released = 0;

// A producer of arrays filled in beforehand; counts the calls of release.
struct Producer {
    std::string format;
    std::vector<ArrowArray> arrays;
    ArrowSchema* dictionary = nullptr;
    std::size_t next = 0;

    ArrowArrayStream stream() {
        schemas_released = arrays_released = streams_released = 0;
        return {get_schema, get_next, [](ArrowArrayStream*) -> const char* { return "the disk is gone"; }, release,
                this};
    }
    static int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
        auto* self = static_cast<Producer*>(stream->private_data);
        *out = {self->format.c_str(),
                "",
                nullptr,
                0,
                0,
                nullptr,
                self->dictionary,
                [](ArrowSchema* s) { ++schemas_released, s->release = nullptr; },
                nullptr};
        return 0;
    }
    static int get_next(ArrowArrayStream* stream, ArrowArray* out) {
        auto* self = static_cast<Producer*>(stream->private_data);
        if (self->next == self->arrays.size()) {
            *out = {};
            return 0;
        }
        *out = self->arrays[self->next++];
        if (out->n_buffers < 0) return 5;
        out->release = [](ArrowArray* a) { ++arrays_released, a->release = nullptr; };
        return 0;
    }
    static void release(ArrowArrayStream* stream) { ++streams_released, stream->release = nullptr; }
};

ArrowArray array_of(std::int64_t length, std::vector<const void*>& buffers, std::int64_t missing = 0,
                    std::int64_t offset = 0) {
    return {length,  missing, offset, static_cast<std::int64_t>(buffers.size()), 0, buffers.data(), nullptr,
            nullptr, nullptr, nullptr};
}

std::vector<ArrowChunk> read(Producer& producer) {
    ArrowArrayStream stream = producer.stream();
    return read_chunks(Owned<ArrowArrayStream>(stream), {});
}

std::string refusal(Producer producer) {
    try {
        read(producer);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no error";
}

const std::string malformed = "the Arrow column is malformed: ";
const std::string at_fault =
    " The library that produced the column is at fault: recreate the column, or pass a list or an array.";

}  // namespace

TEST(everything_is_released_once) {
    const std::int32_t numbers[] = {1, 2, 3};
    std::vector<const void*> buffers{nullptr, numbers};
    Producer producer{"i", {array_of(3, buffers), array_of(2, buffers, 0, 1)}};
    {
        const std::vector<ArrowChunk> chunks = read(producer);
        CHECK_EQUAL(chunks.size(), std::size_t{2});
        CHECK_EQUAL(schemas_released, 1);
        CHECK_EQUAL(streams_released, 1);
        CHECK_EQUAL(arrays_released, 0);
        CHECK_EQUAL(load<std::int32_t>(chunks[1].fixed(), 0), 2);
    }
    CHECK_EQUAL(arrays_released, 2);
}

TEST(a_failing_stream_and_its_chunks_are_released) {
    const std::int32_t numbers[] = {1};
    std::vector<const void*> buffers{nullptr, numbers};
    ArrowArray failing{};
    failing.n_buffers = -1;
    CHECK_EQUAL(refusal({"i", {array_of(1, buffers), failing}}),
                "the Arrow column could not be read at chunk 1: the disk is gone (error 5).");
    CHECK_EQUAL(arrays_released, 1);
    CHECK_EQUAL(schemas_released, 1);
    CHECK_EQUAL(streams_released, 1);
}

TEST(a_stream_without_chunks_still_has_a_type) {
    Producer producer{"u", {}};
    const std::vector<ArrowChunk> chunks = read(producer);
    CHECK_EQUAL(chunks.size(), std::size_t{1});
    CHECK_EQUAL(chunks[0].rows(), std::size_t{0});
    CHECK_EQUAL(std::string(name_of(chunks[0].type().kind)), "text");
    Dictionary dictionary;
    chunks[0].encode(dictionary, true, nullptr, {});
    CHECK_EQUAL(dictionary.size(), std::size_t{0});
}

TEST(inconsistent_arrays_are_rejected) {
    const std::int32_t numbers[] = {0, 0};
    std::vector<const void*> both{nullptr, numbers}, none{nullptr, nullptr}, views{nullptr, numbers, nullptr, nullptr};
    std::vector<const void*> empty;
    CHECK_EQUAL(refusal({"i", {array_of(-1, both)}}), malformed + "its length is -1." + at_fault);
    CHECK_EQUAL(refusal({"i", {array_of(1, both, 0, -4)}}), malformed + "its offset is -4." + at_fault);
    CHECK_EQUAL(refusal({"i", {array_of(std::int64_t{1} << 60, both)}}),
                malformed + "its length is 1152921504606846976." + at_fault);
    CHECK_EQUAL(refusal({"i", {array_of(1, both, 2)}}), malformed + "its null count is 2 for 1 rows." + at_fault);
    CHECK_EQUAL(refusal({"i", {array_of(1, both, 1)}}),
                malformed + "its null count is 1, but it has no validity bitmap." + at_fault);
    CHECK_EQUAL(refusal({"i", {array_of(1, none)}}),
                malformed + "it has 1 rows, but its value buffer is null." + at_fault);
    CHECK_EQUAL(refusal({"u", {array_of(1, both)}}), malformed + "it has 2 buffers, but 'u' needs 3." + at_fault);
    CHECK_EQUAL(refusal({"+s", {array_of(1, empty)}}), malformed + "it has 0 buffers, but '+s' needs 1." + at_fault);
    CHECK_EQUAL(refusal({"vu", {array_of(1, views)}}),
                malformed + "it has 1 text buffers, but the list of their sizes is null." + at_fault);
    CHECK_EQUAL(arrays_released, 1);
}

TEST(formats_are_read_and_unknown_ones_rejected) {
    const auto kind = [](const char* format) {
        ArrowSchema schema{};
        schema.format = format;
        return std::string(name_of(read_type(schema).kind));
    };
    const std::vector<std::pair<const char*, const char*>> known{
        {"n", "null"},         {"b", "bool"},
        {"c", "int8"},         {"s", "int16"},
        {"i", "int32"},        {"l", "int64"},
        {"C", "uint8"},        {"S", "uint16"},
        {"I", "uint32"},       {"L", "uint64"},
        {"e", "float16"},      {"f", "float32"},
        {"g", "float64"},      {"u", "text"},
        {"U", "text"},         {"vu", "text"},
        {"z", "binary"},       {"Z", "binary"},
        {"vz", "binary"},      {"w:4", "binary"},
        {"d:9,2", "decimal"},  {"d:9,-2,256", "decimal"},
        {"tdD", "date"},       {"tdm", "date"},
        {"ttu", "time"},       {"tsn:Europe/Berlin", "timestamp"},
        {"tss:", "timestamp"}, {"tDm", "duration"},
        {"tiD", "other"},      {"+l", "list"},
        {"+vL", "list"},       {"+w:3", "list"},
        {"+s", "struct"},      {"+m", "map"},
        {"+r", "other"},       {"+ud:0,1", "other"}};
    for (const auto& [format, name] : known) CHECK_EQUAL(kind(format), name);
    const std::string before = "the Arrow column cannot be read: ",
                      after = " Convert it to numbers, text or booleans first.";
    for (const char* format : {"", "?", "tx", "ts", "tss", "ttx", "ttss", "+", "+q", "d:", "d:9", "d:9,", "d:9,2,100",
                               "d:9,2,128,1", "d:9,2,128,", "vv", "uu"})
        CHECK_EQUAL(refusal({format, {}}), before + "its format '" + format + "' is unknown." + after);
    CHECK_EQUAL(refusal({"d:9,128", {}}), before + "a decimal's scale must be in -128 … 127, and it is 128." + after);
    ArrowSchema inner{}, nested{};
    inner.format = nested.format = "u";
    nested.dictionary = &nested;
    CHECK_EQUAL(refusal({"g", {}, &inner}),
                before + "the codes of its dictionary must be integers, and are 'g'." + after);
    CHECK_EQUAL(refusal({"i", {}, &nested}),
                before + "the values of its dictionary are dictionary-encoded themselves." + after);
}

TEST(a_dictionary_of_texts_is_coded_by_its_rows) {
    const Rows values{"unused", "b", "a", std::nullopt, "b"};
    const arrow_texts::Offsets<std::int32_t> laid(values, 0);
    std::vector<const void*> inner{laid.bits.block.get(), laid.offsets.get(), laid.bytes.get()};
    ArrowArray texts = array_of(5, inner, -1);
    const std::int8_t codes[] = {2, 4, 1, 3, 2};
    std::vector<const void*> outer{nullptr, codes};
    ArrowSchema schema{};
    schema.format = "u";
    Producer producer{"c", {array_of(5, outer)}, &schema};
    producer.arrays[0].dictionary = &texts;
    const std::vector<ArrowChunk> chunks = read(producer);
    Dictionary dictionary;
    std::vector<std::int32_t> out(5);
    chunks[0].encode(dictionary, true, out.data(), {});
    CHECK(out == std::vector<std::int32_t>({0, 1, 1, -1, 0}));
    CHECK_EQUAL(dictionary.size(), std::size_t{2});  // a value that no row uses is not added

    const std::int8_t beyond[] = {2, 5}, below[] = {-1, 0};
    for (const auto& [bad, row, code] : {std::tuple{beyond, "1", "5"}, std::tuple{below, "0", "-1"}}) {
        std::vector<const void*> buffers{nullptr, bad};
        Producer other{"c", {array_of(2, buffers)}, &schema};
        other.arrays[0].dictionary = &texts;
        const std::vector<ArrowChunk> flawed = read(other);
        std::string message = "no error";
        Dictionary fresh;
        try {
            flawed[0].encode(fresh, true, out.data(), {});
        } catch (const std::invalid_argument& error) {
            message = error.what();
        }
        CHECK_EQUAL(message,
                    malformed + "row " + row + " has code " + code + ", but its dictionary has 5 values." + at_fault);
        CHECK_EQUAL(fresh.size(), std::size_t{0});
    }
    Producer without{"c", {array_of(5, outer)}, &schema};
    CHECK_EQUAL(refusal(without), malformed + "it has codes but no dictionary." + at_fault);
}

TEST(bits_are_counted_and_moved_from_any_offset) {
    std::mt19937 random(5);
    for (std::size_t offset = 0; offset < 20; ++offset)
        for (std::size_t rows = 0; rows < 40; ++rows) {
            std::vector<std::uint8_t> bytes((offset + rows + 7) / 8);
            for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
            const auto block = arrow_texts::exactly(bytes.data(), bytes.size());
            const auto* bits = reinterpret_cast<const std::uint8_t*>(block.get());
            const std::vector<std::uint8_t> aligned = aligned_bits(bits, offset, rows);
            const Validity valid{bits, offset}, moved{aligned.data(), 0};
            std::size_t zeros = 0;
            for (std::size_t row = 0; row < rows; ++row) {
                zeros += valid(row) ? 0 : 1;
                CHECK_EQUAL(moved(row), valid(row));
            }
            CHECK_EQUAL(count_zeros(bits, offset, rows), zeros);
        }
}

TEST(decimals_round_once) {
    const auto decimal = [](std::int64_t high, std::uint64_t low, int scale) {
        const std::uint64_t words[] = {low, static_cast<std::uint64_t>(high)};
        return float_of_decimal(reinterpret_cast<const std::byte*>(words), 16, scale);
    };
    CHECK_EQUAL(decimal(0, 12345, 2), 123.45);
    CHECK_EQUAL(decimal(-1, ~std::uint64_t{0}, 1), -0.1);
    CHECK_EQUAL(decimal(0, 0, 30), 0.0);
    CHECK_EQUAL(decimal(0, 7, -3), 7000.0);
    CHECK_EQUAL(decimal(0, (std::uint64_t{1} << 53) + 1, 0), 9007199254740992.0);
    CHECK_EQUAL(decimal(1, 0, 0), 0x1p64);
    CHECK_EQUAL(decimal(INT64_MIN, 0, 0), -0x1p127);
    CHECK_EQUAL(decimal(0, 3, 127), 3e-127);
    std::uint64_t words[] = {0, 0, 0, std::uint64_t{1} << 63};
    CHECK_EQUAL(float_of_decimal(reinterpret_cast<const std::byte*>(words), 32, 0), -0x1p255);
    CHECK_EQUAL(std::isfinite(float_of_decimal(reinterpret_cast<const std::byte*>(words), 32, -128)), true);
    const std::int32_t narrow = -250;
    CHECK_EQUAL(float_of_decimal(reinterpret_cast<const std::byte*>(&narrow), 4, 2), -2.5);
}

TEST(halves_become_floats) {
    CHECK_EQUAL(float_of_half(0x3c00), 1.0f);
    CHECK_EQUAL(float_of_half(0xc100), -2.5f);
    CHECK_EQUAL(float_of_half(0x7bff), 65504.0f);
    CHECK_EQUAL(float_of_half(0x0001), 0x1p-24f);
    CHECK_EQUAL(std::signbit(float_of_half(0x8000)), true);
    CHECK_EQUAL(float_of_half(0xfc00), -INFINITY);
    CHECK(std::isnan(float_of_half(0x7e00)));
}
