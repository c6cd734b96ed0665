#include "suffice/counts.hpp"

#include "aligned.hpp"
#include "blocks.hpp"

namespace suffice {
namespace {

// Counts and observed weights: by class as long as nothing is missing, then by class and column.
struct Collected {
    std::size_t cols = 0;
    Unset values;
    std::vector<double> class_weight, cell_weight;

    Collected() = default;
    Collected(std::size_t classes, std::size_t columns)
        : cols(columns), values(classes * columns, 0.0), class_weight(classes) {}

    void expand() {
        if (!cell_weight.empty()) return;
        cell_weight.resize(values.size());
        for (std::size_t k = 0; k < cell_weight.size(); ++k) cell_weight[k] = class_weight[k / cols];
    }
    void place(std::size_t first, const Collected& part) {
        place_columns(values, cols, part.values, part.cols, first);
        class_weight = part.class_weight;  // equal for every strip
        if (part.cell_weight.empty() && cell_weight.empty()) return;
        expand();
        if (part.cell_weight.empty()) {
            for (std::size_t c = 0; c < class_weight.size(); ++c)
                std::fill_n(cell_weight.begin() + static_cast<std::ptrdiff_t>(c * cols + first), part.cols,
                            class_weight[c]);
        } else {
            place_columns(cell_weight, cols, part.cell_weight, part.cols, first);
        }
    }
    CountTable result() && {
        const bool by_column = !cell_weight.empty();
        return {std::move(values), by_column ? std::move(cell_weight) : std::move(class_weight), by_column};
    }
};

// The two statistics: the sum of x, and the number of rows where x is present.
struct Sums {
    Aligned least;

    void start(std::size_t width) { least.assign(width, 0.0); }
    void clean(const Kernels& k, const Tile& tile, double* values) { k.sums_clean(&tile, values, least.data()); }
    bool masked(const Kernels& k, const Tile& tile, double* values, double* cell_weight) {
        return k.sums_masked(&tile, values, cell_weight, least.data());
    }
    bool nonfinite(double value, std::size_t) const { return !std::isfinite(value); }
    bool negative(std::size_t cols) const {
        return std::any_of(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(cols),
                           [](double v) { return v < 0; });
    }
};

struct Presence {
    double threshold;
    Aligned nonfinite_ = {};

    void start(std::size_t width) { nonfinite_.assign(width, 0.0); }
    void clean(const Kernels& k, const Tile& tile, double* values) {
        k.presence_clean(&tile, threshold, values, nonfinite_.data());
    }
    bool masked(const Kernels& k, const Tile& tile, double* values, double* cell_weight) {
        return k.presence_masked(&tile, threshold, values, cell_weight);
    }
    bool nonfinite(double, std::size_t column) const { return nonfinite_[column] != 0; }
    bool negative(std::size_t) const { return false; }
};

template <class What>
class Strip {
  public:
    Strip(const Table& x, const Labels& labels, What what, std::size_t first_col, std::size_t cols)
        : x_(x), labels_(labels), what_(what), reader_(x, first_col, cols), first_col_(first_col), cols_(cols),
          width_(padded(cols)), values_(labels.classes * width_) {}

    void add_block(std::size_t first_row, std::size_t rows) {
        block_.read(labels_, first_row, rows);
        first_row_ = first_row;
        rows_ = rows;
        if (!masked_) {
            pass(false);
            if (first_nonfinite_column() < cols_) {
                masked_ = true;
                cell_weight_.resize(values_.size());
            }
        }
        if (masked_ && pass(true)) throw_if_infinite(x_, block_, first_row_, rows_, first_col_, cols_);
        if (what_.negative(cols_))
            throw find_invalid(x_, block_, first_row_, rows_, first_col_, cols_, InvalidInput::Kind::negative,
                               [](double v) { return v < 0; });
        if (const std::size_t j = masked_ ? first_nonfinite_column() : cols_; j < cols_)
            throw InvalidInput{InvalidInput::Kind::overflow, first_row_, first_col_ + j, 0};
    }

