// The kernels that score histogram cells and whether a cell is observed. See suffice/kernels.hpp for their contracts.
//
// Both turn a tile of real columns into positions in a table, whose rows are then added like those of levels. A
// position is an integer decided by comparisons only, so it is the same on every instruction set, whatever the search
// method.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace suffice {
namespace {

// #{k : edge_k ≤ x} by descending a tree whose paths all have the same length, so that no step branches: from entry i
// of a level go to 2i, or to 2i + 1 if x ≥ edge. Unused entries are NaN, which no x reaches; a missing cell reaches no
// edge and stays one position before the first cell.
template <size_t steps>
inline __attribute__((always_inline)) void one_by_one(const double* x, size_t rows, const double* tree,
                                                      std::uint32_t first, std::uint32_t* out) {
    constexpr size_t at_once = 8;  // searches in flight at a time, to hide the latency of loading edges
    for (size_t r = 0; r < rows; r += at_once) {
        size_t at[at_once];
        for (size_t k = 0; k < at_once; ++k) at[k] = 1;
        for (size_t s = 0; s < steps; ++s)
            for (size_t k = 0; k < at_once; ++k) at[k] = 2 * at[k] + static_cast<size_t>(x[r + k] >= tree[at[k]]);
        for (size_t k = 0; k < at_once; ++k)
            out[r + k] = first + static_cast<std::uint32_t>(at[k] - (size_t{1} << steps) +
                                                            static_cast<size_t>(x[r + k] == x[r + k]));
    }
}

#if defined(__AVX512F__)

// The masked intrinsics with all lanes selected: the unmasked ones leave a register undefined, about which GCC warns.
constexpr __mmask8 every = 0xff;

// The edges of a level for eight searches: up to 32 edges are selected from registers.
template <size_t level>
inline __attribute__((always_inline)) __m512d edges_of(const double* tree, __m512i at) {
    const double* edges = tree + (size_t{1} << level);
    if constexpr (level == 0) {
        return _mm512_set1_pd(edges[0]);
    } else if constexpr (level <= 3) {
        return _mm512_maskz_permutexvar_pd(every, at, _mm512_loadu_pd(edges));
    } else if constexpr (level == 4) {
        return _mm512_permutex2var_pd(_mm512_loadu_pd(edges), at, _mm512_loadu_pd(edges + 8));
    } else {
        const __m512d low = _mm512_permutex2var_pd(_mm512_loadu_pd(edges), at, _mm512_loadu_pd(edges + 8));
        const __m512d high = _mm512_permutex2var_pd(_mm512_loadu_pd(edges + 16), at, _mm512_loadu_pd(edges + 24));
        return _mm512_mask_blend_pd(_mm512_cmpge_epi64_mask(at, _mm512_set1_epi64(16)), low, high);
    }
}

template <size_t steps, size_t level = 0>
inline __attribute__((always_inline)) __m512i eight_searches(__m512d x, const double* tree, __m512i at) {
    if constexpr (level == steps) {
        return at;
    } else {
        const __mmask8 reached = _mm512_cmp_pd_mask(x, edges_of<level>(tree, at), _CMP_GE_OQ);
        at = _mm512_add_epi64(at, at);
        return eight_searches<steps, level + 1>(x, tree, _mm512_mask_add_epi64(at, reached, at, _mm512_set1_epi64(1)));
    }
}

template <size_t steps>
inline __attribute__((always_inline)) void count_edges(const double* x, size_t rows, const double* tree,
                                                       std::uint32_t first, std::uint32_t* out) {
    for (size_t r = 0; r < rows; r += lanes) {
        const __m512d eight = _mm512_loadu_pd(x + r);
        const __m512i at =
            _mm512_add_epi64(eight_searches<steps>(eight, tree, _mm512_setzero_si512()), _mm512_set1_epi64(first));
        const __mmask8 known = _mm512_cmp_pd_mask(eight, eight, _CMP_EQ_OQ);
        const __m512i slot = _mm512_mask_add_epi64(at, known, at, _mm512_set1_epi64(1));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + r), _mm512_maskz_cvtepi64_epi32(every, slot));
    }
}

#else

template <size_t steps>
inline __attribute__((always_inline)) void count_edges(const double* x, size_t rows, const double* tree,
                                                       std::uint32_t first, std::uint32_t* out) {
    one_by_one<steps>(x, rows, tree, first, out);
}

#endif

void count_many_edges(const double* x, size_t rows, size_t steps, const double* tree, std::uint32_t first,
                      std::uint32_t* out) {
    for (size_t r = 0; r < rows; ++r) {
        size_t at = 1;
        for (size_t s = 0; s < steps; ++s) at = 2 * at + static_cast<size_t>(x[r] >= tree[at]);
        out[r] = first + static_cast<std::uint32_t>(at - (size_t{1} << steps) + static_cast<size_t>(x[r] == x[r]));
    }
}

void step_slots(const RowTile* tile, const StepTable* t, std::uint32_t* out) {
    const size_t rows = tile->rows;
    for (size_t j = 0; j < t->columns; ++j, out += rows) {
        const double *x = tile->x + tile->column[j] * rows, *tree = t->trees + t->start[j];
        const std::uint32_t first = t->first[j];
        switch (t->steps[j]) {
            case 0: count_edges<0>(x, rows, tree, first, out); break;
            case 1: count_edges<1>(x, rows, tree, first, out); break;
            case 2: count_edges<2>(x, rows, tree, first, out); break;
            case 3: count_edges<3>(x, rows, tree, first, out); break;
            case 4: count_edges<4>(x, rows, tree, first, out); break;
            case 5: count_edges<5>(x, rows, tree, first, out); break;
            case 6: count_edges<6>(x, rows, tree, first, out); break;
            case 7: one_by_one<7>(x, rows, tree, first, out); break;
            case 8: one_by_one<8>(x, rows, tree, first, out); break;
            default: count_many_edges(x, rows, t->steps[j], tree, first, out); break;
        }
    }
}

void observed_slots(const RowTile* tile, size_t columns, std::uint32_t* out) {
    const size_t rows = tile->rows;
    for (size_t j = 0; j < columns; ++j) {
        const double* x = tile->x + tile->column[j] * rows;
        for (size_t r = 0; r < rows; ++r) out[j * rows + r] = static_cast<std::uint32_t>(2 * j + (x[r] == x[r]));
    }
}

void slot_terms(const std::uint32_t* slots, size_t rows, size_t columns, const double* table, size_t width,
                double* scores) {
    add_level_rows(slots, 1, rows, rows, columns, table, width, scores);
}

}  // namespace
}  // namespace suffice
