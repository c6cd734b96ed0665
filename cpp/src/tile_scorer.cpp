#include "tile_scorer.hpp"

#include <algorithm>
#include <cmath>

#include "log_factorials.hpp"

namespace suffice {

TileScorer::TileScorer(const CompiledTables& compiled)
    : compiled_(compiled), by_class_(std::max<std::size_t>(compiled.classes, 1) * tile_rows),
      by_row_(compiled.width * tile_rows) {
    for (const auto& block : compiled.count) counts_.emplace_back(block);
}

void TileScorer::start() {
    std::fill(by_class_.begin(), by_class_.end(), 0.0);
    std::fill(by_row_.begin(), by_row_.end(), 0.0);
}

void TileScorer::add(const double* x, std::size_t columns, const std::vector<std::size_t>& place, std::size_t first, std::size_t rows) {
    const Kernels& k = kernels();
    const ScoreTables& t = compiled_.tables;
    const std::size_t classes = compiled_.classes, width = compiled_.width;
    const bool missing = k.any_missing(x, columns * tile_rows);
    const auto tile_of = [&](const std::vector<std::size_t>& of) {
        where_.clear();
        for (const std::size_t column : of) where_.push_back(place[column]);
        return RowTile{x, tile_rows, where_.data(), missing};
    };
    for (std::size_t b = 0; b < t.quadratic.size(); ++b) {
        const auto& own = compiled_.quadratic[b];
        const RowTile tile = tile_of(t.quadratic[b].columns);
        const QuadraticTable table{t.quadratic[b].columns.size(), classes, width, t.quadratic[b].centre.data(),
                                   t.quadratic[b].scale.data(), own.m.data(), own.s.data(), own.c.data(), own.constant.data()};
        k.quadratic_terms(&tile, &table, by_class_.data());
    }
    for (std::size_t b = 0; b < t.student.size(); ++b) {
        const auto& own = compiled_.student[b];
        const RowTile tile = tile_of(t.student[b].columns);
        const StudentTable table{t.student[b].columns.size(), classes, width, t.student[b].centre.data(),
                                 t.student[b].scale.data(), own.m.data(), own.s.data(), own.c.data(), own.e.data()};
        k.student_terms(&tile, &table, by_class_.data());
    }
    for (std::size_t b = 0; b < t.presence.size(); ++b) {
        const RowTile tile = tile_of(t.presence[b].columns);
        slots_.resize(tile_rows * where_.size());
        k.presence_slots(&tile, where_.size(), t.presence[b].threshold, width, slots_.data());
        sums_.resize(tile_rows * width);
        k.tabled_terms(slots_.data(), tile_rows, where_.size(), compiled_.presence[b].data(), width, sums_.data());
        add_sums(0, rows);
    }
    for (std::size_t b = 0; b < t.linear.size(); ++b) {
        const RowTile tile = tile_of(t.linear[b].columns);
        const LinearTable table{t.linear[b].columns.size(), classes, width, compiled_.linear[b].data(), compiled_.finite[b]};
        if (!k.linear_terms(&tile, &table, by_class_.data())) refuse_counts(tile, t.linear[b].columns, first, rows);
        if (missing && t.linear[b].distribution)
            for (std::size_t r = 0; r < tile_rows; ++r) condition_on_observed(t.linear[b], tile, r);
    }
    for (std::size_t b = 0; b < t.count.size(); ++b) counts_[b].add(tile_of(t.count[b].columns), rows, first, by_row_.data());
    for (const auto& block : t.coefficient) add_coefficient(tile_of(block.columns), block, first, rows);
}

void TileScorer::add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                  const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows) {
    sums_.resize(tile_rows * compiled_.width);
    kernels().gather_terms(from.data(), values.data(), starts.data(), rows, compiled_.width, sums_.data());
    add_sums(r, rows);
}

void TileScorer::add_to_every_class(std::size_t r, double value) {
    for (std::size_t c = 0; c < compiled_.width; ++c) row(r)[c] += value;
}

