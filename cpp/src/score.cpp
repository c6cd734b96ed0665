#include "suffice/score.hpp"

#include "compiled_tables.hpp"
#include "dense_scorer.hpp"
#include "sparse.hpp"
#include "sparse_scorer.hpp"
#include "suffice/kept_tables.hpp"

namespace suffice {
namespace {

template <class Worker, class... Given>
Scores score_rows(const CompiledTables& compiled, std::size_t rows, std::size_t cells, Wanted wanted, std::size_t threads,
                  const Interrupt& interrupt, const Given&... given) {
    const std::size_t per_row = wanted == Wanted::density ? 1 : compiled.classes;
    Scores scores;
    scores.values.resize(rows * per_row);
    run_in_order((rows + unit_rows - 1) / unit_rows, threads_for(cells, threads), interrupt,
                 [&] { return Worker(compiled, given..., wanted, per_row, scores); });
    return scores;
}

Scores score_dense(const CompiledTables& compiled, const Table& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_rows<DenseScorer>(compiled, x.rows, x.rows * (x.cols + compiled.classes), wanted, threads, interrupt, x);
}

Scores score_sparse(const CompiledTables& compiled, const Csr& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    const SparseRows rows(x);
    return score_rows<SparseScorer>(compiled, x.rows, x.stored + x.rows * compiled.classes, wanted, threads, interrupt, x, rows);
}

}  // namespace

Scores score(const ScoreTables& tables, const Table& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_dense(CompiledTables(tables, x.rows), x, wanted, threads, interrupt);
}

Scores score(const ScoreTables& tables, const Csr& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_sparse(CompiledTables(tables, 0), x, wanted, threads, interrupt);
}

Scores score(const KeptTables& tables, const Table& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_dense(*tables.compiled(x.rows), x, wanted, threads, interrupt);
}

Scores score(const KeptTables& tables, const Csr& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_sparse(*tables.compiled(0), x, wanted, threads, interrupt);
}

}  // namespace suffice
