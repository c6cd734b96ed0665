#include "score_ellipses.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "whitening.hpp"

namespace suffice {
namespace {

constexpr double least_slope = 1e-250, greatest_slope = 1e250;
constexpr double log_two_pi = 1.8378770664093454836;
// Limit on the patterns cached per thread: rows of one file have few patterns, and if each row has its own a cache is
// useless.
constexpr std::size_t most_kept_bytes = std::size_t{1} << 24;

// Packs rows in groups of four, so that a kernel computes four sums at once: [group][column][row of the group].
void pack(const double* rows, std::size_t n, double factor, Aligned& out) {
    for (std::size_t i = 0; i < n; i += ellipse_rows)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = i; k < i + ellipse_rows; ++k) out.push_back(k < n ? rows[k * n + j] * factor : 0.0);
}

bool is_triangular(const double* rows, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i + 1; j < n; ++j)
            if (rows[i * n + j] != 0) return false;
    return true;
}

}  // namespace

EllipsePattern::EllipsePattern(const EllipseTerms& terms, std::size_t classes) : known_(terms.columns.size()) {
    std::iota(known_.begin(), known_.end(), std::size_t{0});
    const std::size_t n = known_.size();
    std::vector<Factor> factors;
    for (std::size_t k = 0; k < terms.matrices(); ++k)
        factors.push_back({terms.whitening.data() + k * n * n, terms.log_determinant[k], terms.rank[k]});
    lay(terms, classes, factors);
}

EllipsePattern::EllipsePattern(const EllipseTerms& terms, std::size_t classes, std::vector<std::size_t> known)
    : known_(std::move(known)) {
    const std::size_t n = known_.size(), all = terms.columns.size();
    std::vector<Whitening> whitened;
    std::vector<double> part(n * n);
    for (std::size_t k = 0; k < terms.matrices(); ++k) {
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) part[i * n + j] = terms.matrix[(k * all + known_[i]) * all + known_[j]];
        whitened.push_back(whiten(part, n, terms.least, terms.drop));
    }
    std::vector<Factor> factors;
    for (const Whitening& each : whitened)
        factors.push_back({each.rows.data(), each.log_determinant, static_cast<double>(each.rank)});
    lay(terms, classes, factors);
}

void EllipsePattern::lay(const EllipseTerms& terms, std::size_t classes, const std::vector<Factor>& factors) {
    const std::size_t n = known_.size(), all = terms.columns.size();
    classes_ = classes, width_ = padded(classes);
    linear_ = terms.linear, student_ = !terms.degrees.empty();
    double log_scale = 0;
    for (const std::size_t j : known_) {
        centre_.push_back(terms.centre[j]);
        scale_.push_back(terms.scale[j]);
        log_scale += terms.log_scale[j];
    }
    for (std::size_t c = 0; c < classes; ++c)
        for (const std::size_t j : known_) mean_.push_back(terms.mean[c * all + j]);
    if (linear_) return lay_weights(factors);
    const std::size_t of_one = (n + ellipse_rows - 1) / ellipse_rows * ellipse_rows * n;
    // The Student matrix is divided by the degrees of freedom of its class, so each class has its own.
    const bool shared = factors.size() == 1 && !student_;
    packed_.reserve(of_one * (shared ? 1 : classes));
    for (std::size_t c = 0; c < (shared ? 1 : classes); ++c)
        pack(factors[factors.size() == 1 ? 0 : c].rows, n, student_ ? 1 / std::sqrt(terms.degrees[c]) : std::sqrt(0.5),
             packed_);
    for (std::size_t c = 0; c < classes; ++c) {
        const Factor& factor = factors[factors.size() == 1 ? 0 : c];
        of_class_.push_back(packed_.data() + (shared ? 0 : c * of_one));
        triangular_.push_back(is_triangular(factor.rows, n));
        const double norming = student_ ? terms.norming[n * classes + c] : -0.5 * factor.rank * log_two_pi;
        constant_.push_back(norming - 0.5 * factor.log_determinant + log_scale);
        exponent_.push_back(student_ ? 0.5 * (terms.degrees[c] + static_cast<double>(n)) : 0.0);
    }
}

// Shared matrix: dᵀ Σ⁻¹ d = zᵀ Σ⁻¹ z − 2 zᵀ w_c + mean_cᵀ w_c with w_c = Σ⁻¹ mean_c, where zᵀ Σ⁻¹ z is the same for
// every class.
void EllipsePattern::lay_weights(const std::vector<Factor>& factors) {
    const std::size_t n = known_.size();
    const double* rows = factors[0].rows;
    weight_.assign(n * width_, 0.0);
    std::vector<double> white(n);
    for (std::size_t c = 0; c < classes_; ++c) {
        const double* mean = mean_.data() + c * n;
        double square = 0;
        for (std::size_t i = 0; i < n; ++i) {
            white[i] = 0;
            for (std::size_t j = 0; j < n; ++j) white[i] += rows[i * n + j] * mean[j];
            square += white[i] * white[i];
        }
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) weight_[j * width_ + c] += rows[i * n + j] * white[i];
        constant_.push_back(-0.5 * square);
    }
    constant_.resize(width_);
    // In extreme units the product would lose its digits: an infinity makes the kernel use the other formula.
    slope_ = weight_;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t c = 0; c < classes_; ++c) {
            double& slope = slope_[j * width_ + c];
            const double product = slope * scale_[j], size = std::fabs(product);
            slope = slope == 0 || (size > least_slope && size < greatest_slope)
                        ? product
                        : std::numeric_limits<double>::infinity();
        }
}

