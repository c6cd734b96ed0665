#include "suffice/count_logs.hpp"

#include "aligned.hpp"
#include "blocks.hpp"
#include "log_factorials.hpp"
#include "score_counts.hpp"
#include "sparse.hpp"

namespace suffice {
namespace {

constexpr std::size_t unit_rows = 4096;
constexpr double greatest_split = 0x1p30;

// The sums of one unit, classes × 2, merged into the total in order.
class Sums {
  public:
    Sums(const Labels& labels, CountLogs kind, std::vector<double>& whole)
        : labels_(labels), kind_(kind), whole_(whole), logs_(unit_rows), coarse_(unit_rows), fine_(unit_rows) {}

    void start(std::size_t first_row, std::size_t rows) {
        block_.read(labels_, first_row, rows);
        rows_ = rows;
    }
    bool left_out(std::size_t r) const { return block_.codes()[r] < 0; }

    void set(std::size_t r, double cells, double total) {
        logs_[r] = kind_ == CountLogs::cells ? cells : std::max(factorials_.of(total) - cells, 0.0);
    }
    void set(std::size_t r, const RowCoefficient& row) { set(r, row.cells(), row.total()); }

    void finish() {
        kernels().split_logs(logs_.data(), padded(rows_), coarse_.data(), fine_.data());
        values_.assign(2 * labels_.classes, 0.0);
        for (std::size_t r = 0; r < rows_; ++r) {
            if (left_out(r)) continue;
            if (!(logs_[r] < greatest_split)) split(r);
            double* to = values_.data() + 2 * static_cast<std::size_t>(block_.codes()[r]);
            const double w = block_.weight(r);
            to[0] += w * coarse_[r];
            to[1] += w * fine_[r];
        }
    }

    // Adds a cell of a row that the kernel could not handle.
    void add_cell(RowCoefficient& to, double x, std::size_t row, std::size_t j) const {
        if (std::isnan(x)) return;
        if (x < 0) throw InvalidInput{InvalidInput::Kind::negative, row, j, x};
        if (std::isinf(x)) throw InvalidInput{InvalidInput::Kind::infinite, row, j, x};
        if (kind_ == CountLogs::cells && std::trunc(x) != x)
            throw InvalidInput{InvalidInput::Kind::not_whole, row, j, x};
        to.add(j, x, factorials_);
    }
    void merge() {
        for (std::size_t k = 0; k < whole_.size(); ++k) whole_[k] += values_[k];
    }

  private:
    void split(std::size_t r) {
        coarse_[r] = std::floor(logs_[r] * 0x1p20);
        fine_[r] = std::nearbyint((logs_[r] - coarse_[r] * 0x1p-20) * 0x1p43);
    }

    const Labels& labels_;
    CountLogs kind_;
    std::vector<double>& whole_;
    const LogFactorials& factorials_ = LogFactorials::shared();
    std::vector<double> values_;
    Aligned logs_, coarse_, fine_;
    std::size_t rows_ = 0;
    LabelBlock block_;
};

struct DenseLogs {
    const Table& x;
    Sums sums;
    TileReader reader;
    std::vector<double> cells = {}, totals = {};
    std::vector<std::uint8_t> state = {};

    void work(std::size_t unit, Checkpoint&) {
        const std::size_t first_row = unit * unit_rows, count = std::min(unit_rows, x.rows - first_row);
        const double* factorials = LogFactorials::shared().table();
        sums.start(first_row, count);
        reader.each(first_row, count, [&](const double* tile, std::size_t stride, std::size_t first, std::size_t rows) {
            cells.resize(rows);
            totals.resize(rows);
            state.resize(rows);
            kernels().count_logs(tile, stride, rows, x.cols, factorials, cells.data(), totals.data(), state.data());
            for (std::size_t r = 0; r < rows; ++r) {
                if (sums.left_out(first + r)) continue;
                if (state[r] == 0) {
                    sums.set(first + r, cells[r], totals[r]);
                    continue;
                }
                RowCoefficient row;
                for (std::size_t j = 0; j < x.cols; ++j)
                    sums.add_cell(row, tile[r * stride + j], first_row + first + r, j);
                sums.set(first + r, row);
            }
        });
        sums.finish();
    }
    void merge(std::size_t) { sums.merge(); }
};

struct SparseLogs {
    const Csr& x;
    const SparseRows& rows;
    Sums sums;
    SparseRow row;

    void work(std::size_t unit, Checkpoint& checkpoint) {
        const std::size_t first_row = unit * unit_rows, count = std::min(unit_rows, x.rows - first_row);
        sums.start(first_row, count);
        for (std::size_t r = 0; r < count; ++r) {
            if (r % 256 == 255) checkpoint();
            if (sums.left_out(r)) continue;
            row.read(rows, first_row + r);
            RowCoefficient logs;
            for (std::size_t k = 0; k < row.size(); ++k)
                sums.add_cell(logs, row.value(k), first_row + r, row.column(k));
            sums.set(r, logs);
        }
        sums.finish();
    }
    void merge(std::size_t) { sums.merge(); }
};

}  // namespace

std::vector<double> count_logs(const Table& x, const Labels& labels, CountLogs kind, std::size_t threads,
                               const Interrupt& interrupt) {
    std::vector<double> whole(2 * labels.classes);
    run_in_order((x.rows + unit_rows - 1) / unit_rows, threads_for(x.rows * x.cols, threads), interrupt,
                 [&] { return DenseLogs{x, Sums(labels, kind, whole), TileReader(x, 0, x.cols)}; });
    return whole;
}

std::vector<double> count_logs(const Csr& x, const Labels& labels, CountLogs kind, std::size_t threads,
                               const Interrupt& interrupt) {
    const SparseRows rows(x);
    std::vector<double> whole(2 * labels.classes);
    run_in_order((x.rows + unit_rows - 1) / unit_rows, threads_for(x.stored, threads), interrupt,
                 [&] { return SparseLogs{x, rows, Sums(labels, kind, whole), SparseRow(x)}; });
    return whole;
}

}  // namespace suffice
