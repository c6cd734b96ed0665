// Doubles that start on a cache line, so that eight lanes are never split over two.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace suffice {

template <class T>
struct CacheLineAllocator {
    using value_type = T;
    static constexpr std::align_val_t line{64};

    CacheLineAllocator() = default;
    template <class U>
    CacheLineAllocator(const CacheLineAllocator<U>&) {}

    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        return static_cast<T*>(::operator new(count * sizeof(T), line));
    }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const CacheLineAllocator&) const { return true; }
};

using Aligned = std::vector<double, CacheLineAllocator<double>>;

}  // namespace suffice
