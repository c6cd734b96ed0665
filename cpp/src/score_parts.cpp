#include "suffice/score_parts.hpp"

#include <algorithm>
#include <memory>

#include "compiled_tables.hpp"
#include "needed_columns.hpp"
#include "tile_loader.hpp"
#include "tile_scorer.hpp"

namespace suffice {
namespace {

using Compiled = std::vector<std::shared_ptr<const CompiledTables>>;

// Rows of a unit: enough for several tiles of each part, but few enough to stay in the second-level cache while the
// parts are processed in turn.
std::size_t rows_of_unit(std::size_t parts) { return std::clamp<std::size_t>(2 * tile_rows * parts, 16 * tile_rows, 16 * unit_rows); }

// The work of one thread: the rows of a unit are processed part by part.
class PartScorer {
  public:
    PartScorer(const Compiled& compiled, const Table& x, const std::int32_t* parts, std::size_t height, const Asked& asked,
               std::size_t per_row, Scores& scores)
        : x_(x), parts_(parts), height_(height), asked_(asked), per_row_(per_row), scores_(scores), needed_(x.cols),
          loader_(x, needed_, tile_rows), starts_(compiled.size() + 1), order_(std::min(height, x.rows)), found_(tile_rows * per_row) {
        scorers_.reserve(compiled.size());
        for (const auto& tables : compiled) scorers_.emplace_back(*tables, needed_);
    }

    void work(std::size_t unit, Checkpoint&) {
        impossible_ = 0;
        sort(unit * height_, std::min(x_.rows, (unit + 1) * height_));
        for (std::size_t p = 0; p < scorers_.size(); ++p)
            for (std::size_t first = starts_[p]; first < starts_[p + 1]; first += tile_rows)
                score(scorers_[p], order_.data() + starts_[p], starts_[p + 1] - starts_[p], first - starts_[p]);
    }

    void merge(std::size_t) {
        scores_.impossible += impossible_;
        for (const TileScorer& scorer : scorers_) scores_.infinite |= scorer.sums().infinite;
    }

  private:
    // Sorts the rows of a unit by part, stably: those of part p start at starts_[p].
    void sort(std::size_t begin, std::size_t end) {
        std::fill(starts_.begin(), starts_.end(), std::size_t{0});
        for (std::size_t r = begin; r < end; ++r) ++starts_[static_cast<std::size_t>(parts_[r]) + 1];
        for (std::size_t p = 1; p < starts_.size(); ++p) starts_[p] += starts_[p - 1];
        next_.assign(starts_.begin(), starts_.end() - 1);
        for (std::size_t r = begin; r < end; ++r) order_[next_[static_cast<std::size_t>(parts_[r])]++] = r;
    }

    void score(TileScorer& scorer, const std::size_t* at, std::size_t all, std::size_t first) {
        const std::size_t rows = std::min(tile_rows, all - first);
        scorer.sums().start(rows);
        try {
            if (x_.cols > 0) {
                const bool finite = loader_.load(at, all, first, rows);
                scorer.add(loader_.tile(), finite, 0, nullptr);
            }
            impossible_ += scorer.sums().finish(asked_, found_.data(), 0);
        } catch (InvalidInput& invalid) {
            invalid.row = at[first + invalid.row];
            throw;
        }
        for (std::size_t r = 0; r < rows; ++r)
            std::copy_n(found_.data() + r * per_row_, per_row_, scores_.values.data() + at[first + r] * per_row_);
    }

    const Table& x_;
    const std::int32_t* parts_;
    std::size_t height_;
    Asked asked_;
    std::size_t per_row_;
    Scores& scores_;
    NeededColumns needed_;
    TileLoader loader_;
    std::vector<TileScorer> scorers_;
    std::vector<std::size_t> starts_, next_, order_;
    Aligned found_;
    std::size_t impossible_ = 0;
};

}  // namespace

Scores score_parts(const std::vector<const KeptTables*>& tables, const Table& x, const std::int32_t* parts, const Asked& asked,
                   std::size_t threads, const Interrupt& interrupt) {
    Compiled compiled;
    for (const KeptTables* each : tables) compiled.push_back(each->compiled(x.rows / tables.size()));
    const std::size_t classes = compiled[0]->classes, per_row = asked.per_row(classes);
    const std::size_t height = rows_of_unit(tables.size());
    Scores scores;
    scores.values.resize(x.rows * per_row);
    run_in_order((x.rows + height - 1) / height, threads_for(x.rows * (x.cols + classes), threads), interrupt,
                 [&] { return PartScorer(compiled, x, parts, height, asked, per_row, scores); });
    return scores;
}

}  // namespace suffice
