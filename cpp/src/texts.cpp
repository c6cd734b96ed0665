#include "suffice/texts.hpp"

#include <stdexcept>
#include <string>

namespace suffice {
namespace {

[[noreturn]] void refuse(std::size_t row, const std::string& reason) {
    throw std::invalid_argument(
        "the Arrow column is malformed: row " + std::to_string(row) + " " + reason +
        " The library that produced the column is at fault: recreate the column, or pass a list of str.");
}

}  // namespace

void refuse_offsets(std::size_t row, std::int64_t first, std::int64_t last) {
    refuse(row, "runs from byte " + std::to_string(first) + " to byte " + std::to_string(last) +
                    ", but offsets must be non-negative and non-decreasing.");
}

void refuse_beyond(std::size_t row, std::int64_t first, std::int64_t last, std::int64_t whole) {
    refuse(row, "runs from byte " + std::to_string(first) + " to byte " + std::to_string(last) +
                    ", beyond the last offset, " + std::to_string(whole) + ".");
}

void refuse_missing_bytes(std::size_t row, std::int64_t length) {
    refuse(row, "has " + std::to_string(length) + " bytes, but the column has no byte buffer.");
}

void ViewTexts::refuse_view(std::size_t row, const std::byte* view, std::int32_t length) const {
    const auto number = load<std::int32_t>(view, 2), start = load<std::int32_t>(view, 3);
    if (length < 0) refuse(row, "has a length of " + std::to_string(length) + " bytes.");
    if (number < 0 || static_cast<std::size_t>(number) >= buffers.size())
        refuse(row, "points into buffer " + std::to_string(number) + ", but the column has " +
                        std::to_string(buffers.size()) + ".");
    const auto size = load<std::int64_t>(sizes, static_cast<std::size_t>(number));
    if (start < 0 || std::int64_t{start} + length > size)
        refuse(row, "runs from byte " + std::to_string(start) + " to byte " +
                        std::to_string(std::int64_t{start} + length) + " of a buffer of " + std::to_string(size) + ".");
    refuse_missing_bytes(row, length);
}

}  // namespace suffice
