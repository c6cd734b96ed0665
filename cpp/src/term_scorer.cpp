#include "term_scorer.hpp"

#include <algorithm>
#include <cmath>

namespace suffice {

TileSums::TileSums(const std::vector<double>& log_prior)
    : log_prior_(log_prior), width_(padded(log_prior.size())), no_prior_(log_prior.size()) {}

void TileSums::start(std::size_t rows) {
    rows_ = rows;
    height_ = padded(rows);
    row_terms_ = false;
    by_class_.assign(classes() * height_, 0.0);
}

double* TileSums::by_row() {
    if (!row_terms_) by_row_.assign(width_ * height_, 0.0);
    row_terms_ = true;
    return by_row_.data();
}

void TileSums::add_to_every_class(std::size_t r, double value) {
    double* to = row(r);
    for (std::size_t c = 0; c < width_; ++c) to[c] += value;
}

void TileSums::add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                            const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows) {
    gathered_.resize(height_ * width_);
    kernels().gather_terms(from.data(), values.data(), starts.data(), rows, width_, gathered_.data());
    double* to = row(r);
    for (std::size_t k = 0; k < rows * width_; ++k) to[k] += gathered_[k];
}

std::uint32_t* TileSums::slots(std::size_t columns) {
    slots_.resize(height_ * columns);
    return slots_.data();
}

std::size_t TileSums::finish(const Asked& asked, double* out, std::size_t first) {
    for (std::size_t c = 0; row_terms_ && c < classes(); ++c)
        for (std::size_t r = 0; r < height_; ++r) by_class_[c * height_ + r] += by_row_[r * width_ + c];
    if (const Calibration* how = asked.calibration; how != nullptr)
        kernels().calibrate_rows(by_class_.data(), height_, classes(), how->scale, how->offsets.data());
    // log p(x | c) is the joint without a prior.
    const bool bare = asked.wanted == Wanted::likelihood;
    const Wanted wanted = bare ? Wanted::joint : asked.wanted;
    std::size_t undefined = rows_;
    const std::size_t impossible = kernels().finish_rows(by_class_.data(), height_, rows_, classes(), (bare ? no_prior_ : log_prior_).data(),
                                                         static_cast<int>(wanted), out, &undefined);
    if (undefined < rows_) throw InvalidInput{InvalidInput::Kind::undefined, first + undefined, 0, 0};
    return impossible;
}

void StoredPlaces::find(const std::vector<std::size_t>& columns, std::size_t cols) {
    place_.clear();
    bool all = columns.size() == cols;
    for (std::size_t j = 0; j < columns.size() && all; ++j) all = columns[j] == j;
    if (all) return;
    place_.assign(cols, no_slot);
    for (std::size_t j = 0; j < columns.size(); ++j) place_[columns[j]] = static_cast<std::uint32_t>(j);
}

Aligned padded_rows(const std::vector<double>& table, std::size_t classes) {
    const std::size_t rows = classes == 0 ? 0 : table.size() / classes, width = padded(classes);
    Aligned out(rows * width);
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(r * classes), classes, out.begin() + static_cast<std::ptrdiff_t>(r * width));
    return out;
}

bool all_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

}  // namespace suffice
