#include "score_columns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace suffice {
namespace {

Aligned added_up(const std::vector<double>& table, std::size_t classes) {
    Aligned sum(padded(classes));
    for (std::size_t k = 0; k < table.size(); ++k) sum[k % classes] += table[k];
    return sum;
}

// `kinds` rows per column, of which the last two are absent and present, and any before them are zero.
Aligned rows_of_two(const std::vector<double>& absent, const std::vector<double>& present, std::size_t columns,
                    std::size_t classes, std::size_t kinds) {
    const std::size_t width = padded(classes);
    Aligned out(kinds * columns * width);
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t c = 0; c < classes; ++c) {
            out[(kinds * j + kinds - 2) * width + c] = absent[j * classes + c];
            out[(kinds * j + kinds - 1) * width + c] = present[j * classes + c];
        }
    return out;
}

std::vector<std::size_t> cells_of(const StepTerms& t) {
    std::vector<std::size_t> sizes;
    for (const std::size_t count : t.edge_counts) sizes.push_back(count + 1);
    return sizes;
}

}  // namespace

QuadraticTables::QuadraticTables(const QuadraticTerms& t, std::size_t classes)
    : m(padded_rows(t.m, classes)), s(padded_rows(t.s, classes)), c(padded_rows(t.c, classes)),
      constant(added_up(t.c, classes)) {}

void Scorer<QuadraticTerms>::add(const NumberTile& tile, TileSums& sums) {
    const QuadraticTable table{terms_.columns.size(), sums.classes(),      sums.width(),
                               terms_.centre.data(),  terms_.scale.data(), tables_.m.data(),
                               tables_.s.data(),      tables_.c.data(),    tables_.constant.data()};
    kernels().quadratic_terms(&tile.cells, &table, sums.by_class());
}

StudentTables::StudentTables(const StudentTerms& t, std::size_t classes)
    : m(padded_rows(t.m, classes)), s(padded_rows(t.s, classes)), c(padded_rows(t.c, classes)),
      e(padded_rows(t.e, classes)), constant(added_up(t.c, classes)),
      rising(std::all_of(t.s.begin(), t.s.end(), [](double each) { return each >= 0; })) {}

void Scorer<StudentTerms>::add(const NumberTile& tile, TileSums& sums) {
    const StudentTable table{terms_.columns.size(), sums.classes(),          sums.width(),     terms_.centre.data(),
                             terms_.scale.data(),   tables_.m.data(),        tables_.s.data(), tables_.c.data(),
                             tables_.e.data(),      tables_.constant.data(), tables_.rising};
    kernels().student_terms(&tile.cells, &table, sums.by_class());
}

UniformTables::UniformTables(const UniformTerms& t, std::size_t classes)
    : m(padded_rows(t.m, classes)), c(padded_rows(t.c, classes)), e(padded_rows(t.e, classes)) {}

void Scorer<UniformTerms>::add(const NumberTile& tile, TileSums& sums) {
    const UniformTable table{terms_.columns.size(), sums.classes(),   sums.width(),
                             tables_.m.data(),      tables_.c.data(), tables_.e.data()};
    kernels().uniform_terms(&tile.cells, &table, sums.by_class());
}

PresenceTables::PresenceTables(const PresenceTerms& t, std::size_t classes)
    : rows(rows_of_two(t.absent, t.present, t.columns.size(), classes, 3)), all_absent(added_up(t.absent, classes)),
      by_stored(t.threshold >= 0 && all_finite(t.present) && all_finite(t.absent)) {}

void Scorer<PresenceTerms>::add(const NumberTile& tile, TileSums& sums) {
    const PresenceTable table{terms_.columns.size(), sums.classes(), sums.width(), terms_.threshold,
                              tables_.rows.data()};
    kernels().presence_terms(&tile.cells, &table, sums.by_class());
    if (tile.finite) return;
    for (std::size_t j = 0; j < terms_.columns.size(); ++j) {
        const double* x = tile.cells.x + tile.cells.column[j] * tile.cells.rows;
        sums.infinite |= std::any_of(x, x + tile.cells.rows, [](double v) { return std::isinf(v); });
    }
}

