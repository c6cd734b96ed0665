#include "sparse_scorer.hpp"

#include <algorithm>

namespace suffice {

SparseScorer::SparseScorer(const CompiledTables& compiled, const Csr& x, const SparseRows& rows, const Asked& asked, std::size_t per_row, Scores& scores)
    : x_(x), rows_(rows), asked_(asked), per_row_(per_row), scores_(scores), needed_(compiled.tables, x.cols),
      scorer_(compiled, needed_), row_(x) {
    by_stored_ = scorer_.all([](const auto& term) { return term.takes_stored(); });
    if (by_stored_) scorer_.each([&](auto& term) { term.place(x.cols); });
}

void SparseScorer::work(std::size_t unit, Checkpoint& checkpoint) {
    impossible_ = 0;
    const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
    for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
        checkpoint();
        const std::size_t rows = std::min(tile_rows, end - first);
        scorer_.sums().start(rows);
        if (!by_stored_ || !add_stored(first, rows)) add_spelled_out(first, rows);
        impossible_ += scorer_.sums().finish(asked_, scores_.values.data() + first * per_row_, first);
    }
}

bool SparseScorer::add_stored(std::size_t first, std::size_t rows) {
    TileSums& sums = scorer_.sums();
    for (std::size_t r = 0; r < rows; r += rows_at_once) {
        const std::size_t some = std::min(rows_at_once, rows - r);
        scorer_.each([](auto& term) { term.begin(); });
        for (std::size_t k = r; k < r + some; ++k) {
            row_.read(rows_, first + k);
            const StoredRow stored{row_, k, first + k};
            if (!scorer_.all([&](auto& term) { return term.add_stored(stored, sums); })) {
                sums.start(rows);
                return false;
            }
        }
        scorer_.each([&](auto& term) { term.end(r, some, sums); });
    }
    return true;
}

void SparseScorer::add_spelled_out(std::size_t first, std::size_t rows) {
    const std::size_t height = padded(rows);
    tile_.assign(needed_.columns.size() * height, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
        row_.read(rows_, first + r);
        for (std::size_t k = 0; k < row_.size(); ++k)
            if (const std::size_t j = row_.column(k); needed_.wanted[j]) tile_[needed_.place[j] * height + r] = row_.value(k);
    }
    scorer_.add(tile_.data(), kernels().all_finite(tile_.data(), tile_.size()), first, nullptr);
}

}  // namespace suffice
