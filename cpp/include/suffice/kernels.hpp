// The inner loops that depend on the instruction set, as one table of functions per set.
//
// Every loop keeps one accumulator per column, added to in row order: lanes run across columns, never along a
// sum. With contraction off, plain, AVX2 and AVX-512 code therefore give the same bits. The three tables are
// compiled from one text, the .inl files of src/kernels, by one source file per instruction set.
//
// `width` is a multiple of 8 lanes: callers pad, and ignore the results in the padding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "suffice/rows.hpp"

namespace suffice {

inline constexpr std::size_t lanes = 8;
inline constexpr std::uint32_t no_slot = 0xffffffff;

// Larger counts are clamped to this one, so that sums of their logs stay finite.
inline constexpr double greatest_count = 1e290;
inline constexpr std::size_t gathered_ahead = 16;
// For x up to most_factors, ln Γ(a + x) − ln Γ(a) is computed as the log of a product of x factors, which neither
// overflows nor underflows for a from least_factor to greatest_factor.
inline constexpr double most_factors = 16, least_factor = 0x1p-1000, greatest_factor = 1e15;
// Rows of whole counts up to this one take the fast path of count_logs.
inline constexpr double small_count = 7;

constexpr std::size_t padded(std::size_t width) { return (width + lanes - 1) / lanes * lanes; }

// A tile of rows × width doubles, and the class and weight of each row. `weights` may be null (all 1).
struct Tile {
    const double* x;
    std::size_t stride, rows, width;
    const std::int32_t* codes;
    const double* weights;
};

// Accumulators of one block, classes × width. `started[c]` is set once class c has its pivot row.
struct MomentSums {
    double *pivot, *s1, *s2;
    double* cell_weight;  // classes × width, used by the masked kernel only; elsewhere every row of a class counts
    std::uint8_t* started;  // classes
    bool many;              // whether they exceed the first-level cache
};

// Columns of a tile of rows, each `rows` doubles long (a multiple of 8): column k of the terms is column[k] of the
// tile.
struct RowTile {
    const double* x;
    std::size_t rows;
    const std::size_t* column;
    bool missing;  // some cell is NaN
};

// The tables of suffice/score.hpp with rows of `width` numbers, the classes padded to whole lanes.
struct QuadraticTable {
    std::size_t columns, classes, width;
    const double *centre, *scale, *m, *s, *c, *constant;  // constant: Σ_j c per class
};
struct StudentTable {
    std::size_t columns, classes, width;
    const double *centre, *scale, *m, *s, *c, *e, *constant;  // constant: Σ_j c per class
    bool rising;                                              // no s is negative
};
struct UniformTable {
    std::size_t columns, classes, width;
    const double *m, *c, *e;
};
// Column j has the rows 3j (zeros), 3j + 1 (absent) and 3j + 2 (present).
struct PresenceTable {
    std::size_t columns, classes, width;
    double threshold;
    const double* table;
};
struct LinearTable {
    std::size_t columns, classes, width;
    const double* weight;
    bool finite;  // whether every weight is finite
};
// Column j searches a tree of 2^steps[j] − 1 edges from start[j] + 1: the children of entry i are 2i, where x is below
// the edge, and 2i + 1. It is padded with NaN, also past its end to whole lanes. Missing cells have the slot first[j].
struct StepTable {
    std::size_t columns;
    const std::size_t *steps, *start;
    const double* trees;
    const std::uint32_t* first;
};

// The tables of suffice/score_ellipses.hpp for the observed columns. Rows of W are packed in groups of four,
// [group][column][row of the group], without entries beyond the diagonal if W is triangular.
inline constexpr std::size_t ellipse_rows = 4, most_ellipse_groups = 4;
struct EllipseTable {
    std::size_t columns, classes;
    const double *centre, *scale;
    const double* mean;              // classes × columns
    const double* const* whitening;  // of each class
    const std::uint8_t* triangular;  // of each class
    const double *constant, *exponent;  // one per class; null exponent: normal
};
struct AffineTable {
    std::size_t columns, classes, width;
    const double *centre, *scale, *weight, *slope, *constant;  // columns × width: weight, and slope = scale · weight
};

struct Kernels {
    const char* name;

