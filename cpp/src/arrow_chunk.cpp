#include "suffice/arrow_chunk.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "suffice/bitmap.hpp"

namespace suffice {
namespace {

using Kind = ArrowKind;
using Layout = ArrowType::Layout;

constexpr std::int64_t most_rows = std::int64_t{1} << 48;  // keeps sizes in bytes far from overflow
constexpr std::size_t rows_between_interrupts = std::size_t{1} << 18;

[[noreturn]] void refuse(const std::string& what) {
    throw std::invalid_argument(
        "the Arrow column is malformed: " + what +
        " The library that produced the column is at fault: recreate the column, or pass a list or an array.");
}

template <class Code>
void encode_codes(const std::byte* data, const ArrowChunk& chunk, const ArrowChunk& values, Dictionary& dictionary,
                  bool grow, std::int32_t* codes, const Interrupt& interrupt) {
    constexpr std::int32_t unknown = -3;
    std::vector<std::int32_t> known(values.rows(), unknown);
    const ArrowChunk::Texts texts = values.texts();
    const auto look_up = [&](std::size_t entry) {
        return std::visit(
            [&](const auto& t) { return t.valid(entry) ? dictionary.code(t.at(entry), grow) : missing_code; }, texts);
    };
    Attempt attempt(dictionary);
    for (std::size_t row = 0; row < chunk.rows(); ++row) {
        if (row % rows_between_interrupts == rows_between_interrupts - 1 && interrupt && interrupt())
            throw Interrupted{};
        if (!chunk.validity()(row)) {
            codes[row] = missing_code;
            continue;
        }
        const Code code = load<Code>(data, row);
        const auto entry = static_cast<std::uint64_t>(code);  // a negative code becomes too large
        if (entry >= known.size())
            refuse("row " + std::to_string(row) + " has code " + std::to_string(code) + ", but its dictionary has " +
                   std::to_string(known.size()) + " values.");
        if (known[entry] == unknown) known[entry] = look_up(entry);
        codes[row] = known[entry];
    }
    attempt.keep();
}

}  // namespace

ArrowChunk::ArrowChunk(std::shared_ptr<const Owned<ArrowArray>> owner, std::shared_ptr<const ArrowType> type)
    : ArrowChunk(owner, std::move(type), **owner) {}

ArrowChunk::ArrowChunk(std::shared_ptr<const Owned<ArrowArray>> owner, std::shared_ptr<const ArrowType> type,
                       const ArrowArray& array)
    : owner_(std::move(owner)), type_(std::move(type)), array_(&array) {
    if (!*owner_) return;
    if (array.length < 0 || array.length > most_rows) refuse("its length is " + std::to_string(array.length) + ".");
    if (array.offset < 0 || array.offset > most_rows) refuse("its offset is " + std::to_string(array.offset) + ".");
    if (array.null_count < -1 || array.null_count > array.length)
        refuse("its null count is " + std::to_string(array.null_count) + " for " + std::to_string(array.length) +
               " rows.");
    rows_ = static_cast<std::size_t>(array.length);
    offset_ = static_cast<std::size_t>(array.offset);
    check_buffers();
    if (type_->kind == Kind::null) missing_ = rows_;
    if (!type_->has_validity || array.null_count == 0 || rows_ == 0) return;
    const auto* bits = static_cast<const std::uint8_t*>(buffer(0));
    if (bits == nullptr && array.null_count > 0)
        refuse("its null count is " + std::to_string(array.null_count) + ", but it has no validity bitmap.");
    if (bits == nullptr) return;
    missing_ = count_zeros(bits, offset_, rows_);
    if (missing_ > 0) validity_ = {bits, offset_};
}

// The buffers that will be read must exist. A column of no rows needs none.
void ArrowChunk::check_buffers() const {
    if (type_->values != nullptr && array_->dictionary == nullptr) refuse("it has codes but no dictionary.");
    std::int64_t needed = type_->has_validity ? 1 : 0;
    switch (type_->layout) {
        case Layout::none: break;
        case Layout::fixed: needed = 2; break;
        default: needed = 3;
    }
    if (rows_ == 0) return;
    if (array_->n_buffers < needed || (needed > 0 && array_->buffers == nullptr))
        refuse("it has " + std::to_string(array_->buffers == nullptr ? 0 : array_->n_buffers) + " buffers, but '" +
               type_->format + "' needs " + std::to_string(needed) + ".");
    if (needed >= 2 && buffer(1) == nullptr)
        refuse("it has " + std::to_string(rows_) + " rows, but its value buffer is null.");
    if (type_->layout == Layout::views && array_->n_buffers > 3 && buffer(array_->n_buffers - 1) == nullptr)
        refuse("it has " + std::to_string(array_->n_buffers - 3) +
               " text buffers, but the list of their sizes is null.");
}

const std::byte* ArrowChunk::fixed() const {
    if (rows_ == 0) return nullptr;
    return static_cast<const std::byte*>(buffer(1)) + offset_ * type_->width;
}

ArrowChunk::Texts ArrowChunk::texts() const {
    switch (type_->layout) {
        case Layout::offsets32:
            if (rows_ == 0) return OffsetTexts<std::int32_t>{};
            return OffsetTexts<std::int32_t>{static_cast<const std::byte*>(buffer(1)) + offset_ * 4,
                                             static_cast<const char*>(buffer(2)), rows_, validity_};
        case Layout::offsets64:
            if (rows_ == 0) return OffsetTexts<std::int64_t>{};
            return OffsetTexts<std::int64_t>{static_cast<const std::byte*>(buffer(1)) + offset_ * 8,
                                             static_cast<const char*>(buffer(2)), rows_, validity_};
        case Layout::views:
            if (rows_ == 0) return ViewTexts{};
            return ViewTexts{static_cast<const std::byte*>(buffer(1)) + offset_ * 16,
                             {array_->buffers + 2, static_cast<std::size_t>(array_->n_buffers - 3)},
                             buffer(array_->n_buffers - 1),
                             rows_,
                             validity_};
        default:
            throw std::invalid_argument("a chunk of kind '" + std::string(name_of(type_->kind)) + "' has no texts.");
    }
}

ArrowChunk ArrowChunk::values() const {
    if (type_->values == nullptr)
        throw std::invalid_argument("a chunk of kind '" + std::string(name_of(type_->kind)) + "' has no dictionary.");
    return ArrowChunk(owner_, type_->values, *owner_ ? *array_->dictionary : *array_);
}

void ArrowChunk::encode(Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) const {
    if (type_->values == nullptr) {
        std::visit([&](const auto& t) { suffice::encode(t, dictionary, grow, codes, interrupt); }, texts());
        return;
    }
    const auto run = [&]<class Code>(Code) {
        encode_codes<Code>(fixed(), *this, values(), dictionary, grow, codes, interrupt);
    };
    switch (type_->codes) {
        case Dtype::i8: return run(std::int8_t{});
        case Dtype::i16: return run(std::int16_t{});
        case Dtype::i32: return run(std::int32_t{});
        case Dtype::i64: return run(std::int64_t{});
        case Dtype::u8: return run(std::uint8_t{});
        case Dtype::u16: return run(std::uint16_t{});
        case Dtype::u32: return run(std::uint32_t{});
        default: return run(std::uint64_t{});
    }
}

std::vector<ArrowChunk> read_chunks(Owned<ArrowArrayStream> stream, const Interrupt& interrupt) {
    std::vector<ArrowChunk> chunks;
    const auto check = [&](int failure, const std::string& where) {
        if (failure == 0) return;
        const char* words = stream->get_last_error == nullptr ? nullptr : stream->get_last_error(stream.get());
        throw std::invalid_argument("the Arrow column could not be read at " + where + ": " +
                                    (words == nullptr || *words == '\0' ? std::strerror(failure) : words) + " (error " +
                                    std::to_string(failure) + ").");
    };
    if (stream->get_schema == nullptr || stream->get_next == nullptr) refuse("its stream has no callbacks.");
    Owned<ArrowSchema> schema;
    check(stream->get_schema(stream.get(), schema.get()), "its schema");
    if (!schema) refuse("its stream gave no schema.");
    const auto type = std::make_shared<const ArrowType>(read_type(*schema));
    while (true) {
        if (interrupt && interrupt()) throw Interrupted{};
        auto array = std::make_shared<Owned<ArrowArray>>();
        check(stream->get_next(stream.get(), array->get()), "chunk " + std::to_string(chunks.size()));
        const bool ended = !*array;
        if (!ended || chunks.empty()) chunks.emplace_back(std::move(array), type);
        if (ended) return chunks;
    }
}

}  // namespace suffice
