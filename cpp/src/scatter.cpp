#include "suffice/scatter.hpp"

#include <algorithm>
#include <cmath>

#include "aligned.hpp"
#include "blocks.hpp"
#include "moment.hpp"

namespace suffice {
namespace {

// Rows of one class, centred on their pivot, are buffered until there are enough of them to keep the product tile in
// registers. With many classes the batches are smaller, because every class has its own buffer.
std::size_t batch_rows_for(std::size_t classes, std::size_t width) {
    return std::clamp<std::size_t>((std::size_t{1} << 18) / std::max<std::size_t>(classes * width, 1), 8, 64);
}

// The sums of one block: Σ w d and Σ w d dᵀ per class, with d = x − pivot.
class Block {
  public:
    Block(const Table& x, const Labels& labels)
        : x_(x), labels_(labels), reader_(x, 0, x.cols), width_(padded(x.cols)),
          batch_rows_(batch_rows_for(labels.classes, width_)), weight_(labels.classes), left_out_(labels.classes),
          pivot_(labels.classes * width_), s1_(pivot_.size()), products_(pivot_.size() * width_),
          batch_(pivot_.size() * batch_rows_), weighted_batch_(labels.weighted ? batch_.size() : 0),
          waiting_(labels.classes) {}

    void add_block(std::size_t first_row, std::size_t rows, Checkpoint& checkpoint) {
        labels_block_.read(labels_, first_row, rows);
        for (auto* v : {&weight_, &left_out_}) std::fill(v->begin(), v->end(), 0.0);
        for (auto* v : {&s1_, &products_}) std::fill(v->begin(), v->end(), 0.0);
        reader_.each(first_row, rows,
                     [&](const double* tile, std::size_t stride, std::size_t first, std::size_t count) {
                         for (std::size_t r = 0; r < count; ++r) {
                             if (r % 1024 == 0) checkpoint();
                             if (labels_block_.codes()[first + r] >= 0)
                                 add_row(tile + r * stride, static_cast<std::size_t>(labels_block_.codes()[first + r]),
                                         labels_block_.weight(first + r), first_row + first + r);
                         }
                     });
        for (std::size_t c = 0; c < labels_.classes; ++c) multiply(c);
    }

    void merge_into(ScatterTable& table) const {
        const std::size_t cols = x_.cols;
        std::vector<double> delta(cols), offset(cols);
        for (std::size_t c = 0; c < labels_.classes; ++c) {
            table.left_out[c] += left_out_[c];
            const double n_b = weight_[c], n_a = table.weight[c];
            if (n_b == 0) continue;
            for (std::size_t j = 0; j < cols; ++j) {
                Moment m{n_a, table.mean[c * cols + j], table.mean_low[c * cols + j], 0};
                const Moment b = Moment::about(pivot_[c * width_ + j], n_b, s1_[c * width_ + j], 0);
                delta[j] = Moment::difference(b.mean, b.mean_low, m.mean, m.mean_low);
                offset[j] = s1_[c * width_ + j] / n_b;
                m.merge(b);
                table.mean[c * cols + j] = m.mean;
                table.mean_low[c * cols + j] = m.mean_low;
            }
            const double share = n_a * (n_b / (n_a + n_b));  // 0 for the first block, which ignores its δ
            for (std::size_t i = 0; i < cols; ++i)
                for (std::size_t j = i; j < cols; ++j) {
                    const double within = products_[(c * width_ + i) * width_ + j] - s1_[c * width_ + i] * offset[j];
                    const double between = n_a == 0 ? 0.0 : share * delta[i] * delta[j];
                    table.scatter[(c * cols + i) * cols + j] += (i == j ? std::fmax(0.0, within) : within) + between;
                }
            table.weight[c] += n_b;
        }
    }

  private:
    void add_row(const double* x, std::size_t c, double w, std::size_t row) {
        bool whole = true;
        for (std::size_t j = 0; j < x_.cols; ++j) whole &= std::isfinite(x[j]);
        if (!whole) {
            for (std::size_t j = 0; j < x_.cols; ++j)
                if (std::isinf(x[j])) throw InvalidInput{InvalidInput::Kind::infinite, row, j, x[j]};
            left_out_[c] += w;
            return;
        }
        double* pivot = pivot_.data() + c * width_;
        if (weight_[c] == 0) std::copy_n(x, x_.cols, pivot);
        weight_[c] += w;
        double* d = batch_.data() + (c * batch_rows_ + waiting_[c]) * width_;
        double* s1 = s1_.data() + c * width_;
        for (std::size_t j = 0; j < x_.cols; ++j) d[j] = x[j] - pivot[j];
        if (labels_.weighted) {
            double* wd = weighted_batch_.data() + (c * batch_rows_ + waiting_[c]) * width_;
            for (std::size_t j = 0; j < x_.cols; ++j) wd[j] = w * d[j];
            d = wd;
        }
        for (std::size_t j = 0; j < x_.cols; ++j) s1[j] += d[j];
        if (++waiting_[c] == batch_rows_) multiply(c);
    }

    void multiply(std::size_t c) {
        const std::size_t at = c * batch_rows_ * width_;
        const double* right = batch_.data() + at;
        const double* left = labels_.weighted ? weighted_batch_.data() + at : right;
        kernels().outer_products(left, right, waiting_[c], width_, products_.data() + c * width_ * width_);
        waiting_[c] = 0;
    }

    const Table& x_;
    const Labels& labels_;
    TileReader reader_;
    LabelBlock labels_block_;
    std::size_t width_, batch_rows_;
    std::vector<double> weight_, left_out_;
    Aligned pivot_, s1_, products_, batch_, weighted_batch_;
    std::vector<std::size_t> waiting_;
};

}  // namespace

ScatterTable scatter(const Table& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt) {
    const std::size_t classes = labels.classes, cols = x.cols;
    ScatterTable table;
    table.weight.resize(classes);
    table.left_out.resize(classes);
    table.mean.resize(classes * cols);
    table.mean_low.resize(classes * cols);
    table.scatter.resize(classes * cols * cols);

    // A merge costs classes × columns², so a block has several rows per class and column.
    const std::size_t block_rows = std::max<std::size_t>(4096, 4 * classes * padded(cols));
    struct Worker {
        std::size_t rows, block_rows;
        ScatterTable& table;
        Block block;
        void work(std::size_t unit, Checkpoint& checkpoint) {
            block.add_block(unit * block_rows, std::min(block_rows, rows - unit * block_rows), checkpoint);
        }
        void merge(std::size_t) { block.merge_into(table); }
    };
    run_in_order((x.rows + block_rows - 1) / block_rows, threads_for(x.rows * cols, threads), interrupt,
                 [&] { return Worker{x.rows, block_rows, table, Block(x, labels)}; });

    for (std::size_t c = 0; c < classes; ++c)
        for (std::size_t i = 0; i < cols; ++i)
            for (std::size_t j = i; j < cols; ++j) {
                const double s = table.scatter[(c * cols + i) * cols + j];
                if (!std::isfinite(s)) throw InvalidInput{InvalidInput::Kind::overflow, 0, j, s};
                table.scatter[(c * cols + j) * cols + i] = s;
            }
    return table;
}

}  // namespace suffice
