// A chunk of an Arrow column: the producer's own buffers, kept alive and never copied.
//
// In the C interface a buffer is a bare pointer without a size, so lengths are checked against each other wherever
// possible. A column that contradicts itself throws std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "suffice/arrow.hpp"
#include "suffice/arrow_type.hpp"
#include "suffice/dictionary.hpp"
#include "suffice/parallel.hpp"
#include "suffice/texts.hpp"

namespace suffice {

class ArrowChunk final {
  public:
    // Wraps a whole array. An array without a release callback has no rows.
    ArrowChunk(std::shared_ptr<const Owned<ArrowArray>> owner, std::shared_ptr<const ArrowType> type);

    const ArrowType& type() const { return *type_; }
    std::size_t rows() const { return rows_; }
    std::size_t missing() const { return missing_; }
    const Validity& validity() const { return validity_; }

    // The first fixed-width value (for booleans: the bitmap, whose first bit is at `offset()`); null when there are no
    // rows.
    const std::byte* fixed() const;
    std::size_t offset() const { return offset_; }

    using Texts = std::variant<OffsetTexts<std::int32_t>, OffsetTexts<std::int64_t>, ViewTexts>;
    Texts texts() const;

    // The values of a dictionary.
    ArrowChunk values() const;

    // Codes of a text chunk, or of a dictionary of texts, numbered in order of first appearance in the rows.
    bool is_text() const {
        return type_->kind == ArrowKind::text || (type_->values != nullptr && type_->values->kind == ArrowKind::text);
    }
    void encode(Dictionary& dictionary, bool grow, std::int32_t* codes, const Interrupt& interrupt) const;

  private:
    ArrowChunk(std::shared_ptr<const Owned<ArrowArray>> owner, std::shared_ptr<const ArrowType> type,
               const ArrowArray& array);
    void check_buffers() const;
    const void* buffer(std::int64_t index) const { return array_->buffers[index]; }

    std::shared_ptr<const Owned<ArrowArray>> owner_;
    std::shared_ptr<const ArrowType> type_;
    const ArrowArray* array_;
    std::size_t rows_ = 0, offset_ = 0, missing_ = 0;
    Validity validity_;
};

// Reads a stream to its end. A stream without chunks yields one chunk of no rows, which carries the type.
std::vector<ArrowChunk> read_chunks(Owned<ArrowArrayStream> stream, const Interrupt& interrupt);

}  // namespace suffice
