// Columns that are made here, and handed out through Arrow's C interface: whoever takes them shares the memory, and
// lets it go when done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "suffice/arrow.hpp"

namespace suffice {

// Memory that nobody has written to yet.
class RawBytes final {
  public:
    RawBytes() = default;
    explicit RawBytes(std::size_t size) : data_(new std::byte[size]), size_(size) {}
    void* data() const { return data_.get(); }
    std::size_t size() const { return size_; }

  private:
    std::unique_ptr<std::byte[]> data_;
    std::size_t size_ = 0;
};

struct MadeColumn {
    std::string name;
    const char* format;  // as Arrow spells a type, and never freed
    std::size_t rows = 0, missing = 0;
    std::vector<std::uint64_t> valid;  // a bitmap
    RawBytes values;                   // or views
    std::vector<std::string> texts;    // the buffers that views speak of
};

// One record batch: a struct with these children.
Owned<ArrowSchema> schema_of(const std::vector<MadeColumn>& columns);
Owned<ArrowArray> array_of(std::vector<MadeColumn> columns, std::size_t rows);

}  // namespace suffice