bool Scorer<PresenceTerms>::add_stored(const StoredRow& stored, TileSums& sums) {
    const std::size_t width = sums.width();
    double* to = sums.row(stored.r);
    for (std::size_t c = 0; c < width; ++c) to[c] += tables_.all_absent[c];
    for (std::size_t k = 0; k < stored.cells.size(); ++k) {
        const double value = stored.cells.value(k);
        if (std::isnan(value)) return false;
        const std::uint32_t at = places_.of(stored.cells.column(k));
        if (at == no_slot || !(value > terms_.threshold)) continue;
        const double* absent = tables_.rows.data() + (3 * std::size_t{at} + 1) * width;
        for (std::size_t c = 0; c < width; ++c) to[c] += absent[width + c] - absent[c];
    }
    return true;
}

LinearTables::LinearTables(const LinearTerms& t, std::size_t classes)
    : weight(padded_rows(t.weight, classes)), finite(all_finite(t.weight)) {}

void Scorer<LinearTerms>::add(const NumberTile& tile, TileSums& sums) {
    const LinearTable table{terms_.columns.size(), sums.classes(), sums.width(), tables_.weight.data(), tables_.finite};
    if (!kernels().linear_terms(&tile.cells, &table, sums.by_class())) refuse(tile);
    if (tile.cells.missing && terms_.distribution)
        for (std::size_t r = 0; r < tile.rows; ++r) condition_on_observed(tile.cells, r, sums);
}

// A negative or infinite count has probability zero, and its product with −inf would be NaN.
void Scorer<LinearTerms>::refuse(const NumberTile& tile) const {
    for (std::size_t r = 0; r < tile.rows; ++r)
        for (std::size_t j = 0; j < terms_.columns.size(); ++j)
            if (const double x = tile.cells.x[tile.cells.column[j] * tile.cells.rows + r]; x < 0 || std::isinf(x))
                throw InvalidInput{x < 0 ? InvalidInput::Kind::negative : InvalidInput::Kind::infinite, tile.first + r,
                                   terms_.columns[j], x};
}

// If some counts are missing, condition on the observed columns: x_j ~ θ_j / Σ_observed θ given the observed total.
void Scorer<LinearTerms>::condition_on_observed(const RowTile& cells, std::size_t r, TileSums& sums) const {
    double total = 0;
    bool has_missing = false;
    const auto at = [&](std::size_t j) { return cells.x[cells.column[j] * cells.rows + r]; };
    for (std::size_t j = 0; j < terms_.columns.size(); ++j)
        if (std::isnan(at(j))) has_missing = true;
        else total += at(j);
    if (!has_missing || total == 0) return;
    const std::size_t classes = sums.classes();
    for (std::size_t c = 0; c < classes; ++c) {
        double observed = 0;
        for (std::size_t j = 0; j < terms_.columns.size(); ++j)
            if (!std::isnan(at(j))) observed += std::exp(terms_.weight[j * classes + c]);
        if (observed > 0) sums.row(r)[c] -= total * std::log(observed);
    }
}

bool Scorer<LinearTerms>::add_stored(const StoredRow& stored, TileSums& sums) {
    const double* weights = tables_.weight.data();
    const std::size_t width = sums.width();
    std::size_t size = from_.size();
    starts_.push_back(size);
    from_.resize(size + stored.cells.size());
    values_.resize(size + stored.cells.size());
    for (std::size_t k = 0; k < stored.cells.size(); ++k) {
        const double value = stored.cells.value(k);
        if (std::isnan(value)) return false;
        const std::uint32_t at = places_.of(stored.cells.column(k));
        if (at == no_slot || value == 0) continue;
        if (value < 0) throw InvalidInput{InvalidInput::Kind::negative, stored.row, stored.cells.column(k), value};
        from_[size] = weights + at * width;
        values_[size++] = value;
    }
    from_.resize(size);
    values_.resize(size);
    return true;
}

void Scorer<LinearTerms>::end(std::size_t r, std::size_t rows, TileSums& sums) {
    starts_.push_back(from_.size());
    from_.resize(from_.size() + gathered_ahead, tables_.weight.data());
    sums.add_gathered(from_, values_, starts_, r, rows);
}

