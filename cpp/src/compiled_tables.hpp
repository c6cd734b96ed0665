// The score tables in the layout of the kernels: rows of `width` numbers, the classes padded to whole lanes.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "score_columns.hpp"
#include "score_counts.hpp"
#include "score_ellipses.hpp"
#include "suffice/score.hpp"

namespace suffice {

template <class Variant>
struct OfKinds;
template <class... Terms>
struct OfKinds<std::variant<Terms...>> {
    using Tables = std::variant<typename Scorer<Terms>::Tables...>;
    using AnyScorer = std::variant<Scorer<Terms>...>;
};
using TermTables = OfKinds<Term>::Tables;
using AnyScorer = OfKinds<Term>::AnyScorer;

// Whether the compiled form depends on the number of dense rows to be scored.
inline bool depend_on_rows(const ScoreTables& tables) {
    return std::any_of(tables.terms.begin(), tables.terms.end(), [](const Term& term) {
        return std::visit([]<class Terms>(const Terms&) { return Scorer<Terms>::depends_on_rows; }, term);
    });
}

// Compiled once, for one call or for many (suffice/kept_tables.hpp), and shared by all threads.
struct CompiledTables {
    CompiledTables(const ScoreTables& given, std::size_t dense_rows) : tables(given), classes(given.classes()) {
        terms.reserve(tables.terms.size());
        for (const Term& term : tables.terms)
            std::visit(
                [&]<class Terms>(const Terms& each) {
                    using Tables = typename Scorer<Terms>::Tables;
                    if constexpr (Scorer<Terms>::depends_on_rows)
                        terms.emplace_back(std::in_place_type<Tables>, each, classes, dense_rows);
                    else terms.emplace_back(std::in_place_type<Tables>, each, classes);
                },
                term);
    }

    const ScoreTables& tables;
    std::size_t classes;
    std::vector<TermTables> terms;  // in the order of tables.terms
};

}  // namespace suffice
