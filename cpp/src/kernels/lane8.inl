// Eight doubles at a time. See suffice/kernels.hpp for the rules that make the bits the same on every instruction set.
//
// Only plain pointers, and everything in an unnamed namespace: a template or inline function shared with other
// translation units could be linked from the copy that was compiled for a newer processor.

#include "suffice/kernels.hpp"

namespace suffice {
namespace {

using std::ptrdiff_t;
using std::size_t;

// Eight doubles as a compiler vector: one register of AVX-512, two of AVX2, four of SSE2.
typedef double Lane8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long Mask8 __attribute__((vector_size(64), aligned(8), may_alias));

inline __attribute__((always_inline)) Lane8 load(const double* p) { return *reinterpret_cast<const Lane8*>(p); }
inline __attribute__((always_inline)) void store(double* p, Lane8 v) { *reinterpret_cast<Lane8*>(p) = v; }

inline __attribute__((always_inline)) Lane8 eight(double v) { return Lane8{v, v, v, v, v, v, v, v}; }

inline __attribute__((always_inline)) bool any(Mask8 mask) {
    long long all = 0;
    for (size_t k = 0; k < lanes; ++k) all |= mask[k];
    return all != 0;
}

// Transposes eight rows of eight in three steps: swaps of pairs, of fours, of eights.
inline __attribute__((always_inline)) void transpose(Lane8 (&x)[lanes]) {
    for (size_t k = 0; k < 8; k += 2) {
        const Lane8 a = x[k], b = x[k + 1];
        x[k] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
        x[k + 1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (size_t k : {size_t{0}, size_t{1}, size_t{4}, size_t{5}}) {
        const Lane8 a = x[k], b = x[k + 2];
        x[k] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        x[k + 2] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (size_t k = 0; k < 4; ++k) {
        const Lane8 a = x[k], b = x[k + 4];
        x[k] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
        x[k + 4] = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

}  // namespace
}  // namespace suffice
