#include "sparse.hpp"
#include "suffice/counts.hpp"
#include "suffice/texts.hpp"

namespace suffice {
namespace {

// Sums and presence: one number per cell. `Cell` maps a stored value to the number that is added, or throws.
template <class Cell>
struct SparseCounter {
    const Csr& x;
    const SparsePass& pass;
    const Cell& cell;
    Unset& values;
    MissingCells& missing;
    SparseRow row;
    bool usual = x.indices_type == Dtype::i32 && x.dtype == Dtype::f64;
    std::vector<double> scratch = {};
    std::vector<std::pair<std::size_t, double>> missing_cells = {};

    void work(std::size_t u, Checkpoint& checkpoint) {
        const SparseUnit& unit = pass.units()[u];
        // The class's row of the result itself, if no other unit adds to it
        double* to = values.data() + unit.cls * x.cols;
        if (!unit.only) {
            scratch.assign(x.cols, 0.0);
            to = scratch.data();
        }
        constexpr std::size_t ahead = 6;
        for (std::size_t p = unit.first; p < unit.last; ++p) {
            if ((p - unit.first) % 4096 == 4095) checkpoint();
            if (p + ahead < unit.last) row.prefetch(pass.rows(), pass.row(p + ahead));
            const std::size_t r = pass.row(p);
            const double w = pass.weight(r);
            if (usual && rises(r)) {
                add_in_place(r, w, to);
                continue;
            }
            row.read(pass.rows(), r);
            for (std::size_t k = 0; k < row.size(); ++k) add(row.value(k), r, row.column(k), w, to);
        }
    }
    void add(double value, std::size_t r, std::size_t column, double w, double* to) {
        if (std::isnan(value)) missing_cells.emplace_back(column, w);
        else to[column] += w * cell(value, r, column);
    }

    // Most matrices have 32-bit columns that increase within a row, and doubles. They are read in place. The columns
    // are validated again as they are used, because the array may be modified meanwhile.
    bool rises(std::size_t r) const {
        const std::size_t begin = pass.rows().start(r), count = pass.rows().start(r + 1) - begin;
        const std::byte* columns = x.indices + begin * sizeof(std::int32_t);
        std::int32_t falls = 0;
        for (std::size_t k = 1; k < count; ++k)
            falls |= load<std::int32_t>(columns, k - 1) >= load<std::int32_t>(columns, k);
        return falls == 0;
    }
    void add_in_place(std::size_t r, double w, double* to) {
        const std::size_t begin = pass.rows().start(r), count = pass.rows().start(r + 1) - begin;
        const std::byte* columns = x.indices + begin * sizeof(std::int32_t);
        const std::byte* values = x.values + begin * sizeof(double);
        for (std::size_t k = 0; k < count; ++k) {
            const auto column = load<std::int32_t>(columns, k);
            const auto at = static_cast<std::size_t>(column);  // a negative column becomes too large
            const auto value = load<double>(values, k);
            if (at >= x.cols) throw InvalidInput{InvalidInput::Kind::bad_index, r, k, static_cast<double>(column)};
            if (std::isinf(value)) throw InvalidInput{InvalidInput::Kind::infinite, r, at, value};
            add(value, r, at, w, to);
        }
    }
    void merge(std::size_t u) {
        const SparseUnit& unit = pass.units()[u];
        missing.add(unit.cls, missing_cells);
        if (unit.only) return;
        double* to = values.data() + unit.cls * x.cols;
        for (std::size_t j = 0; j < x.cols; ++j) to[j] += scratch[j];
    }
};

template <class Cell>
CountTable count_sparse(const Csr& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt,
                        const Cell& cell) {
    const SparsePass pass(x, labels);
    Unset values(labels.classes * x.cols, 0.0);
    MissingCells missing(labels.classes, x.cols);
    run_in_order(pass.units().size(), threads_for(x.stored, threads), interrupt,
                 [&] { return SparseCounter<Cell>{x, pass, cell, values, missing, SparseRow(x)}; });
    CountTable table{std::move(values), pass.class_weight(), missing.any()};
    for (std::size_t k = 0; k < table.values.size(); ++k)
        if (!std::isfinite(table.values[k]))
            throw InvalidInput{InvalidInput::Kind::overflow, 0, k % x.cols, table.values[k]};
    if (table.by_column) {
        table.observed.resize(table.values.size());
        for (std::size_t k = 0; k < table.observed.size(); ++k)
            table.observed[k] = remaining(pass.class_weight()[k / x.cols], missing.at(k));
    }
    return table;
}

}  // namespace

CountTable sums(const Csr& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt) {
    // A duplicate may be negative although the sum of the cell is not, so signs are checked on whole cells.
    return count_sparse(x, labels, threads, interrupt, [](double value, std::size_t row, std::size_t column) {
        if (value < 0) throw InvalidInput{InvalidInput::Kind::negative, row, column, value};
        return value;
    });
}

CountTable presence(const Csr& x, const Labels& labels, double threshold, std::size_t threads,
                    const Interrupt& interrupt) {
    if (threshold >= 0)
        return count_sparse(x, labels, threads, interrupt, [threshold](double value, std::size_t, std::size_t) {
            return value > threshold ? 1.0 : 0.0;
        });
    // Absent cells are 0 and thus present: count the stored cells that are not, and subtract them from the observed
    // weight.
    CountTable table = count_sparse(x, labels, threads, interrupt, [threshold](double value, std::size_t, std::size_t) {
        return value > threshold ? 0.0 : 1.0;
    });
    for (std::size_t k = 0; k < table.values.size(); ++k)
        table.values[k] = remaining(table.observed[table.by_column ? k : k / x.cols], table.values[k]);
    return table;
}

}  // namespace suffice
