// Scorers of column-wise terms: real numbers, presences, weights, histograms, levels.
#pragma once

#include <cstdint>
#include <vector>

#include "term_scorer.hpp"

namespace suffice {

struct QuadraticTables {
    Aligned m, s, c, constant;
    QuadraticTables(const QuadraticTerms& terms, std::size_t classes);
};

template <>
class Scorer<QuadraticTerms> : public TermScorer<QuadraticTerms, QuadraticTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
};

struct StudentTables {
    Aligned m, s, c, e, constant;
    bool rising;  // every s ≥ 0
    StudentTables(const StudentTerms& terms, std::size_t classes);
};

template <>
class Scorer<StudentTerms> : public TermScorer<StudentTerms, StudentTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
};

struct UniformTables {
    Aligned m, c, e;
    UniformTables(const UniformTerms& terms, std::size_t classes);
};

template <>
class Scorer<UniformTerms> : public TermScorer<UniformTerms, UniformTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
};

struct PresenceTables {
    Aligned rows;        // 3 per column: missing, absent, present
    Aligned all_absent;  // Σ_j absent
    bool by_stored;      // whether a sparse row is all_absent plus the corrections of its stored cells
    PresenceTables(const PresenceTerms& terms, std::size_t classes);
};

template <>
class Scorer<PresenceTerms> : public TermScorer<PresenceTerms, PresenceTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
    bool takes_stored() const { return tables_.by_stored; }
    void place(std::size_t cols) { places_.find(terms_.columns, cols); }
    bool add_stored(const StoredRow& stored, TileSums& sums);

  private:
    StoredPlaces places_;
};

struct LinearTables {
    Aligned weight;
    bool finite;  // whether every weight is finite
    LinearTables(const LinearTerms& terms, std::size_t classes);
};

template <>
class Scorer<LinearTerms> : public TermScorer<LinearTerms, LinearTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
    bool takes_stored() const { return true; }
    void place(std::size_t cols) { places_.find(terms_.columns, cols); }
    void begin() { from_.clear(), values_.clear(), starts_.clear(); }
    bool add_stored(const StoredRow& stored, TileSums& sums);
    void end(std::size_t r, std::size_t rows, TileSums& sums);

  private:
    void refuse(const NumberTile& tile) const;
    void condition_on_observed(const RowTile& cells, std::size_t r, TileSums& sums) const;

    StoredPlaces places_;
    // The weights of the stored cells of some rows: see gather_terms.
    std::vector<const double*> from_;
    std::vector<double> values_;
    std::vector<std::size_t> starts_;
};

struct LevelTables {
    std::vector<std::uint32_t> first;
    std::vector<std::uint64_t> levels;
    Aligned table;  // the levels of each column, preceded by a slot for missing cells
    LevelTables(const LevelTerms& terms, std::size_t classes);
};

template <>
class Scorer<LevelTerms> : public TermScorer<LevelTerms, LevelTables> {
  public:
    using TermScorer::TermScorer;
    void add(const Table& x, std::size_t first, TileSums& sums);
};

struct StepTables {
    std::vector<std::size_t> steps, start;
    std::vector<double> trees;
    LevelTables levels;
    StepTables(const StepTerms& terms, std::size_t classes);
};

template <>
class Scorer<StepTerms> : public TermScorer<StepTerms, StepTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
};

struct ObservedTables {
    Aligned rows;  // 2 per column: missing, observed
    ObservedTables(const ObservedTerms& terms, std::size_t classes);
};

template <>
class Scorer<ObservedTerms> : public TermScorer<ObservedTerms, ObservedTables> {
  public:
    using TermScorer::TermScorer;
    void add(const NumberTile& tile, TileSums& sums);
};

}  // namespace suffice
