#include "score_counts.hpp"

#include <algorithm>
#include <cmath>

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

// A deeper table pays off when there are enough rows to use it.
std::size_t depth_for(std::size_t columns, std::size_t width, std::size_t rows) {
    const std::size_t fits = table_doubles / std::max<std::size_t>(columns * width, 1);
    return rows == 0 ? 0 : std::max<std::size_t>(1, std::min({fits, deepest, rows / 64}));
}

}  // namespace

CompiledCounts::CompiledCounts(const CountTerms& terms, std::size_t classes, std::size_t dense_rows)
    : terms_(terms), width_(padded(classes)), depth_(depth_for(terms.columns.size(), width_, dense_rows)) {
    const std::size_t d = columns();
    if (!terms.start.empty()) start_ = padded_table(terms.start, d, classes, 1.0);
    if (!terms.slope.empty()) slope_ = padded_table(terms.slope, d, classes, 0.0);
    if (!terms.base.empty()) base_ = padded_table(terms.base, d, classes, 0.0);
    factors_ =
        std::all_of(start_.begin(), start_.end(), [](double a) { return a >= least_factor && a <= greatest_factor; });
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

Scorer<CountTerms>::Scorer(const CountTerms& terms, const CompiledCounts& tables)
    : TermScorer(terms, tables), delta_(tables.width()), observed_(tables.width()), rising_(tables.width()) {}

void Scorer<CountTerms>::add(const NumberTile& tile, TileSums& sums) {
    const std::size_t columns = tables_.columns(), width = tables_.width(), height = tile.cells.rows;
    slots_.resize(columns * height);
    totals_.resize(height);
    state_.resize(height);
    sums_.resize(height * width);
    const Kernels& k = kernels();
    k.count_slots(&tile.cells, columns, tables_.depth(), width, slots_.data(), totals_.data(), state_.data());
    k.tabled_terms(slots_.data(), height, columns, tables_.table(), width, sums_.data());
    for (std::size_t r = 0; r < tile.rows; ++r) {
        missing_.clear();
        if (state_[r] != 0) work_out(tile.cells, r, tile.first + r);
        add_row(sums_.data() + r * width, totals_[r], missing_, sums.row(r));
    }
}

// A row with a count that is missing or not in the table: the same sum in the same order.
void Scorer<CountTerms>::work_out(const RowTile& tile, std::size_t r, std::size_t row) {
    const std::size_t width = tables_.width();
    double* sum = sums_.data() + r * width;
    std::fill_n(sum, width, 0.0);
    totals_[r] = 0;
    for (std::size_t j = 0; j < tables_.columns(); ++j) {
        double x = tile.x[tile.column[j] * tile.rows + r];
        if (x == 0) continue;
        if (std::isnan(x)) {
            missing_.push_back(j);
            continue;
        }
        require_count(x, row, terms_.columns[j]);
        x = std::min(x, greatest_count);
        totals_[r] += x;
        const double* delta = tables_.table() + slots_[j * tile.rows + r];
        if (slots_[j * tile.rows + r] == 0) {
            tables_.delta(j, x, delta_.data());
            delta = delta_.data();
        }
        for (std::size_t c = 0; c < width; ++c) sum[c] += delta[c];
    }
}

void Scorer<CountTerms>::begin() {
    rows_.clear();
    aside_.clear();
    missing_.clear();
    starts_.clear();
    slopes_.clear();
}

bool Scorer<CountTerms>::add_stored(const StoredRow& in, TileSums&) {
    const SparseRow& stored = in.cells;
    const std::vector<std::uint32_t>& place = places_.all();
    const bool rising = !terms_.start.empty(), sloping = !terms_.slope.empty(), factors = tables_.factors();
    const LogFactorials* factorials = terms_.factorials ? &LogFactorials::shared() : nullptr;
    Row row{in.r, aside_.size(), missing_.size(), 0.0, 0.0};
    starts_.open(rising ? stored.size() : 0);
    slopes_.open(sloping ? stored.size() : 0);
    for (std::size_t k = 0; k < stored.size(); ++k) {
        const std::size_t j = place.empty() ? stored.column(k) : place[stored.column(k)];
        double x = stored.value(k);
        if (x == 0 || j == no_slot) continue;
        if (std::isnan(x)) {
            missing_.push_back(j);
            continue;
        }
        require_count(x, in.row, stored.column(k));
        x = std::min(x, greatest_count);
        row.total += x;
        if (factorials != nullptr) row.factorials += factorials->of(x);
        if (sloping) slopes_.add(tables_.slope(j), x);
        if (!rising) continue;
        if (factors && x <= most_factors && x == static_cast<double>(static_cast<int>(x))) {
            starts_.add(tables_.start(j), x);
        } else {
            aside_.push_back({j, x});
        }
    }
    // The columns of a block need not be in the order of the data.
    if (!place.empty()) std::sort(missing_.begin() + static_cast<std::ptrdiff_t>(row.first_missing), missing_.end());
    rows_.push_back(row);
    return true;
}

void Scorer<CountTerms>::end(std::size_t, std::size_t, TileSums& sums) {
    const std::size_t width = tables_.width();
    const Kernels& kernel = kernels();
    sums_.assign(rows_.size() * width, 0.0);
    if (!terms_.start.empty()) {
        starts_.close(tables_.start(0));
        kernel.rising_terms(starts_.from.data(), starts_.counts.data(), starts_.starts.data(), rows_.size(), width,
                            sums_.data());
    }
    if (!terms_.slope.empty()) {
        slopes_.close(tables_.slope(0));
        slope_sums_.resize(rows_.size() * width);
        kernel.gather_terms(slopes_.from.data(), slopes_.counts.data(), slopes_.starts.data(), rows_.size(), width,
                            slope_sums_.data());
        for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += slope_sums_[k];
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
        const Row& row = rows_[k];
        const bool last = k + 1 == rows_.size();
        double* sum = sums_.data() + k * width;
        for (std::size_t i = row.first_aside; i < (last ? aside_.size() : rows_[k + 1].first_aside); ++i) {
            kernel.log_rising(tables_.start(aside_[i].j), width, aside_[i].x, delta_.data());
            for (std::size_t c = 0; c < width; ++c) sum[c] += delta_[c];
        }
        for (std::size_t c = 0; c < width; ++c) sum[c] -= row.factorials;
        const std::size_t end = last ? missing_.size() : rows_[k + 1].first_missing;
        add_row(sum, row.total, Missing(missing_).subspan(row.first_missing, end - row.first_missing),
                sums.row(row.in_tile));
    }
}

void Scorer<CountTerms>::add_row(const double* sums, double total, Missing missing, double* scores) {
    const std::size_t width = tables_.width();
    for (std::size_t c = 0; c < width; ++c) scores[c] += sums[c];
    if (!terms_.base.empty()) {
        const double* base = tables_.all_base().data();
        if (!missing.empty()) {
            observe(observed_, tables_.all_base(), missing, false);
            base = observed_.data();
        }
        for (std::size_t c = 0; c < width; ++c) scores[c] += base[c];
    }
    if (!terms_.whole_row || total == 0) return;
    const double* rising = rising_of_total(total, missing);
    for (std::size_t c = 0; c < width; ++c) scores[c] -= rising[c];
}

// Σ over the observed columns: the full sum minus the missing part, or summed anew if the difference would be a small
// part of it.
void Scorer<CountTerms>::observe(Aligned& observed, const Aligned& all, Missing missing, bool starts) {
    const std::size_t width = tables_.width(), columns = tables_.columns();
    const auto row = [&](std::size_t j) { return starts ? tables_.start(j) : tables_.base(j); };
    observed = all;
    for (const std::size_t j : missing)
        for (std::size_t c = 0; c < width; ++c) observed[c] -= row(j)[c];
    bool small = false;
    for (std::size_t c = 0; c < width; ++c) small |= !(std::fabs(observed[c]) >= 0.5 * std::fabs(all[c]));
    if (!small) return;
    std::fill(observed.begin(), observed.end(), 0.0);
    for (std::size_t j = 0, k = 0; j < columns; ++j) {
        if (k < missing.size() && missing[k] == j) {
            ++k;
            continue;
        }
        for (std::size_t c = 0; c < width; ++c) observed[c] += row(j)[c];
    }
}

// ln Γ(A + n) − ln Γ(A): totals repeat, so the values of complete rows are cached.
const double* Scorer<CountTerms>::rising_of_total(double total, Missing missing) {
    const std::size_t width = tables_.width();
    if (!missing.empty()) {
        observe(observed_, tables_.all_start(), missing, true);
        for (double& a : observed_) a = std::min(a, greatest_start);
        kernels().log_rising(observed_.data(), width, total, rising_.data());
        return rising_.data();
    }
    const bool small = total < static_cast<double>(known_totals);
    const std::size_t whole = small ? static_cast<std::size_t>(total) : 0;
    if (!small || static_cast<double>(whole) != total) {
        kernels().log_rising(tables_.all_start().data(), width, total, rising_.data());
        return rising_.data();
    }
    if (whole >= risen_.size()) {
        risen_.resize(std::min(known_totals, 2 * whole + 16));
        risings_.resize(risen_.size() * width);
    }
    double* rising = risings_.data() + whole * width;
    if (!risen_[whole]) {
        kernels().log_rising(tables_.all_start().data(), width, total, rising);
        risen_[whole] = true;
    }
    return rising;
}

void Scorer<CoefficientTerms>::add(const NumberTile& tile, TileSums& sums) {
    double cells[tile_rows], totals[tile_rows];
    std::uint8_t state[tile_rows];
    const LogFactorials& factorials = LogFactorials::shared();
    const std::size_t columns = terms_.columns.size();
    kernels().tile_logs(&tile.cells, columns, factorials.table(), cells, totals, state);
    for (std::size_t r = 0; r < tile.rows; ++r) {
        if (state[r] == 0) {
            sums.add_to_every_class(r, factorials.of(totals[r]) - cells[r]);
            continue;
        }
        RowCoefficient coefficient;
        for (std::size_t j = 0; j < columns; ++j)
            coefficient.add_checked(j, tile.cells.x[tile.cells.column[j] * tile.cells.rows + r], tile.first + r,
                                    terms_.columns[j]);
        sums.add_to_every_class(r, coefficient.log());
    }
}

bool Scorer<CoefficientTerms>::add_stored(const StoredRow& stored, TileSums& sums) {
    RowCoefficient coefficient;
    for (std::size_t k = 0; k < stored.cells.size(); ++k)
        if (const std::uint32_t at = places_.of(stored.cells.column(k)); at != no_slot)
            coefficient.add_checked(at, stored.cells.value(k), stored.row, stored.cells.column(k));
    sums.add_to_every_class(stored.r, coefficient.log());
    return true;
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

}  // namespace suffice