void EllipsePattern::add(const RowTile& tile, Aligned& scratch, double* scores) const {
    const std::size_t n = known_.size();
    if (n == 0) return;
    if (linear_) {
        const AffineTable table{
            n, classes_, width_, centre_.data(), scale_.data(), weight_.data(), slope_.data(), constant_.data()};
        kernels().affine_terms(&tile, &table, scores);
        return;
    }
    const EllipseTable table{n,
                             classes_,
                             centre_.data(),
                             scale_.data(),
                             mean_.data(),
                             of_class_.data(),
                             triangular_.data(),
                             constant_.data(),
                             student_ ? exponent_.data() : nullptr};
    scratch.resize(2 * n * most_ellipse_groups * lanes);
    kernels().ellipse_terms(&tile, &table, scratch.data(), scores);
}

void Scorer<EllipseTerms>::add(const NumberTile& given, TileSums& sums) {
    const RowTile& tile = given.cells;
    double* scores = sums.by_class();
    if (given.finite) return tables_.add(tile, scratch_, scores);
    const std::size_t rows = given.rows, columns = terms_.columns.size(), words = (columns + 63) / 64;
    keys_.assign(rows, Key(words));
    done_.assign(rows, false);
    bool alike = true;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t j = 0; j < columns; ++j)
            if (std::isnan(tile.x[tile.column[j] * tile.rows + r])) keys_[r][j / 64] |= std::uint64_t{1} << (j % 64);
        alike &= keys_[r] == keys_[0];
    }
    for (std::size_t r = 0; r < rows; ++r) {
        if (done_[r]) continue;
        group_.clear();
        for (std::size_t k = r; k < rows; ++k)
            if (keys_[k] == keys_[r]) group_.push_back(k), done_[k] = true;
        const EllipsePattern& own = pattern(keys_[r]);
        if (alike) {
            places_.clear();
            for (const std::size_t j : own.known()) places_.push_back(tile.column[j]);
            const RowTile part{tile.x, tile.rows, places_.data(), false};
            own.add(part, scratch_, scores);
        } else {
            add_group(tile, own, group_, scores);
        }
    }
    // Under a normal density an infinite cell has density zero; the Student kernel has clamped it to a large distance.
    if (terms_.degrees.empty())
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t j = 0; j < columns; ++j)
                if (std::isinf(tile.x[tile.column[j] * tile.rows + r]))
                    for (std::size_t c = 0; c < tables_.classes(); ++c)
                        scores[c * tile.rows + r] = -std::numeric_limits<double>::infinity();
}

const EllipsePattern& Scorer<EllipseTerms>::pattern(const Key& key) {
    if (std::all_of(key.begin(), key.end(), [](std::uint64_t word) { return word == 0; })) return tables_;
    const auto cached = patterns_.find(key);
    if (cached != patterns_.end()) return *cached->second;
    if (kept_bytes_ > most_kept_bytes) patterns_.clear(), kept_bytes_ = 0;
    std::vector<std::size_t> known;
    for (std::size_t j = 0; j < terms_.columns.size(); ++j)
        if (!(key[j / 64] >> (j % 64) & 1)) known.push_back(j);
    auto made = std::make_unique<EllipsePattern>(terms_, tables_.classes(), std::move(known));
    kept_bytes_ += made->bytes();
    return *patterns_.emplace(key, std::move(made)).first->second;
}

void Scorer<EllipseTerms>::add_group(const RowTile& tile, const EllipsePattern& own,
                                     const std::vector<std::size_t>& rows, double* scores) {
    const std::size_t n = own.known().size(), height = padded(rows.size());
    gathered_.resize(n * height);
    sums_.assign(tables_.classes() * height, 0.0);
    places_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
        const double* from = tile.x + tile.column[own.known()[j]] * tile.rows;
        for (std::size_t k = 0; k < height; ++k) gathered_[j * height + k] = from[rows[std::min(k, rows.size() - 1)]];
        places_[j] = j;
    }
    own.add({gathered_.data(), height, places_.data(), false}, scratch_, sums_.data());
    for (std::size_t c = 0; c < tables_.classes(); ++c)
        for (std::size_t k = 0; k < rows.size(); ++k) scores[c * tile.rows + rows[k]] += sums_[c * height + k];
}

}  // namespace suffice
