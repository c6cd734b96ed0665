#include "moment.hpp"
#include "sparse.hpp"
#include "suffice/moments.hpp"

namespace suffice {

MomentTable moments(const Csr& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt) {
    const SparsePass pass(x, labels);
    MomentTable table(labels.classes * x.cols);
    MissingCells missing(labels.classes, x.cols);

    // The moments of the stored cells about their own pivots; the absent cells, all 0, are merged at the end.
    struct Worker {
        const Csr& x;
        const SparsePass& pass;
        MomentTable& table;
        MissingCells& missing;
        SparseRow row;
        std::vector<double> weight = {}, pivot = {}, s1 = {}, s2 = {};
        std::vector<std::pair<std::size_t, double>> missing_cells = {};

        void work(std::size_t u, Checkpoint& checkpoint) {
            const SparseUnit& unit = pass.units()[u];
            for (auto* v : {&weight, &pivot, &s1, &s2}) v->assign(x.cols, 0.0);
            for (std::size_t p = unit.first; p < unit.last; ++p) {
                if ((p - unit.first) % 4096 == 4095) checkpoint();
                const std::size_t r = pass.row(p);
                const double w = pass.weight(r);
                row.read(pass.rows(), r);
                for (std::size_t k = 0; k < row.size(); ++k) {
                    const std::size_t j = row.column(k);
                    const double value = row.value(k);
                    if (std::isnan(value)) {
                        missing_cells.emplace_back(j, w);
                        continue;
                    }
                    if (weight[j] == 0) pivot[j] = value;
                    const double d = value - pivot[j], wd = w * d;
                    weight[j] += w;
                    s1[j] += wd;
                    s2[j] += wd * d;
                }
            }
        }
        void merge(std::size_t u) {
            const std::size_t cls = pass.units()[u].cls;
            missing.add(cls, missing_cells);
            for (std::size_t j = 0; j < x.cols; ++j) {
                if (weight[j] == 0) continue;
                if (!std::isfinite(s1[j] - s2[j])) throw InvalidInput{InvalidInput::Kind::overflow, 0, j, s2[j]};
                add(table, cls * x.cols + j, Moment::about(pivot[j], weight[j], s1[j], s2[j]));
            }
        }
    };
    run_in_order(pass.units().size(), threads_for(x.stored, threads), interrupt,
                 [&] { return Worker{x, pass, table, missing, SparseRow(x)}; });
    for (std::size_t k = 0; k < table.weight.size(); ++k) {
        const double all = pass.class_weight()[k / x.cols];
        const double absent = remaining(all, table.weight[k] + missing.at(k));
        if (absent > 0) add(table, k, Moment{absent, 0, 0, 0});
        if (!std::isfinite(table.dp[k])) throw InvalidInput{InvalidInput::Kind::overflow, 0, k % x.cols, table.dp[k]};
    }
    return table;
}

}  // namespace suffice
