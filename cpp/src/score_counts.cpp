#include "score_counts.hpp"

#include <algorithm>
#include <cmath>

#include "log_factorials.hpp"
#include "suffice/rows.hpp"

namespace suffice {
namespace {

constexpr std::size_t table_doubles = std::size_t{1} << 18, deepest = 256, known_totals = 1024;
constexpr double greatest_start = 1e300;

Aligned padded_table(const std::vector<double>& values, std::size_t columns, std::size_t classes, double padding) {
    const std::size_t width = padded(classes);
    Aligned out(columns * width, padding);
    for (std::size_t j = 0; j < columns && !values.empty(); ++j)
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(j * classes), classes,
                    out.begin() + static_cast<std::ptrdiff_t>(j * width));
    return out;
}

Aligned added_up(const Aligned& table, std::size_t width) {
    Aligned sum(width);
    for (std::size_t k = 0; k < table.size(); ++k) sum[k % width] += table[k];
    return sum;
}

// A deeper table pays when there are rows to look it up.
std::size_t depth_for(std::size_t columns, std::size_t width, std::size_t rows) {
    const std::size_t fits = table_doubles / std::max<std::size_t>(columns * width, 1);
    return std::max<std::size_t>(1, std::min({fits, deepest, rows / 64}));
}

}  // namespace

CompiledCounts::CompiledCounts(const CountTerms& terms, std::size_t classes, std::size_t rows)
    : terms_(terms), width_(padded(classes)), depth_(depth_for(terms.columns.size(), width_, rows)) {
    const std::size_t d = columns();
    if (!terms.start.empty()) start_ = padded_table(terms.start, d, classes, 1.0);
    if (!terms.slope.empty()) slope_ = padded_table(terms.slope, d, classes, 0.0);
    if (!terms.base.empty()) base_ = padded_table(terms.base, d, classes, 0.0);
    all_start_ = added_up(start_, width_);
    for (double& a : all_start_) a = std::min(a, greatest_start);
    all_base_ = added_up(base_, width_);
    table_.resize((d * depth_ + 1) * width_);
    for (std::size_t j = 0; j < d; ++j)
        for (std::size_t x = 1; x <= depth_; ++x)
            delta(j, static_cast<double>(x), table_.data() + (j * depth_ + x) * width_);
}

void CompiledCounts::delta(std::size_t j, double x, double* out) const {
    if (start_.empty()) {
        std::fill_n(out, width_, 0.0);
    } else {
        kernels().log_rising(start(j), width_, x, out);
    }
    if (!slope_.empty())
        for (std::size_t c = 0; c < width_; ++c) out[c] += x * slope_[j * width_ + c];
    if (!terms_.factorials) return;
    const double factorial = LogFactorials::shared().of(x);
    for (std::size_t c = 0; c < width_; ++c) out[c] -= factorial;
}

CountScorer::CountScorer(const CompiledCounts& compiled)
    : compiled_(compiled), row_sums_(compiled.width()), observed_start_(compiled.width()), observed_base_(compiled.width()),
      one_rising_(compiled.width()) {}

void CountScorer::add(const RowTile& tile, std::size_t rows, std::size_t first_row, double* scores) {
    const std::size_t columns = compiled_.columns(), width = compiled_.width();
    slots_.resize(columns * tile.rows);
    totals_.resize(tile.rows);
    state_.resize(tile.rows);
    sums_.resize(tile.rows * width);
    const Kernels& k = kernels();
    k.count_slots(&tile, columns, compiled_.depth(), slots_.data(), totals_.data(), state_.data());
    k.tabled_terms(slots_.data(), tile.rows, columns, compiled_.table(), width, sums_.data());
    for (std::size_t r = 0; r < rows; ++r) {
        double* to = scores + r * width;
        if (state_[r] == 0) {
            missing_.clear();
            add_row(sums_.data() + r * width, totals_[r], to);
            continue;
        }
        begin();
        for (std::size_t j = 0; j < columns; ++j) cell(j, tile.x[tile.column[j] * tile.rows + r], first_row + r);
        end(to);
    }
}

void CountScorer::begin() {
    rows_.clear();
    aside_.clear();
    missing_.clear();
    total_ = 0;
}

