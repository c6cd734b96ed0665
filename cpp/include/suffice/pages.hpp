// Memory aligned to a cache line, so that eight lanes are never split over two lines. Large arrays use large pages,
// which saves page-table walks on scattered row lookups and page clearing.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace suffice {

template <class T>
struct PageAllocator {
    using value_type = T;

    PageAllocator() = default;
    template <class U>
    PageAllocator(const PageAllocator<U>&) {}

    T* allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
        void* p = ::operator new(count * sizeof(T), alignment(count));
#if defined(__linux__)
        // A hint: the kernel may ignore it
        if (is_large(count)) madvise(p, count * sizeof(T) / page * page, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t count) { ::operator delete(p, alignment(count)); }
    bool operator==(const PageAllocator&) const { return true; }

  private:
    static constexpr std::size_t line = 64, page = std::size_t{1} << 21;
    static bool is_large(std::size_t count) { return count * sizeof(T) >= 2 * page; }
    static std::align_val_t alignment(std::size_t count) { return std::align_val_t{is_large(count) ? page : line}; }
};

// Leaves the entries of a new vector uninitialised, for callers that fill all of them: the threads that fill the vector
// then share the cost of the page faults.
template <class T>
struct UnsetAllocator : PageAllocator<T> {
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    template <class U>
    void construct(U* p) {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... Given>
    void construct(U* p, Given&&... given) {
        ::new (static_cast<void*>(p)) U(std::forward<Given>(given)...);
    }
};

template <class T>
using UnsetOf = std::vector<T, UnsetAllocator<T>>;
using Unset = UnsetOf<double>;

}  // namespace suffice