    // Converts `rows` × `cols` values, contiguous along a row, to doubles.
    void (*load_rows)(const std::byte* base, Dtype type, std::ptrdiff_t row_stride, std::size_t rows,
                      std::size_t cols, double* out, std::size_t out_stride);
    // Converts one strided column to doubles; NaN where the validity bit is 0.
    void (*load_column)(const Column* column, std::size_t first_row, std::size_t rows, double* out,
                        std::size_t out_stride);
    // The same for up to eight adjacent columns. `out` has room for eight; the unused columns are set to 0 or left
    // unchanged.
    void (*load_eight_columns)(const Column* columns, std::size_t number, std::size_t first_row, std::size_t rows, double* out,
                               std::size_t out_stride);
    // Transposes eight rows of doubles into columns of eight, `out_stride` apart. Returns false when a cell is not
    // finite.
    bool (*turn_rows)(const double* const* rows, std::size_t cols, double* out, std::size_t out_stride);

    // Converts level codes to positions in a row of counters: column j's levels follow its slot for missing codes (−1)
    // at first[j]. A code that is neither −1 nor one of 0 … levels[j] − 1 becomes no_slot. Returns whether there is
    // such a code.
    bool (*row_slots)(const std::byte* base, Dtype type, std::ptrdiff_t row_stride, std::size_t rows, std::size_t cols,
                      const std::uint32_t* first, const std::uint64_t* levels, std::uint32_t* out);
    bool (*column_slots)(const std::byte* base, Dtype type, std::ptrdiff_t stride, std::size_t rows, std::uint32_t first,
                         std::uint64_t levels, std::uint32_t* out);

    // The clean kernels assume that nothing is missing. A NaN or infinity makes s2 (sums: values; presence: the flaw
    // lane) not finite, and the block is repeated by the masked kernel, which skips NaN cells and returns whether there
    // was an infinity.
    void (*moments_clean)(const Tile* tile, const MomentSums* sums);
    bool (*moments_masked)(const Tile* tile, const MomentSums* sums);

    void (*sums_clean)(const Tile* tile, double* values, double* least);
    bool (*sums_masked)(const Tile* tile, double* values, double* cell_weight, double* least);

    void (*presence_clean)(const Tile* tile, double threshold, double* values, double* flaw);
    bool (*presence_masked)(const Tile* tile, double threshold, double* values, double* cell_weight);

    // products[i, j] += Σ_r left[r, i] right[r, j] for j ≥ i rounded down to whole lanes; all width × width.
    void (*outer_products)(const double* left, const double* right, std::size_t rows, std::size_t width,
                           double* products);

    double (*sum)(const double* x, std::size_t count);

    // Add the terms of a tile to its scores: classes × rows for real columns, presences and weights, rows × width for
    // the others.
    void (*quadratic_terms)(const RowTile* tile, const QuadraticTable* table, double* scores);
    void (*student_terms)(const RowTile* tile, const StudentTable* table, double* scores);
    void (*uniform_terms)(const RowTile* tile, const UniformTable* table, double* scores);
    void (*level_terms)(const std::uint32_t* slots, std::size_t rows, std::size_t columns, const double* table,
                        std::size_t width, double* scores);
    void (*presence_terms)(const RowTile* tile, const PresenceTable* table, double* scores);
    // sums[r, c] = Σ_j table[slots[j, r] + c], in the order of the columns.
    void (*tabled_terms)(const std::uint32_t* slots, std::size_t rows, std::size_t columns, const double* table,
                         std::size_t width, double* sums);
    // Returns false when a count may be negative or infinite: either one is, or the sums overflow.
    bool (*linear_terms)(const RowTile* tile, const LinearTable* table, double* scores);
    // Replaces every score s, classes × rows, by scale · s + offsets[c], and by 0 if all scores of a row are the same
    // finite number.
    void (*calibrate_rows)(double* scores, std::size_t rows, std::size_t classes, double scale, const double* offsets);
    // Converts scores, classes × rows, to the requested output (0 joint, 1 log posterior, 2 posterior, 3 density) for
    // the first `used` rows. Returns the number of rows that are impossible under every class. `undefined` is the first
    // row with a score that is NaN or +inf, or `used`.
    std::size_t (*finish_rows)(double* scores, std::size_t rows, std::size_t used, std::size_t classes,
                               const double* log_prior, int wanted, double* out, std::size_t* undefined);
    bool (*any_missing)(const double* x, std::size_t count);
    bool (*all_finite)(const double* x, std::size_t count);

