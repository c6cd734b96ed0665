#include "tile_loader.hpp"

#include <algorithm>
#include <cstdint>

namespace suffice {
namespace {

// Rows to be read next are prefetched into the second-level cache. Eight parallel rows are too many short streams for
// the hardware prefetcher, which handles rows of more than `guessed_bytes` by itself.
constexpr std::size_t ahead_bytes = 8192, guessed_bytes = 4096, line_bytes = 64;

std::size_t rows_ahead(std::size_t row_bytes) {
    return row_bytes == 0 || row_bytes > guessed_bytes ? 0 : padded(std::max(ahead_bytes / row_bytes, lanes));
}

}  // namespace

TileLoader::TileLoader(const Table& x, const NeededColumns& needed, std::size_t most) : x_(x), needed_(needed) {
    const std::size_t columns = needed.columns.size();
    by_rows_ = x.is_matrix() && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype)) && columns == x.cols;
    direct_ =
        by_rows_ && x.dtype == Dtype::f64 && x.row_stride % 8 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % 8 == 0;
    ahead_ = by_rows_ ? rows_ahead(x.cols * size_of(x.dtype)) : 0;
    tile_.resize(columns * std::min(most, padded(x.rows)));
    if (by_rows_ && !direct_) eight_.resize(lanes * padded(columns));
}

bool TileLoader::load(std::size_t first, std::size_t rows) {
    if (by_rows_) return turn<true>([](std::size_t r) { return r; }, x_.rows, first, rows);
    const Kernels& k = kernels();
    const std::size_t height = padded(rows);
    for (std::size_t j = 0; j < needed_.columns.size(); ++j) {
        const Column column = x_.column(needed_.columns[j]);
        double* to = tile_.data() + j * height;
        k.load_column(&column, first, rows, to, 1);
        std::fill(to + rows, to + height, to[rows - 1]);
    }
    return k.all_finite(tile_.data(), needed_.columns.size() * height);
}

bool TileLoader::load(const std::size_t* at, std::size_t all, std::size_t first, std::size_t rows) {
    return turn<false>([at](std::size_t r) { return at[r]; }, all, first, rows);
}

template <bool consecutive, class RowAt>
bool TileLoader::turn(RowAt&& row_at, std::size_t all, std::size_t first, std::size_t rows) {
    const Kernels& k = kernels();
    const std::size_t height = padded(rows), width = padded(x_.cols);
    bool finite = true;
    for (std::size_t r = 0; r < height; r += lanes) {
        if (const std::size_t next = first + r + ahead_; ahead_ > 0 && next + lanes <= all)
            for (std::size_t i = 0; i < lanes; ++i) ask_for(row_at(next + i));
        const double* eight[lanes];
        const std::size_t count = std::min(lanes, rows - r);
        if (!direct_) {
            for (std::size_t i = 0; i < count; i += consecutive ? count : 1)
                k.load_rows(row(row_at(first + r + i)), x_.dtype, x_.row_stride, consecutive ? count : 1, x_.cols,
                            eight_.data() + i * width, width);
        }
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::size_t of = std::min(i, count - 1);
            eight[i] =
                direct_ ? reinterpret_cast<const double*>(row(row_at(first + r + of))) : eight_.data() + of * width;
        }
        finite &= k.turn_rows(eight, x_.cols, tile_.data() + r, height);
    }
    return finite;
}

void TileLoader::ask_for(std::size_t r) const {
    const std::size_t bytes = x_.cols * size_of(x_.dtype);
    for (std::size_t b = 0; b < bytes; b += line_bytes) __builtin_prefetch(row(r) + b, 0, 2);
}

}  // namespace suffice
