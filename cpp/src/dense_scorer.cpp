#include "dense_scorer.hpp"

#include <algorithm>

namespace suffice {

DenseScorer::DenseScorer(const CompiledTables& compiled, const Table& x, Wanted wanted, std::size_t per_row, Scores& scores)
    : compiled_(compiled), x_(x), wanted_(wanted), per_row_(per_row), scores_(scores), needed_(compiled.tables, x.cols),
      scorer_(compiled, needed_), loader_(x, needed_, tile_rows) {}

void DenseScorer::work(std::size_t unit, Checkpoint&) {
    impossible_ = 0;
    const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
    for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
        const std::size_t rows = std::min(tile_rows, end - first);
        scorer_.start(rows);
        if (!needed_.columns.empty()) {
            const bool finite = loader_.load(first, rows);
            scorer_.add(loader_.tile(), finite, first);
            scorer_.add_steps(loader_.tile());
        }
        for (std::size_t b = 0; b < compiled_.level.size(); ++b) {
            load_slots(b, first, rows);
            scorer_.add_levels(b, slots_.data());
        }
        impossible_ += scorer_.finish(wanted_, scores_.values.data() + first * per_row_, first);
    }
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
