#include "dense_scorer.hpp"

#include <algorithm>

namespace suffice {
namespace {

// What is read next arrives in the second-level cache meanwhile. Eight rows side by side are too many short streams for the
// processor to guess; rows of more than `guessed_bytes` it follows by itself.
constexpr std::size_t ahead_bytes = 8192, guessed_bytes = 4096, line_bytes = 64;

std::size_t rows_ahead(std::size_t row_bytes) {
    return row_bytes == 0 || row_bytes > guessed_bytes ? 0 : padded(std::max(ahead_bytes / row_bytes, lanes));
}

}  // namespace

DenseScorer::DenseScorer(const CompiledTables& compiled, const Table& x, Wanted wanted, std::size_t per_row, Scores& scores)
    : compiled_(compiled), x_(x), wanted_(wanted), per_row_(per_row), scores_(scores), needed_(compiled.tables, x.cols),
      scorer_(compiled, needed_) {
    const std::size_t columns = needed_.columns.size();
    by_rows_ = x.is_matrix() && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype)) && columns == x.cols;
    direct_ = by_rows_ && x.dtype == Dtype::f64 && x.row_stride % 8 == 0 && reinterpret_cast<std::uintptr_t>(x.data) % 8 == 0;
    ahead_ = by_rows_ ? rows_ahead(x.cols * size_of(x.dtype)) : 0;
    tile_.resize(columns * std::min(tile_rows, padded(x.rows)));
    if (by_rows_ && !direct_) eight_.resize(lanes * padded(columns));
}

void DenseScorer::work(std::size_t unit, Checkpoint&) {
    impossible_ = 0;
    const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
    for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
        const std::size_t rows = std::min(tile_rows, end - first);
        scorer_.start(rows);
        if (!needed_.columns.empty()) {
            const bool finite = load(first, rows);
            scorer_.add(tile_.data(), finite, first);
            scorer_.add_steps(tile_.data());
        }
        for (std::size_t b = 0; b < compiled_.level.size(); ++b) {
            load_slots(b, first, rows);
            scorer_.add_levels(b, slots_.data());
        }
        impossible_ += scorer_.finish(wanted_, scores_.values.data() + first * per_row_);
    }
}

bool DenseScorer::load(std::size_t first, std::size_t rows) {
    if (by_rows_) return load_rows(first, rows);
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

bool DenseScorer::load_rows(std::size_t first, std::size_t rows) {
    const Kernels& k = kernels();
    const std::size_t height = padded(rows), width = padded(x_.cols);
    bool finite = true;
    for (std::size_t r = 0; r < height; r += lanes) {
        if (ahead_ > 0 && first + r + ahead_ + lanes <= x_.rows) ask_for(first + r + ahead_);
        const double* eight[lanes];
        if (!direct_) k.load_rows(row(first + r), x_.dtype, x_.row_stride, std::min(lanes, rows - r), x_.cols, eight_.data(), width);
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::size_t at = std::min(r + i, rows - 1);
            eight[i] = direct_ ? reinterpret_cast<const double*>(row(first + at)) : eight_.data() + (at - r) * width;
        }
        finite &= k.turn_rows(eight, x_.cols, tile_.data() + r, height);
    }
    return finite;
}

void DenseScorer::ask_for(std::size_t first) const {
    const std::size_t bytes = x_.cols * size_of(x_.dtype);
    for (std::size_t r = first; r < first + lanes; ++r)
        for (std::size_t b = 0; b < bytes; b += line_bytes) __builtin_prefetch(row(r) + b, 0, 2);
}

void DenseScorer::load_slots(std::size_t block, std::size_t first, std::size_t rows) {
    const LevelTerms& terms = compiled_.tables.level[block];
    const auto& own = compiled_.level[block];
    const std::size_t columns = terms.columns.size();
    slots_.resize(tile_rows * columns);
    const bool row_major = x_.is_matrix() && x_.col_stride == static_cast<std::ptrdiff_t>(size_of(x_.dtype));
    bool consecutive = row_major;
    for (std::size_t j = 1; j < columns; ++j) consecutive &= terms.columns[j] == terms.columns[0] + j;
    bool beyond = false;
    if (consecutive && columns > 0) {
        const Column start = x_.column(terms.columns[0]);
        beyond = kernels().row_slots(start.data + static_cast<std::ptrdiff_t>(first) * start.stride, start.dtype, start.stride,
                                     rows, columns, own.first.data(), own.levels.data(), slots_.data());
    } else {
        std::uint32_t column_slots[tile_rows];
        for (std::size_t j = 0; j < columns; ++j) {
            const Column column = x_.column(terms.columns[j]);
            beyond |= kernels().column_slots(column.data + static_cast<std::ptrdiff_t>(first) * column.stride, column.dtype,
                                             column.stride, rows, own.first[j], own.levels[j], column_slots);
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t bit = column.validity_offset + first + r;
                const bool valid = column.validity == nullptr || (column.validity[bit / 8] >> (bit % 8) & 1);
                slots_[r * columns + j] = valid ? column_slots[r] : own.first[j];
            }
        }
    }
    if (!beyond) return;
    // A code that is no level of its column is missing.
    for (std::size_t k = 0; k < rows * columns; ++k)
        if (slots_[k] == no_slot) slots_[k] = own.first[k % columns];
}

}  // namespace suffice
