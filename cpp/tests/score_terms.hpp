// Selects the terms of one kind from score tables.
#pragma once

#include <variant>
#include <vector>

#include "suffice/score.hpp"

template <class Terms>
std::vector<Terms> terms_of_kind(const suffice::ScoreTables& tables) {
    std::vector<Terms> terms;
    for (const suffice::Term& term : tables.terms)
        if (const Terms* one = std::get_if<Terms>(&term)) terms.push_back(*one);
    return terms;
}

// The first term of the kind.
template <class Terms>
Terms& the(suffice::ScoreTables& tables) {
    std::size_t at = 0;
    while (!std::holds_alternative<Terms>(tables.terms.at(at))) ++at;
    return std::get<Terms>(tables.terms[at]);
}
template <class Terms>
const Terms& the(const suffice::ScoreTables& tables) {
    return the<Terms>(const_cast<suffice::ScoreTables&>(tables));
}

template <class Terms>
void drop(suffice::ScoreTables& tables) {
    std::erase_if(tables.terms, [](const suffice::Term& term) { return std::holds_alternative<Terms>(term); });
}
