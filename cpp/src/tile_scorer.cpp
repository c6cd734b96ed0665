#include "tile_scorer.hpp"

#include <algorithm>
#include <cmath>

#include "log_factorials.hpp"

namespace suffice {
namespace {

template <class Blocks>
std::vector<std::vector<std::size_t>> places(const Blocks& blocks, const NeededColumns& needed) {
    std::vector<std::vector<std::size_t>> of_blocks;
    for (const auto& block : blocks) {
        auto& of = of_blocks.emplace_back();
        for (const std::size_t column : block.columns) of.push_back(needed.place[column]);
    }
    return of_blocks;
}

}  // namespace

TileScorer::TileScorer(const CompiledTables& compiled, const NeededColumns& needed)
    : compiled_(compiled), needed_(needed) {
    for (const auto& block : compiled.count) counts_.emplace_back(block);
    for (std::size_t b = 0; b < compiled.ellipse.size(); ++b)
        ellipses_.emplace_back(compiled.tables.ellipse[b], compiled.ellipse[b], compiled.classes);
}

void TileScorer::find_places() {
    const ScoreTables& t = compiled_.tables;
    quadratic_ = places(t.quadratic, needed_), student_ = places(t.student, needed_), presence_ = places(t.presence, needed_);
    linear_ = places(t.linear, needed_), count_ = places(t.count, needed_), coefficient_ = places(t.coefficient, needed_);
    step_ = places(t.step, needed_), observed_ = places(t.observed, needed_);
    ellipse_ = places(t.ellipse, needed_);
    placed_ = true;
}

void TileScorer::start(std::size_t rows) {
    rows_ = rows;
    height_ = padded(rows);
    row_terms_ = false;
    by_class_.assign(compiled_.classes * height_, 0.0);
}

double* TileScorer::by_row() {
    if (!row_terms_) by_row_.assign(compiled_.width * height_, 0.0);
    row_terms_ = true;
    return by_row_.data();
}

std::uint32_t* TileScorer::slots(std::size_t columns) {
    slots_.resize(height_ * columns);
    return slots_.data();
}

void TileScorer::add(const double* x, bool finite, std::size_t first) {
    const Kernels& k = kernels();
    const ScoreTables& t = compiled_.tables;
    const std::size_t classes = compiled_.classes, width = compiled_.width;
    if (!placed_) find_places();
    const bool missing = !finite && k.any_missing(x, needed_.columns.size() * height_);
    const auto tile_of = [&](const std::vector<std::size_t>& place) { return RowTile{x, height_, place.data(), missing}; };
    for (std::size_t b = 0; b < t.quadratic.size(); ++b) {
        const auto& own = compiled_.quadratic[b];
        const RowTile tile = tile_of(quadratic_[b]);
        const QuadraticTable table{t.quadratic[b].columns.size(), classes, width, t.quadratic[b].centre.data(),
                                   t.quadratic[b].scale.data(), own.m.data(), own.s.data(), own.c.data(), own.constant.data()};
        k.quadratic_terms(&tile, &table, by_class_.data());
    }
    for (std::size_t b = 0; b < t.student.size(); ++b) {
        const auto& own = compiled_.student[b];
        const RowTile tile = tile_of(student_[b]);
        const StudentTable table{t.student[b].columns.size(), classes, width, t.student[b].centre.data(),
                                 t.student[b].scale.data(), own.m.data(), own.s.data(), own.c.data(), own.e.data(),
                                 own.constant.data(), own.rising};
        k.student_terms(&tile, &table, by_class_.data());
    }
    for (std::size_t b = 0; b < t.presence.size(); ++b) {
        const RowTile tile = tile_of(presence_[b]);
        const PresenceTable table{t.presence[b].columns.size(), classes, width, t.presence[b].threshold, compiled_.presence[b].data()};
        k.presence_terms(&tile, &table, by_class_.data());
        for (const std::size_t place : presence_[b])
            infinite_ |= !finite && std::any_of(x + place * height_, x + (place + 1) * height_, [](double v) { return std::isinf(v); });
    }
    for (std::size_t b = 0; b < t.linear.size(); ++b) {
        const RowTile tile = tile_of(linear_[b]);
        const LinearTable table{t.linear[b].columns.size(), classes, width, compiled_.linear[b].data(), compiled_.finite[b]};
        if (!k.linear_terms(&tile, &table, by_class_.data())) refuse_counts(tile, t.linear[b].columns, first);
        if (missing && t.linear[b].distribution)
            for (std::size_t r = 0; r < rows_; ++r) condition_on_observed(t.linear[b], tile, r);
    }
    for (std::size_t b = 0; b < t.ellipse.size(); ++b) ellipses_[b].add(tile_of(ellipse_[b]), rows_, finite, by_class_.data());
    for (std::size_t b = 0; b < t.count.size(); ++b) counts_[b].add(tile_of(count_[b]), rows_, first, by_row());
    for (std::size_t b = 0; b < t.coefficient.size(); ++b) add_coefficient(tile_of(coefficient_[b]), t.coefficient[b], first);
}

void TileScorer::add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                              const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows) {
    sums_.resize(height_ * compiled_.width);
    kernels().gather_terms(from.data(), values.data(), starts.data(), rows, compiled_.width, sums_.data());
    add_sums(r, rows);
}

