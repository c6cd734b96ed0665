#include "sparse_scorer.hpp"

#include <algorithm>
#include <cmath>

namespace suffice {

SparseScorer::SparseScorer(const CompiledTables& compiled, const Csr& x, const SparseRows& rows, Wanted wanted, std::size_t per_row, Scores& scores)
    : compiled_(compiled), x_(x), rows_(rows), wanted_(wanted), per_row_(per_row), scores_(scores),
      needed_(compiled.tables, x.cols), scorer_(compiled, needed_), row_(x) {
    const ScoreTables& t = compiled.tables;
    counts_alone_ = t.quadratic.empty() && t.student.empty() && t.level.empty() && t.step.empty() && t.observed.empty() && t.ellipse.empty();
    for (const auto& block : t.presence) {
        counts_alone_ &= block.threshold >= 0 && all_finite(block.present) && all_finite(block.absent);
        Aligned absent(compiled.width);
        for (std::size_t k = 0; k < block.absent.size(); ++k) absent[k % compiled.classes] += block.absent[k];
        all_absent_.push_back(std::move(absent));
    }
    for (const auto& block : t.linear) places_.push_back(places(block.columns));
    for (const auto& block : t.presence) places_.push_back(places(block.columns));
    for (const auto& block : t.count) places_.push_back(places(block.columns));
    for (const auto& block : t.coefficient) places_.push_back(places(block.columns));
}

void SparseScorer::work(std::size_t unit, Checkpoint& checkpoint) {
    impossible_ = 0;
    const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
    for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
        checkpoint();
        const std::size_t rows = std::min(tile_rows, end - first);
        scorer_.start(rows);
        if (!counts_alone_ || !add_stored(first, rows)) add_spelled_out(first, rows);
        impossible_ += scorer_.finish(wanted_, scores_.values.data() + first * per_row_, first);
    }
}

std::vector<std::uint32_t> SparseScorer::places(const std::vector<std::size_t>& columns) const {
    bool all = columns.size() == x_.cols;
    for (std::size_t j = 0; j < columns.size() && all; ++j) all = columns[j] == j;
    if (all) return {};
    std::vector<std::uint32_t> place(x_.cols, nowhere);
    for (std::size_t j = 0; j < columns.size(); ++j) place[columns[j]] = static_cast<std::uint32_t>(j);
    return place;
}

bool SparseScorer::add_stored(std::size_t first, std::size_t rows) {
    for (std::size_t r = 0; r < rows; r += rows_at_once) {
        begin_gathering();
        for (std::size_t k = r; k < std::min(rows, r + rows_at_once); ++k) {
            row_.read(rows_, first + k);
            if (!add_present(k) || !gather_weights(first + k)) {
                scorer_.start(rows);
                return false;
            }
            add_counts(first + k, k);
        }
        end_gathering(r, std::min(rows_at_once, rows - r));
    }
    return true;
}

void SparseScorer::begin_gathering() {
    const ScoreTables& t = compiled_.tables;
    for (std::size_t b = 0; b < t.count.size(); ++b) scorer_.counts(b).begin();
    weights_.resize(t.linear.size());
    for (Gathered& gathered : weights_) gathered.clear();
}

void SparseScorer::end_gathering(std::size_t r, std::size_t rows) {
    const ScoreTables& t = compiled_.tables;
    for (std::size_t b = 0; b < t.linear.size(); ++b) {
        Gathered& gathered = weights_[b];
        gathered.starts.push_back(gathered.from.size());
        gathered.from.resize(gathered.from.size() + gathered_ahead, compiled_.linear[b].data());
        scorer_.add_gathered(gathered.from, gathered.values, gathered.starts, r, rows);
    }
    for (std::size_t b = 0; b < t.count.size(); ++b) scorer_.counts(b).end(scorer_.row(0));
}

bool SparseScorer::add_present(std::size_t r) {
    const ScoreTables& t = compiled_.tables;
    const std::size_t width = compiled_.width;
    double* to = scorer_.row(r);
    for (const Aligned& absent : all_absent_)
        for (std::size_t c = 0; c < width; ++c) to[c] += absent[c];
    for (std::size_t b = 0; b < t.presence.size(); ++b)
        for (std::size_t k = 0; k < row_.size(); ++k) {
            const double value = row_.value(k);
            if (std::isnan(value)) return false;
            const std::uint32_t at = place_of(t.linear.size() + b, row_.column(k));
            if (at == nowhere || !(value > t.presence[b].threshold)) continue;
            const double* absent = compiled_.presence[b].data() + (3 * std::size_t{at} + 1) * width;
            for (std::size_t c = 0; c < width; ++c) to[c] += absent[width + c] - absent[c];
        }
    return true;
}

bool SparseScorer::gather_weights(std::size_t row) {
    for (std::size_t b = 0; b < weights_.size(); ++b) {
        Gathered& to = weights_[b];
        const double* weights = compiled_.linear[b].data();
        to.starts.push_back(to.from.size());
        const std::size_t width = compiled_.width;
        std::size_t size = to.from.size();
        to.from.resize(size + row_.size());
        to.values.resize(size + row_.size());
        for (std::size_t k = 0; k < row_.size(); ++k) {
            const double value = row_.value(k);
            if (std::isnan(value)) return false;
            const std::uint32_t at = place_of(b, row_.column(k));
            if (at == nowhere || value == 0) continue;
            if (value < 0) throw Flaw{Flaw::Kind::negative, row, row_.column(k), value};
            to.from[size] = weights + at * width;
            to.values[size++] = value;
        }
        to.from.resize(size);
        to.values.resize(size);
    }
    return true;
}

void SparseScorer::add_counts(std::size_t row, std::size_t r) {
    const ScoreTables& t = compiled_.tables;
    std::size_t block = t.linear.size() + t.presence.size();
    for (std::size_t b = 0; b < t.count.size(); ++b, ++block)
        scorer_.counts(b).row(r, row_, places_[block], row);
    for (std::size_t b = 0; b < t.coefficient.size(); ++b, ++block) {
        RowCoefficient coefficient;
        for (std::size_t k = 0; k < row_.size(); ++k)
            if (const std::uint32_t at = place_of(block, row_.column(k)); at != nowhere)
                coefficient.add_checked(at, row_.value(k), row, row_.column(k));
        scorer_.add_to_every_class(r, coefficient.log());
    }
}

void SparseScorer::add_spelled_out(std::size_t first, std::size_t rows) {
    const std::size_t height = padded(rows);
    tile_.assign(needed_.columns.size() * height, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
        row_.read(rows_, first + r);
        for (std::size_t k = 0; k < row_.size(); ++k)
            if (const std::size_t j = row_.column(k); needed_.wanted[j]) tile_[needed_.place[j] * height + r] = row_.value(k);
    }
    scorer_.add(tile_.data(), kernels().all_finite(tile_.data(), tile_.size()), first);
    scorer_.add_steps(tile_.data());
}

}  // namespace suffice