void CountScorer::cell(std::size_t j, double x, std::size_t row) {
    if (x == 0) return;
    if (std::isnan(x)) {
        missing_.push_back(j);
        return;
    }
    require_count(x, row, compiled_.terms().columns[j]);
    x = std::min(x, greatest_count);
    total_ += x;
    if (const double* found = compiled_.listed(j, x)) {
        rows_.push_back(found);
        return;
    }
    const std::size_t width = compiled_.width(), at = aside_.size() * width;
    if (worked_out_.size() < at + width) worked_out_.resize(2 * at + width);
    compiled_.delta(j, x, worked_out_.data() + at);
    aside_.push_back(rows_.size());
    rows_.push_back(nullptr);  // worked_out_ may still move
}

void CountScorer::end(double* scores) {
    for (std::size_t k = 0; k < aside_.size(); ++k) rows_[aside_[k]] = worked_out_.data() + k * compiled_.width();
    kernels().gather_terms(rows_.data(), nullptr, rows_.size(), compiled_.width(), row_sums_.data());
    add_row(row_sums_.data(), total_, scores);
}

void CountScorer::add_row(const double* sums, double total, double* scores) {
    const CountTerms& terms = compiled_.terms();
    const std::size_t width = compiled_.width();
    for (std::size_t c = 0; c < width; ++c) scores[c] += sums[c];
    if (!terms.base.empty()) {
        const double* base = compiled_.all_base().data();
        if (!missing_.empty()) {
            observe(observed_base_, compiled_.all_base(), false);
            base = observed_base_.data();
        }
        for (std::size_t c = 0; c < width; ++c) scores[c] += base[c];
    }
    if (!terms.whole_row || total == 0) return;
    const double* rising = rising_of_total(total);
    for (std::size_t c = 0; c < width; ++c) scores[c] -= rising[c];
}

// Σ_observed: all of it less what is missing, or, where that would leave a small part of it, added up afresh.
void CountScorer::observe(Aligned& observed, const Aligned& all, bool starts) {
    const std::size_t width = compiled_.width(), columns = compiled_.columns();
    const auto row = [&](std::size_t j) { return starts ? compiled_.start(j) : compiled_.base(j); };
    observed = all;
    for (const std::size_t j : missing_)
        for (std::size_t c = 0; c < width; ++c) observed[c] -= row(j)[c];
    bool small = false;
    for (std::size_t c = 0; c < width; ++c) small |= !(std::fabs(observed[c]) >= 0.5 * std::fabs(all[c]));
    if (!small) return;
    std::fill(observed.begin(), observed.end(), 0.0);
    for (std::size_t j = 0, k = 0; j < columns; ++j) {
        if (k < missing_.size() && missing_[k] == j) {
            ++k;
            continue;
        }
        for (std::size_t c = 0; c < width; ++c) observed[c] += row(j)[c];
    }
}

// ln Γ(A + n) − ln Γ(A): totals come again, so those of whole rows are kept.
const double* CountScorer::rising_of_total(double total) {
    const std::size_t width = compiled_.width();
    if (!missing_.empty()) {
        observe(observed_start_, compiled_.all_start(), true);
        for (double& a : observed_start_) a = std::min(a, greatest_start);
        kernels().log_rising(observed_start_.data(), width, total, one_rising_.data());
        return one_rising_.data();
    }
    const auto whole = total < static_cast<double>(known_totals) ? static_cast<std::size_t>(total) : known_totals;
    if (static_cast<double>(whole) != total) {
        kernels().log_rising(compiled_.all_start().data(), width, total, one_rising_.data());
        return one_rising_.data();
    }
    if (whole >= risen_.size()) {
        risen_.resize(std::min(known_totals, 2 * whole + 16));
        risings_.resize(risen_.size() * width);
    }
    double* rising = risings_.data() + whole * width;
    if (!risen_[whole]) {
        kernels().log_rising(compiled_.all_start().data(), width, total, rising);
        risen_[whole] = true;
    }
    return rising;
}

void RowCoefficient::add(std::size_t j, double x) {
    sums_[j % lanes] += x;
    logs_[j % lanes] += LogFactorials::shared().of(x);
}

void RowCoefficient::add_checked(std::size_t j, double x, std::size_t row, std::size_t column) {
    if (x == 0 || std::isnan(x)) return;
    require_count(x, row, column);
    add(j, x);
}

namespace {

double across(const double (&x)[lanes]) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }

}  // namespace

double RowCoefficient::cells() const { return across(logs_); }
double RowCoefficient::total() const { return across(sums_); }
double RowCoefficient::log() const { return LogFactorials::shared().of(total()) - cells(); }

void require_count(double x, std::size_t row, std::size_t column) {
    if (x < 0 || std::isinf(x)) throw Flaw{Flaw::Kind::bad_count, row, column, x};
}

}  // namespace suffice