void TileScorer::add_steps(const double* x, const std::vector<std::size_t>& place) {
    const Kernels& k = kernels();
    const ScoreTables& t = compiled_.tables;
    const auto tile_of = [&](const std::vector<std::size_t>& of) {
        where_.clear();
        for (const std::size_t column : of) where_.push_back(place[column]);
        slots_.resize(tile_rows * where_.size());
        return RowTile{x, tile_rows, where_.data(), true};
    };
    for (std::size_t b = 0; b < t.step.size(); ++b) {
        const auto& own = compiled_.step[b];
        const RowTile tile = tile_of(t.step[b].columns);
        const StepTable table{where_.size(), own.steps.data(), own.start.data(), own.trees.data(), own.levels.first.data()};
        k.step_slots(&tile, &table, slots_.data());
        k.slot_terms(slots_.data(), tile_rows, where_.size(), own.levels.table.data(), compiled_.width, by_row_.data());
    }
    for (std::size_t b = 0; b < t.observed.size(); ++b) {
        const RowTile tile = tile_of(t.observed[b].columns);
        k.observed_slots(&tile, where_.size(), slots_.data());
        k.slot_terms(slots_.data(), tile_rows, where_.size(), compiled_.observed[b].data(), compiled_.width, by_row_.data());
    }
}

void TileScorer::add_levels(std::size_t block, const std::uint32_t* slots, std::size_t rows) {
    const auto& own = compiled_.level[block];
    kernels().level_terms(slots, rows, own.first.size(), own.table.data(), compiled_.width, by_row_.data());
}

std::size_t TileScorer::finish(std::size_t rows, Wanted wanted, double* out) {
    const std::size_t classes = compiled_.classes, width = compiled_.width;
    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t r = 0; r < tile_rows; ++r) by_class_[c * tile_rows + r] += by_row_[r * width + c];
    return kernels().finish_rows(by_class_.data(), tile_rows, rows, classes, compiled_.tables.log_prior.data(),
                                 static_cast<int>(wanted), out);
}

void TileScorer::add_coefficient(const RowTile& tile, const CoefficientTerms& block, std::size_t first, std::size_t rows) {
    double cells[tile_rows], totals[tile_rows];
    std::uint8_t state[tile_rows];
    const LogFactorials& factorials = LogFactorials::shared();
    kernels().tile_logs(&tile, block.columns.size(), factorials.table(), cells, totals, state);
    for (std::size_t r = 0; r < rows; ++r) {
        if (state[r] == 0) {
            add_to_every_class(r, factorials.of(totals[r]) - cells[r]);
            continue;
        }
        RowCoefficient coefficient;
        for (std::size_t j = 0; j < block.columns.size(); ++j)
            coefficient.add_checked(j, tile.x[tile.column[j] * tile_rows + r], first + r, block.columns[j]);
        add_to_every_class(r, coefficient.log());
    }
}

void TileScorer::add_sums(std::size_t first, std::size_t rows) {
    double* to = row(first);
    for (std::size_t k = 0; k < rows * compiled_.width; ++k) to[k] += sums_[k];
}

// A negative or infinite count has no probability, and its product with −inf would be no number at all.
void TileScorer::refuse_counts(const RowTile& tile, const std::vector<std::size_t>& columns, std::size_t first, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (const double x = tile.x[tile.column[j] * tile_rows + r]; x < 0 || std::isinf(x))
                throw Flaw{x < 0 ? Flaw::Kind::negative : Flaw::Kind::infinite, first + r, columns[j], x};
}

// Counts of which some are missing say x_j ~ θ_j / Σ_observed θ of the observed total.
void TileScorer::condition_on_observed(const LinearTerms& terms, const RowTile& tile, std::size_t r) {
    double total = 0;
    bool some = false;
    const auto at = [&](std::size_t j) { return tile.x[tile.column[j] * tile_rows + r]; };
    for (std::size_t j = 0; j < terms.columns.size(); ++j)
        if (std::isnan(at(j))) some = true;
        else total += at(j);
    if (!some || total == 0) return;
    const std::size_t classes = compiled_.classes;
    for (std::size_t c = 0; c < classes; ++c) {
        double observed = 0;
        for (std::size_t j = 0; j < terms.columns.size(); ++j)
            if (!std::isnan(at(j))) observed += std::exp(terms.weight[j * classes + c]);
        if (observed > 0) row(r)[c] -= total * std::log(observed);
    }
}

}  // namespace suffice