void TileScorer::add_to_every_class(std::size_t r, double value) {
    double* to = row(r);
    for (std::size_t c = 0; c < compiled_.width; ++c) to[c] += value;
}

void TileScorer::add_steps(const double* x) {
    if (!placed_) find_places();
    const Kernels& k = kernels();
    const ScoreTables& t = compiled_.tables;
    for (std::size_t b = 0; b < t.step.size(); ++b) {
        const auto& own = compiled_.step[b];
        const std::size_t columns = t.step[b].columns.size();
        const RowTile tile{x, height_, step_[b].data(), true};
        const StepTable table{columns, own.steps.data(), own.start.data(), own.trees.data(), own.levels.first.data()};
        k.step_slots(&tile, &table, slots(columns));
        k.slot_terms(slots_.data(), height_, columns, own.levels.table.data(), compiled_.width, by_row());
    }
    for (std::size_t b = 0; b < t.observed.size(); ++b) {
        const std::size_t columns = t.observed[b].columns.size();
        const RowTile tile{x, height_, observed_[b].data(), true};
        k.observed_slots(&tile, columns, slots(columns));
        k.slot_terms(slots_.data(), height_, columns, compiled_.observed[b].data(), compiled_.width, by_row());
    }
}

void TileScorer::add_levels(std::size_t block, const std::uint32_t* slots) {
    const auto& own = compiled_.level[block];
    kernels().level_terms(slots, rows_, own.first.size(), own.table.data(), compiled_.width, by_row());
}

std::size_t TileScorer::finish(Wanted wanted, double* out, std::size_t first) {
    const std::size_t classes = compiled_.classes, width = compiled_.width;
    for (std::size_t c = 0; row_terms_ && c < classes; ++c)
        for (std::size_t r = 0; r < height_; ++r) by_class_[c * height_ + r] += by_row_[r * width + c];
    std::size_t undefined = rows_;
    const std::size_t impossible = kernels().finish_rows(by_class_.data(), height_, rows_, classes, compiled_.tables.log_prior.data(),
                                                         static_cast<int>(wanted), out, &undefined);
    if (undefined < rows_) throw Flaw{Flaw::Kind::undefined, first + undefined, 0, 0};
    return impossible;
}

void TileScorer::add_coefficient(const RowTile& tile, const CoefficientTerms& block, std::size_t first) {
    double cells[tile_rows], totals[tile_rows];
    std::uint8_t state[tile_rows];
    const LogFactorials& factorials = LogFactorials::shared();
    kernels().tile_logs(&tile, block.columns.size(), factorials.table(), cells, totals, state);
    for (std::size_t r = 0; r < rows_; ++r) {
        if (state[r] == 0) {
            add_to_every_class(r, factorials.of(totals[r]) - cells[r]);
            continue;
        }
        RowCoefficient coefficient;
        for (std::size_t j = 0; j < block.columns.size(); ++j)
            coefficient.add_checked(j, tile.x[tile.column[j] * height_ + r], first + r, block.columns[j]);
        add_to_every_class(r, coefficient.log());
    }
}

void TileScorer::add_sums(std::size_t first, std::size_t rows) {
    double* to = row(first);
    for (std::size_t k = 0; k < rows * compiled_.width; ++k) to[k] += sums_[k];
}

// A negative or infinite count has no probability, and its product with −inf would be no number at all.
void TileScorer::refuse_counts(const RowTile& tile, const std::vector<std::size_t>& columns, std::size_t first) const {
    for (std::size_t r = 0; r < rows_; ++r)
        for (std::size_t j = 0; j < columns.size(); ++j)
            if (const double x = tile.x[tile.column[j] * height_ + r]; x < 0 || std::isinf(x))
                throw Flaw{x < 0 ? Flaw::Kind::negative : Flaw::Kind::infinite, first + r, columns[j], x};
}

// Counts of which some are missing say x_j ~ θ_j / Σ_observed θ of the observed total.
void TileScorer::condition_on_observed(const LinearTerms& terms, const RowTile& tile, std::size_t r) {
    double total = 0;
    bool some = false;
    const auto at = [&](std::size_t j) { return tile.x[tile.column[j] * height_ + r]; };
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
