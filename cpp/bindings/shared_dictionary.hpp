// The dictionary as Python holds it. Threads may share it: lookups run concurrently, growth runs exclusively.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <mutex>
#include <shared_mutex>

#include "bindings.hpp"
#include "suffice/dictionary.hpp"

namespace suffice::bindings {

using OutCodes = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>, nb::c_contig>;

struct SharedDictionary {
    Dictionary texts;
    std::shared_mutex mutex;
};

// Locks a dictionary for one call. The GIL is released while waiting for the lock, because the owner of the lock may
// need the GIL to check for Ctrl-C; it is reacquired before the constructor returns.
class Held final {
  public:
    Held(SharedDictionary& dictionary, bool grow)
        : growing_(dictionary.mutex, std::defer_lock), looking_(dictionary.mutex, std::defer_lock) {
        nb::gil_scoped_release released;
        if (grow) growing_.lock();
        else looking_.lock();
    }

  private:
    std::unique_lock<std::shared_mutex> growing_;
    std::shared_lock<std::shared_mutex> looking_;
};

// Memory for codes that becomes an array without being initialised first.
class Codes final {
  public:
    explicit Codes(std::size_t rows) : codes_(new std::int32_t[rows]), rows_(rows) {}
    std::int32_t* data() { return codes_.get(); }
    OutCodes hand_over() {
        std::int32_t* codes = codes_.get();
        nb::capsule owner(codes, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
        codes_.release();
        return OutCodes(codes, {rows_}, owner);
    }

  private:
    std::unique_ptr<std::int32_t[]> codes_;
    std::size_t rows_;
};

void define_dictionary(nb::module_& m);

}  // namespace suffice::bindings
