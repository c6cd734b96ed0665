#include "suffice/score.hpp"

#include <algorithm>

#include "compiled_tables.hpp"
#include "dense_scorer.hpp"
#include "sparse.hpp"
#include "sparse_scorer.hpp"
#include "suffice/kept_tables.hpp"

namespace suffice {
namespace {

template <class Worker, class... Given>
Scores score_rows(const CompiledTables& compiled, std::size_t rows, std::size_t cells, const Asked& asked, std::size_t threads,
                  const Interrupt& interrupt, const Given&... given) {
    const std::size_t per_row = asked.per_row(compiled.classes);
    Scores scores;
    scores.values.resize(rows * per_row);
    run_in_order((rows + unit_rows - 1) / unit_rows, threads_for(cells, threads), interrupt,
                 [&] { return Worker(compiled, given..., asked, per_row, scores); });
    return scores;
}

Scores score_dense(const CompiledTables& compiled, const Table& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt) {
    return score_rows<DenseScorer>(compiled, x.rows, x.rows * (x.cols + compiled.classes), asked, threads, interrupt, x);
}

Scores score_sparse(const CompiledTables& compiled, const Csr& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt) {
    const SparseRows rows(x);
    return score_rows<SparseScorer>(compiled, x.rows, x.stored + x.rows * compiled.classes, asked, threads, interrupt, x, rows);
}

// Finishes rows whose terms have already been summed: the work of one thread.
class RowFinisher {
  public:
    RowFinisher(const double* likelihood, std::size_t rows, const std::vector<double>& log_prior, const Asked& asked, Scores& scores)
        : likelihood_(likelihood), rows_(rows), asked_(asked), scores_(scores), sums_(log_prior) {}

    void work(std::size_t unit, Checkpoint&) {
        impossible_ = 0;
        const std::size_t end = std::min(rows_, (unit + 1) * unit_rows), classes = sums_.classes();
        for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
            const std::size_t rows = std::min(tile_rows, end - first);
            sums_.start(rows);
            for (std::size_t r = 0; r < rows; ++r) std::copy_n(likelihood_ + (first + r) * classes, classes, sums_.row(r));
            impossible_ += sums_.finish(asked_, scores_.values.data() + first * asked_.per_row(classes), first);
        }
    }
    void merge(std::size_t) { scores_.impossible += impossible_; }

  private:
    const double* likelihood_;
    std::size_t rows_;
    Asked asked_;
    Scores& scores_;
    TileSums sums_;
    std::size_t impossible_ = 0;
};

}  // namespace

Scores finish(const double* likelihood, std::size_t rows, const std::vector<double>& log_prior, const Asked& asked,
              std::size_t threads, const Interrupt& interrupt) {
    Scores scores;
    scores.values.resize(rows * asked.per_row(log_prior.size()));
    run_in_order((rows + unit_rows - 1) / unit_rows, threads_for(rows * log_prior.size(), threads), interrupt,
                 [&] { return RowFinisher(likelihood, rows, log_prior, asked, scores); });
    return scores;
}

Scores score(const ScoreTables& tables, const Table& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt) {
    return score_dense(CompiledTables(tables, x.rows), x, asked, threads, interrupt);
}

Scores score(const ScoreTables& tables, const Csr& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt) {
    return score_sparse(CompiledTables(tables, 0), x, asked, threads, interrupt);
}

Scores score(const KeptTables& tables, const Table& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt) {
    return score_dense(*tables.compiled(x.rows), x, asked, threads, interrupt);
}

Scores score(const KeptTables& tables, const Csr& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt) {
    return score_sparse(*tables.compiled(0), x, asked, threads, interrupt);
}

}  // namespace suffice
