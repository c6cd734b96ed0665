// Scores of EllipseTerms over a tile of rows: the tables of one pattern of observed columns, and the rows that have it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "aligned.hpp"
#include "suffice/kernels.hpp"
#include "suffice/score_ellipses.hpp"
#include "term_scorer.hpp"

namespace suffice {

// The tables of one pattern: which of the block's columns are observed.
class EllipsePattern {
  public:
    // All columns, with the factors that come with the terms.
    EllipsePattern(const EllipseTerms& terms, std::size_t classes);
    // A subset of the columns: its part of the matrices is factored here.
    EllipsePattern(const EllipseTerms& terms, std::size_t classes, std::vector<std::size_t> known);

    EllipsePattern(EllipsePattern&&) = default;  // movable only: it holds pointers into its own vectors

    std::size_t classes() const { return classes_; }
    const std::vector<std::size_t>& known() const { return known_; }  // positions among the block's columns
    void add(const RowTile& tile, Aligned& scratch, double* scores) const;
    std::size_t bytes() const { return 8 * (packed_.size() + weight_.size() + mean_.size()); }

  private:
    struct Factor {
        const double* rows;
        double log_determinant, rank;
    };
    void lay(const EllipseTerms& terms, std::size_t classes, const std::vector<Factor>& factors);
    void lay_weights(const std::vector<Factor>& factors);

    std::vector<std::size_t> known_;
    std::size_t classes_ = 0, width_ = 0;
    Aligned centre_, scale_, mean_, packed_, constant_, exponent_, weight_, slope_;
    std::vector<const double*> of_class_;
    std::vector<std::uint8_t> triangular_;
    bool linear_ = false, student_ = false;
};

// Caches the patterns that it has met.
template <>
class Scorer<EllipseTerms> : public TermScorer<EllipseTerms, EllipsePattern> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);

  private:
    using Key = std::vector<std::uint64_t>;

    const EllipsePattern& pattern(const Key& key);
    void add_group(const RowTile& tile, const EllipsePattern& pattern, const std::vector<std::size_t>& rows,
                   double* scores);

    std::size_t kept_bytes_ = 0;
    std::map<Key, std::unique_ptr<EllipsePattern>> patterns_;
    std::vector<Key> keys_;
    std::vector<std::size_t> group_, places_;
    std::vector<bool> done_;
    Aligned gathered_, sums_, scratch_;
};

}  // namespace suffice
