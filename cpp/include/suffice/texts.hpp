// Text columns in Arrow layout, read without trusting the producer.
//
//   offsets   text i is bytes[offsets[i] … offsets[i + 1]), with 32-bit or 64-bit offsets
//   views     16 bytes per row: the length (int32), then the text itself if it has at most 12 bytes,
//             otherwise its first 4 bytes, the index of its buffer (int32) and its start in that buffer (int32)
//   validity  one bit per row, least significant bit first; 0 where the row is missing
//
// Neither the producer's numbers nor its alignment are trusted: everything that can be checked is, and loads are
// unaligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace suffice {

template <class T>
T load(const void* data, std::size_t index) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof(T), sizeof(T));
    return value;
}

struct Validity {
    const std::uint8_t* bits = nullptr;  // null: nothing is missing
    std::size_t offset = 0;              // the bit of row 0

    bool operator()(std::size_t row) const {
        return bits == nullptr || ((bits[(offset + row) >> 3] >> ((offset + row) & 7)) & 1) != 0;
    }
};

// Throw std::invalid_argument with a message that names the row.
[[noreturn]] void refuse_offsets(std::size_t row, std::int64_t first, std::int64_t last);
[[noreturn]] void refuse_beyond(std::size_t row, std::int64_t first, std::int64_t last, std::int64_t whole);
[[noreturn]] void refuse_missing_bytes(std::size_t row, std::int64_t length);

template <class Offset>
struct OffsetTexts {
    const void* offsets = nullptr;  // of row 0
    const char* bytes = nullptr;
    std::size_t rows = 0;
    Validity valid = {};

    // The end of the bytes according to the offsets: the interface gives no other size.
    Offset whole() const { return load<Offset>(offsets, rows); }
    // The text between two offsets. The caller has already read both and `whole`.
    std::string_view between(std::size_t row, Offset first, Offset last, Offset whole) const {
        if (first < 0 || last < first) refuse_offsets(row, first, last);
        if (last > whole) refuse_beyond(row, first, last, whole);
        if (first == last) return {};
        if (bytes == nullptr) refuse_missing_bytes(row, last - first);
        return {bytes + first, static_cast<std::size_t>(last - first)};
    }
    std::string_view at(std::size_t row) const {
        return between(row, load<Offset>(offsets, row), load<Offset>(offsets, row + 1), whole());
    }
};

struct ViewTexts {
    static constexpr std::size_t inline_bytes = 12;

    const std::byte* views = nullptr;  // of row 0
    std::span<const void* const> buffers = {};
    const void* sizes = nullptr;  // int64, one for each buffer
    std::size_t rows = 0;
    Validity valid = {};

    std::string_view at(std::size_t row) const {
        const std::byte* view = views + row * 16;
        const auto length = load<std::int32_t>(view, 0);
        if (length >= 0 && static_cast<std::size_t>(length) <= inline_bytes)
            return {reinterpret_cast<const char*>(view) + 4, static_cast<std::size_t>(length)};
        const auto at = static_cast<std::size_t>(load<std::uint32_t>(view, 2));  // a negative index becomes too large
        const auto start = load<std::int32_t>(view, 3);
        const bool sound = length >= 0 && start >= 0 && at < buffers.size() &&
                           std::int64_t{start} + length <= load<std::int64_t>(sizes, at) && buffers[at] != nullptr;
        if (!sound) refuse_view(row, view, length);
        return {static_cast<const char*>(buffers[at]) + start, static_cast<std::size_t>(length)};
    }

  private:
    [[noreturn]] void refuse_view(std::size_t row, const std::byte* view, std::int32_t length) const;
};

}  // namespace suffice