    void merge_into(Collected& to) const {
        if (masked_) to.expand();
        for (std::size_t c = 0; c < labels_.classes; ++c) {
            const double weight = block_.class_weight()[c];
            if (weight == 0) continue;
            to.class_weight[c] += weight;
            for (std::size_t j = 0; j < cols_; ++j) to.values[c * to.cols + j] += values_[c * width_ + j];
            for (std::size_t j = 0; j < cols_ && !to.cell_weight.empty(); ++j)
                to.cell_weight[c * to.cols + j] += masked_ ? cell_weight_[c * width_ + j] : weight;
        }
    }

  private:
    bool pass(bool masked) {
        std::fill(values_.begin(), values_.end(), 0.0);
        std::fill(cell_weight_.begin(), cell_weight_.end(), 0.0);
        what_.start(width_);
        const Kernels& k = kernels();
        bool infinite = false;
        reader_.each(first_row_, rows_, [&](const double* x, std::size_t stride, std::size_t first, std::size_t rows) {
            const Tile tile = block_.tile(x, stride, first, rows, width_);
            if (masked) {
                infinite |= what_.masked(k, tile, values_.data(), cell_weight_.data());
            } else {
                what_.clean(k, tile, values_.data());
            }
        });
        return infinite;
    }

    std::size_t first_nonfinite_column() const {
        for (std::size_t j = 0; j < cols_; ++j)
            for (std::size_t c = 0; c < labels_.classes; ++c)
                if (what_.nonfinite(values_[c * width_ + j], j)) return j;
        return cols_;
    }

    const Table& x_;
    const Labels& labels_;
    What what_;
    TileReader reader_;
    LabelBlock block_;
    std::size_t first_col_, cols_, width_, first_row_ = 0, rows_ = 0;
    Aligned values_, cell_weight_;
    bool masked_ = false;
};

template <class What>
CountTable count(const Table& x, const Labels& labels, What what, std::size_t threads, const Interrupt& interrupt) {
    Collected all = collect<Strip<What>, Collected>(
        x, labels.classes, threads, interrupt,
        [&](std::size_t first_col, std::size_t cols) { return Strip<What>(x, labels, what, first_col, cols); },
        [&](std::size_t, std::size_t cols) { return Collected(labels.classes, cols); });
    for (std::size_t k = 0; k < all.values.size(); ++k)
        if (!std::isfinite(all.values[k]))
            throw InvalidInput{InvalidInput::Kind::overflow, 0, k % x.cols, all.values[k]};
    if (x.cols == 0) all.class_weight = tally(x.rows, labels, 1, interrupt);
    return std::move(all).result();
}

}  // namespace

CountTable sums(const Table& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt) {
    return count(x, labels, Sums{}, threads, interrupt);
}

CountTable presence(const Table& x, const Labels& labels, double threshold, std::size_t threads,
                    const Interrupt& interrupt) {
    return count(x, labels, Presence{threshold}, threads, interrupt);
}

std::vector<double> tally(std::size_t rows, const Labels& labels, std::size_t threads, const Interrupt& interrupt) {
    static constexpr std::size_t block_rows = 65536;
    std::vector<double> weight(labels.classes);
    struct Counter {
        const Labels& labels;
        std::size_t rows;
        std::vector<double>& weight;
        LabelBlock block = {};
        void work(std::size_t unit, Checkpoint&) {
            block.read(labels, unit * block_rows, std::min(block_rows, rows - unit * block_rows));
        }
        void merge(std::size_t) {
            for (std::size_t c = 0; c < weight.size(); ++c) weight[c] += block.class_weight()[c];
        }
    };
    run_in_order((rows + block_rows - 1) / block_rows, threads, interrupt,
                 [&] { return Counter{labels, rows, weight}; });
    return weight;
}

}  // namespace suffice
