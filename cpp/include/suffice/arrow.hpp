// The Arrow C data interface (arrow.apache.org/docs/format/CDataInterface.html): three plain structs that a producer
// fills and the consumer releases exactly once.
#pragma once

#include <cstdint>
#include <utility>

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};

#endif
}

namespace suffice {

// Owns one of the structs and releases it on destruction. A null `release` marks a struct that is empty or already
// released.
template <class Struct>
class Owned final {
  public:
    Owned() = default;
    // Moves the contents out of the producer's struct by a bitwise copy, as the protocol prescribes.
    explicit Owned(Struct& from) : value_(from) { from.release = nullptr; }
    Owned(Owned&& other) noexcept : value_(std::exchange(other.value_, Struct{})) {}
    Owned& operator=(Owned&&) = delete;
    ~Owned() {
        if (value_.release != nullptr) value_.release(&value_);
    }

    Struct* get() { return &value_; }
    Struct* operator->() { return &value_; }
    const Struct& operator*() const { return value_; }
    explicit operator bool() const { return value_.release != nullptr; }

  private:
    Struct value_{};
};

}  // namespace suffice
