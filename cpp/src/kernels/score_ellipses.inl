// The kernels for joint densities of several columns. See suffice/kernels.hpp for their contracts.
//
// Lanes run along rows. For each row, the sum over columns of one row of W runs in column order, and the squares of
// those sums are added in the order of the rows of W.

namespace suffice {
namespace {

// Cells are clamped to this many units, so that no sum has infinities of both signs.
constexpr double greatest_distance = 1e150;

inline __attribute__((always_inline)) Lane8 clamped(Lane8 z) {
    const Lane8 bound = eight(greatest_distance);
    z = z > bound ? bound : z;
    return z < -bound ? -bound : z;
}

#if defined(__AVX512F__)
constexpr size_t ellipse_groups = most_ellipse_groups;
#else
constexpr size_t ellipse_groups = 1;
#endif

// Scores of `groups` · 8 rows; `d` and `z` have room for columns × groups · 8 numbers.
template <size_t groups>
inline __attribute__((always_inline)) void ellipse_rows_of(const RowTile& tile, const EllipseTable& t, size_t r,
                                                           double* d, double* z, double* scores) {
    const size_t rows = tile.rows, columns = t.columns;
    for (size_t j = 0; j < columns; ++j)
        for (size_t g = 0; g < groups; ++g)
            store(z + (j * groups + g) * lanes,
                  clamped((load(tile.x + tile.column[j] * rows + r + g * lanes) - t.centre[j]) * t.scale[j]));
    for (size_t c = 0; c < t.classes; ++c) {
        const double* mean = t.mean + c * columns;
        for (size_t j = 0; j < columns; ++j)
            for (size_t g = 0; g < groups; ++g)
                store(d + (j * groups + g) * lanes, load(z + (j * groups + g) * lanes) - mean[j]);
        Lane8 square[groups] = {};
        const double* w = t.whitening[c];
        for (size_t i = 0; i < columns; i += ellipse_rows, w += columns * ellipse_rows) {
            const size_t reach = t.triangular[c] && i + ellipse_rows < columns ? i + ellipse_rows : columns;
            Lane8 sum[ellipse_rows][groups] = {};
            for (size_t j = 0; j < reach; ++j)
                for (size_t k = 0; k < ellipse_rows; ++k)
                    for (size_t g = 0; g < groups; ++g)
                        sum[k][g] += load(d + (j * groups + g) * lanes) * w[j * ellipse_rows + k];
            for (size_t k = 0; k < ellipse_rows; ++k)
                for (size_t g = 0; g < groups; ++g) square[g] += sum[k][g] * sum[k][g];
        }
        for (size_t g = 0; g < groups; ++g) {
            double* to = scores + c * rows + r + g * lanes;
            const Lane8 away = t.exponent ? log1p8(square[g]) * t.exponent[c] : square[g];
            store(to, load(to) + (t.constant[c] - away));
        }
    }
}

void ellipse_terms(const RowTile* tile, const EllipseTable* table, double* scratch, double* scores) {
    const size_t cells = table->columns * ellipse_groups * lanes;
    size_t r = 0;
    for (; r + ellipse_groups * lanes <= tile->rows; r += ellipse_groups * lanes)
        ellipse_rows_of<ellipse_groups>(*tile, *table, r, scratch, scratch + cells, scores);
    for (; r < tile->rows; r += lanes) ellipse_rows_of<1>(*tile, *table, r, scratch, scratch + cells, scores);
}

template <size_t n>
void affine_run(const RowTile& tile, const AffineTable& t, size_t c, double* scores) {
    const size_t rows = tile.rows, columns = t.columns, width = t.width;
    for (size_t r = 0; r < rows; r += lanes) {
        Lane8 sum[n];
        for (size_t k = 0; k < n; ++k) sum[k] = eight(t.constant[c + k]);
        for (size_t j = 0; j < columns; ++j) {
            const Lane8 away = load(tile.x + tile.column[j] * rows + r) - t.centre[j];
            const double* w = t.slope + j * width + c;
            for (size_t k = 0; k < n; ++k) sum[k] += away * w[k];
        }
        Mask8 odd = {};  // x − x is +0 for every finite number
        for (size_t k = 0; k < n; ++k) odd |= (Mask8)(sum[k] - sum[k]);
        if (any(odd)) {  // a sum overflowed: recompute these rows with clamped cells
            for (size_t k = 0; k < n; ++k) sum[k] = eight(t.constant[c + k]);
            for (size_t j = 0; j < columns; ++j) {
                const Lane8 z = clamped((load(tile.x + tile.column[j] * rows + r) - t.centre[j]) * t.scale[j]);
                const double* w = t.weight + j * width + c;
                for (size_t k = 0; k < n; ++k) sum[k] += z * w[k];
            }
        }
        for (size_t k = 0; k < n; ++k) {
            double* to = scores + (c + k) * rows + r;
            store(to, load(to) + sum[k]);
        }
    }
}

void affine_terms(const RowTile* tile, const AffineTable* table, double* scores) {
    each_class_run(table->classes, [&]<size_t n>(size_t c) { affine_run<n>(*tile, *table, c, scores); });
}

}  // namespace
}  // namespace suffice