LevelTables::LevelTables(const LevelTerms& t, std::size_t classes) {
    std::uint32_t next = 0;
    std::size_t row = 0;
    const std::size_t width = padded(classes);
    for (const std::size_t size : t.levels) {
        first.push_back(next);
        levels.push_back(size);
        next += static_cast<std::uint32_t>(size) + 1;
    }
    table.resize(next * width);
    for (std::size_t j = 0; j < t.levels.size(); ++j)
        for (std::size_t k = 0; k < t.levels[j]; ++k, ++row)
            std::copy_n(t.table.begin() + static_cast<std::ptrdiff_t>(row * classes), classes,
                        table.begin() + static_cast<std::ptrdiff_t>((first[j] + 1 + k) * width));
}

void Scorer<LevelTerms>::add(const Table& x, std::size_t first, TileSums& sums) {
    const std::size_t columns = terms_.columns.size(), rows = sums.rows();
    std::uint32_t* slots = sums.slots(columns);
    const bool row_major = x.is_matrix() && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype));
    bool consecutive = row_major;
    for (std::size_t j = 1; j < columns; ++j) consecutive &= terms_.columns[j] == terms_.columns[0] + j;
    bool beyond = false;
    if (consecutive && columns > 0) {
        const Column start = x.column(terms_.columns[0]);
        beyond = kernels().row_slots(start.data + static_cast<std::ptrdiff_t>(first) * start.stride, start.dtype,
                                     start.stride, rows, columns, tables_.first.data(), tables_.levels.data(), slots);
    } else {
        std::uint32_t column_slots[tile_rows];
        for (std::size_t j = 0; j < columns; ++j) {
            const Column column = x.column(terms_.columns[j]);
            beyond |=
                kernels().column_slots(column.data + static_cast<std::ptrdiff_t>(first) * column.stride, column.dtype,
                                       column.stride, rows, tables_.first[j], tables_.levels[j], column_slots);
            for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t bit = column.validity_offset + first + r;
                const bool valid = column.validity == nullptr || (column.validity[bit / 8] >> (bit % 8) & 1);
                slots[r * columns + j] = valid ? column_slots[r] : tables_.first[j];
            }
        }
    }
    // A code that is not a level of its column counts as missing.
    if (beyond)
        for (std::size_t k = 0; k < rows * columns; ++k)
            if (slots[k] == no_slot) slots[k] = tables_.first[k % columns];
    kernels().level_terms(slots, rows, columns, tables_.table.data(), sums.width(), sums.by_row());
}

StepTables::StepTables(const StepTerms& t, std::size_t classes) : levels({t.columns, cells_of(t), t.table}, classes) {
    const double* edges = t.edges.data();
    for (const std::size_t count : t.edge_counts) {
        steps.push_back(static_cast<std::size_t>(std::bit_width(count)));
        start.push_back(trees.size());
        const std::size_t size = std::size_t{1} << steps.back();
        trees.resize(start.back() + size + lanes, std::numeric_limits<double>::quiet_NaN());
        // Entry i of a level, with `span` edges below each entry, is the middle one of its edges.
        for (std::size_t i = 1; i < size; ++i) {
            const std::size_t top = std::bit_floor(i), span = size / top, middle = (i - top) * span + span / 2 - 1;
            if (middle < count) trees[start.back() + i] = edges[middle];
        }
        edges += count;
    }
}

void Scorer<StepTerms>::add(const NumberTile& tile, TileSums& sums) {
    const std::size_t columns = terms_.columns.size();
    const StepTable table{columns, tables_.steps.data(), tables_.start.data(), tables_.trees.data(),
                          tables_.levels.first.data()};
    std::uint32_t* slots = sums.slots(columns);
    kernels().step_slots(&tile.cells, &table, slots);
    kernels().slot_terms(slots, sums.height(), columns, tables_.levels.table.data(), sums.width(), sums.by_row());
}

ObservedTables::ObservedTables(const ObservedTerms& t, std::size_t classes)
    : rows(rows_of_two(t.absent, t.present, t.columns.size(), classes, 2)) {}

void Scorer<ObservedTerms>::add(const NumberTile& tile, TileSums& sums) {
    const std::size_t columns = terms_.columns.size();
    std::uint32_t* slots = sums.slots(columns);
    kernels().observed_slots(&tile.cells, columns, slots);
    kernels().slot_terms(slots, sums.height(), columns, tables_.rows.data(), sums.width(), sums.by_row());
}

}  // namespace suffice
