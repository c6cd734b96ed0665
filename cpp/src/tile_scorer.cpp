#include "tile_scorer.hpp"

#include <stdexcept>

namespace suffice {

TileScorer::TileScorer(const CompiledTables& compiled, const NeededColumns& needed)
    : compiled_(compiled), needed_(needed), sums_(compiled.tables.log_prior) {
    scorers_.reserve(compiled.terms.size());
    for (std::size_t b = 0; b < compiled.terms.size(); ++b)
        std::visit(
            [&]<class Terms>(const Terms& terms) {
                using Tables = typename Scorer<Terms>::Tables;
                scorers_.emplace_back(std::in_place_type<Scorer<Terms>>, terms, std::get<Tables>(compiled.terms[b]));
            },
            compiled.tables.terms[b]);
}

void TileScorer::find_places() {
    for (const Term& term : compiled_.tables.terms) {
        auto& of = places_.emplace_back();
        for (const std::size_t column : columns_of(term)) of.push_back(needed_.place[column]);
    }
    placed_ = true;
}

void TileScorer::add(const double* x, bool finite, std::size_t first, const Table* table) {
    if (x != nullptr && !placed_) find_places();
    const bool missing = x != nullptr && !finite && kernels().any_missing(x, needed_.columns.size() * sums_.height());
    for (std::size_t b = 0; b < scorers_.size(); ++b)
        std::visit(
            [&]<class Terms>(Scorer<Terms>& scorer) {
                if constexpr (reads_codes<Terms>) {
                    if (table == nullptr) throw std::invalid_argument("level codes are read from a dense table");
                    scorer.add(*table, first, sums_);
                } else if (x != nullptr) {
                    scorer.add({{x, sums_.height(), places_[b].data(), missing}, sums_.rows(), first, finite}, sums_);
                }
            },
            scorers_[b]);
}

}  // namespace suffice
