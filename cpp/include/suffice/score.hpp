// log p(c, x) = log π_c + Σ_blocks log p(x_block | c) for every row, and the quantities derived from it, in one pass.
//
// A model compiles its estimates into tables once. A pass processes the rows one tile at a time: each block of columns
// adds its terms to the tile's scores, and the last step converts those to the requested output. A missing cell adds
// nothing: it is marginalised. Every sum runs over the columns in their order, so the bits depend neither on threads
// nor on the instruction set.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "suffice/pages.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"
#include "suffice/score_counts.hpp"
#include "suffice/score_ellipses.hpp"

namespace suffice {

// In all tables a row of `classes` numbers belongs to a column (or level). z = (x − centre) · scale.

// term = c − s (z − m)²: a Gaussian under any plug-in estimate, centred on the mean of the class, so that no digits
// cancel.
struct QuadraticTerms {
    std::vector<std::size_t> columns;
    std::vector<double> centre, scale;  // columns
    std::vector<double> m, s, c;        // columns × classes
};

// term = c − e log(1 + (z − m)² s): Student's t. Columns with equal exponents e share a logarithm.
struct StudentTerms {
    std::vector<std::size_t> columns;
    std::vector<double> centre, scale;  // columns
    std::vector<double> m, s, c;        // columns × classes
    std::vector<double> e;              // classes
};

// term = c for 0 ≤ x ≤ m and c − e log(x / m) for x > m: uniform, with a Pareto tail. A negative or infinite x is
// impossible, and so is every x > m if e is infinite. m > 0.
struct UniformTerms {
    std::vector<std::size_t> columns;
    std::vector<double> m, c, e;  // columns × classes
};

// term = table[level], for levels coded 0 …; −1, and a code beyond the levels, is missing.
struct LevelTerms {
    std::vector<std::size_t> columns, levels;
    std::vector<double> table;  // Σ levels × classes
};

// term = x > threshold ? present : absent.
struct PresenceTerms {
    std::vector<std::size_t> columns;
    double threshold = 0;
    std::vector<double> present, absent;  // columns × classes
};

// term = x · weight, with 0 · (−inf) = 0: counts with log θ. If the counts of some columns are missing and the weights
// are logs of a distribution, θ is renormalised over the observed columns: n log Σ_observed θ is subtracted, n being
// the observed total.
struct LinearTerms {
    std::vector<std::size_t> columns;
    std::vector<double> weight;  // columns × classes
    bool distribution = true;
};

// term = table[#{inner edges ≤ x}]: a histogram. Column j has edge_counts[j] increasing edges and one cell more.
struct StepTerms {
    std::vector<std::size_t> columns, edge_counts;
    std::vector<double> edges;  // Σ edge_counts
    std::vector<double> table;  // Σ (edge_counts + 1) × classes
};

// term = x is known ? present : absent.
struct ObservedTerms {
    std::vector<std::size_t> columns;
    std::vector<double> present, absent;  // columns × classes
};

// Every kind of term, in the order in which they are summed. A new kind requires a struct with `columns`, an entry
// here, and its Scorer (src/term_scorer.hpp).
using Term = std::variant<QuadraticTerms, StudentTerms, UniformTerms, PresenceTerms, LinearTerms, EllipseTerms, CountTerms,
                          CoefficientTerms, StepTerms, ObservedTerms, LevelTerms>;

// Whether a kind reads level codes, which are integers of a dense table, instead of numbers.
template <class Terms>
inline constexpr bool reads_codes = std::is_same_v<Terms, LevelTerms>;

inline const std::vector<std::size_t>& columns_of(const Term& term) {
    return std::visit([](const auto& terms) -> const std::vector<std::size_t>& { return terms.columns; }, term);
}

inline bool takes_codes(const Term& term) {
    return std::visit([]<class Terms>(const Terms&) { return reads_codes<Terms>; }, term);
}

struct ScoreTables {
    std::vector<double> log_prior;  // classes
    std::vector<Term> terms;        // grouped by kind

    std::size_t classes() const { return log_prior.size(); }
    void add(Term term) {
        const auto behind = std::upper_bound(terms.begin(), terms.end(), term, [](const Term& a, const Term& b) { return a.index() < b.index(); });
        terms.insert(behind, std::move(term));
    }
};

// joint: log p(c, x). posterior: p(c | x), or its log. density: log p(x), one number per row. likelihood: log p(x | c).
enum class Wanted { joint, log_posterior, posterior, density, likelihood };

// log π_c + offset_c + scale · log p(x | c) replaces log p(c, x). A row with the same likelihood under every class, for
// example because every cell is missing, keeps log π_c.
struct Calibration {
    double scale = 1;
    std::vector<double> offsets;  // classes
};

// The output to compute from the sums of a row's terms, with or without a calibration.
struct Asked {
    Asked(Wanted what, const Calibration* how = nullptr) : wanted(what), calibration(how) {}

    std::size_t per_row(std::size_t classes) const { return wanted == Wanted::density ? 1 : classes; }

    Wanted wanted;
    const Calibration* calibration;
};

struct Scores {
    Unset values;                // rows × classes, or rows
    std::size_t impossible = 0;  // rows that are −inf under every class: their posterior is the prior
    bool infinite = false;       // a dense cell scored for presence is infinite (stored cells: InvalidInput)
};

Scores score(const ScoreTables& tables, const Table& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt);

// The requested output, given log p(x | c), rows × classes.
Scores finish(const double* likelihood, std::size_t rows, const std::vector<double>& log_prior, const Asked& asked,
              std::size_t threads, const Interrupt& interrupt);

// Absent cells are 0; a stored NaN is missing.
Scores score(const ScoreTables& tables, const Csr& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