    // out[k] = ln Γ(start[k] + x) − ln Γ(start[k]) for start > 0 and x ≥ 0.
    void (*log_rising)(const double* start, std::size_t width, double x, double* out);
    // out[k] = ln x[k]! for x ≥ 0; `count` is a multiple of 8 lanes.
    void (*log_factorials)(const double* x, std::size_t count, double* out);
    // The start of the table row of each count, columns × rows: row 0 is zero, row j · depth + x belongs to count x of
    // column j. A count that is missing or not one of 0 … depth has row 0. `totals` are the sums of the counts of each
    // row; `state` has bit 1 for a count that is not in the table, bit 2 for an invalid count, and bit 4 for a missing
    // one.
    void (*count_slots)(const RowTile* tile, std::size_t columns, std::size_t depth, std::size_t width, std::uint32_t* slots,
                        double* totals, std::uint8_t* state);
    // sums[r, c] = Σ_k values[k] rows[k][c] over k = starts[r] … starts[r + 1] − 1, in order. `rows` has gathered_ahead
    // further entries, whose memory is prefetched but not read.
    void (*gather_terms)(const double* const* rows, const double* values, const std::size_t* starts, std::size_t count,
                         std::size_t width, double* sums);
    // The same for Σ_k ln Γ(a + x) − ln Γ(a), with a = rows[k][c] in least_factor … greatest_factor and x = counts[k]
    // one of 1 … most_factors.
    void (*rising_terms)(const double* const* rows, const double* counts, const std::size_t* starts, std::size_t count,
                         std::size_t width, double* sums);
    // Σ ln x! and Σ x of each row of counts, without missing ones. A row with a count that is not one of 0 …
    // small_count has a nonzero state, and its sums are invalid. Lanes beyond `columns` may be read. `log_factorials`
    // has at least eight entries.
    void (*count_logs)(const double* x, std::size_t stride, std::size_t rows, std::size_t columns,
                       const double* log_factorials, double* cells, double* totals, std::uint8_t* state);
    // The same for a tile of columns, summed in column order.
    void (*tile_logs)(const RowTile* tile, std::size_t columns, const double* log_factorials, double* cells, double* totals,
                      std::uint8_t* state);
    // Logs from 0 up to 2³⁰ as whole numbers, coarse · 2⁻²⁰ + fine · 2⁻⁴³. `count` is a multiple of 8 lanes.
    void (*split_logs)(const double* logs, std::size_t count, double* coarse, double* fine);
    // Cells of a histogram as levels: column j has the slot first[j] (missing), then one for each cell. Slots are
    // columns × rows here and in the next two.
    void (*step_slots)(const RowTile* tile, const StepTable* table, std::uint32_t* out);
    // Whether a cell is known, as a level: column j has the slots 2j (missing) and 2j + 1 (known).
    void (*observed_slots)(const RowTile* tile, std::size_t columns, std::uint32_t* out);
    void (*slot_terms)(const std::uint32_t* slots, std::size_t rows, std::size_t columns, const double* table,
                       std::size_t width, double* scores);
    // scores[c, r] += constant − |W (z − mean)|², or constant − exponent · log(1 + |W (z − mean)|²). No cell is
    // missing. `scratch` has room for 2 · columns · most_ellipse_groups lanes.
    void (*ellipse_terms)(const RowTile* tile, const EllipseTable* table, double* scratch, double* scores);
    // scores[c, r] += constant + Σ_j z_j weight_jc. No cell is missing.
    void (*affine_terms)(const RowTile* tile, const AffineTable* table, double* scores);
};

extern const Kernels kernels_plain;
#if defined(SUFFICE_X86_KERNELS)
extern const Kernels kernels_avx2, kernels_avx512;
#endif

// The table in use: chosen from the processor, or forced by the environment variable SUFFICE_ISA, when the
// library is loaded. `use_kernels` changes it (for tests) and returns false for a name that this machine cannot run.
const Kernels& kernels();
bool use_kernels(const char* name);
bool can_run(const char* name);

}  // namespace suffice
