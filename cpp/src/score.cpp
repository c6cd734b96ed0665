#include "suffice/score.hpp"

#include "compiled_tables.hpp"
#include "dense_scorer.hpp"
#include "sparse.hpp"
#include "sparse_scorer.hpp"

namespace suffice {
namespace {

template <class Worker, class... Given>
Scores score_rows(const ScoreTables& tables, std::size_t rows, std::size_t dense_rows, std::size_t cells, Wanted wanted, std::size_t threads,
                  const Interrupt& interrupt, const Given&... given) {
    const CompiledTables compiled(tables, dense_rows);
    const std::size_t per_row = wanted == Wanted::density ? 1 : tables.classes();
    Scores scores;
    scores.values.resize(rows * per_row);
    run_in_order((rows + unit_rows - 1) / unit_rows, threads_for(cells, threads), interrupt,
                 [&] { return Worker(compiled, given..., wanted, per_row, scores); });
    return scores;
}

}  // namespace

Scores score(const ScoreTables& tables, const Table& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_rows<DenseScorer>(tables, x.rows, x.rows, x.rows * (x.cols + tables.classes()), wanted, threads, interrupt, x);
}

Scores score(const ScoreTables& tables, const Csr& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    const SparseRows rows(x);
    return score_rows<SparseScorer>(tables, x.rows, 0, x.stored + x.rows * tables.classes(), wanted, threads, interrupt, x, rows);
}

}  // namespace suffice
