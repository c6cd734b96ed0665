// The moments of one strip of columns, one block of rows at a time. See suffice/moments.hpp for the formulas.
#pragma once

#include "aligned.hpp"
#include "blocks.hpp"
#include "moment.hpp"

namespace suffice {

inline constexpr std::size_t nearest_cache = std::size_t{1} << 15;  // bytes

struct CollectedMoments {
    std::size_t cols = 0;
    MomentTable table;

    void place(std::size_t first, const CollectedMoments& part) {
        place_columns(table.weight, cols, part.table.weight, part.cols, first);
        place_columns(table.mean, cols, part.table.mean, part.cols, first);
        place_columns(table.mean_low, cols, part.table.mean_low, part.cols, first);
        place_columns(table.dp, cols, part.table.dp, part.cols, first);
    }
    // Merges the cells of a part into columns first … of this table.
    void merge(std::size_t first, const CollectedMoments& part) {
        for (std::size_t k = 0; k < part.table.weight.size(); ++k)
            add(table, k / part.cols * cols + first + k % part.cols, cell_of(part.table, k));
    }
    void throw_if_overflown() const {
        for (std::size_t k = 0; k < table.dp.size(); ++k)
            if (!std::isfinite(table.dp[k] - table.mean[k])) throw InvalidInput{InvalidInput::Kind::overflow, 0, k % cols, table.dp[k]};
    }
};

// The block sums of one strip of columns, and their conversion to moments.
class MomentStrip {
  public:
    MomentStrip(const Table& x, const Labels& labels, std::size_t first_col, std::size_t cols)
        : x_(x), labels_(labels), reader_(x, first_col, cols), first_col_(first_col), cols_(cols), width_(padded(cols)),
          pivot_(labels.classes * width_), s1_(pivot_.size()), s2_(pivot_.size()), started_(labels.classes) {}

    void add_block(std::size_t first_row, std::size_t rows) {
        block_.read(labels_, first_row, rows);
        first_row_ = first_row;
        rows_ = rows;
        if (!masked_) {
            pass(false);
            if (first_flawed_column() == cols_) return;
            masked_ = true;  // the next block is likely to have missing cells too: start with the masked pass
            cell_weight_.resize(pivot_.size());
        }
        if (pass(true)) throw_if_infinite(x_, block_, first_row_, rows_, first_col_, cols_);
        if (const std::size_t j = first_flawed_column(); j < cols_)
            throw InvalidInput{InvalidInput::Kind::overflow, first_row_, first_col_ + j, 0};
    }

    void merge_into(CollectedMoments& to) const {
        for (std::size_t c = 0; c < labels_.classes; ++c)
            for (std::size_t j = 0; started_[c] && j < cols_; ++j) {
                const std::size_t k = c * width_ + j;
                const double weight = masked_ ? cell_weight_[k] : block_.class_weight()[c];
                add(to.table, c * to.cols + j, Moment::about(pivot_[k], weight, s1_[k], s2_[k]));
            }
    }

  private:
    bool pass(bool masked) {
        std::fill(started_.begin(), started_.end(), std::uint8_t{0});
        const MomentSums sums{pivot_.data(), s1_.data(), s2_.data(), cell_weight_.data(), started_.data(),
                              3 * pivot_.size() * sizeof(double) > nearest_cache};
        const Kernels& k = kernels();
        bool infinite = false;
        reader_.each(first_row_, rows_, [&](const double* x, std::size_t stride, std::size_t first, std::size_t rows) {
            const Tile tile = block_.tile(x, stride, first, rows, width_);
            if (masked) {
                infinite |= k.moments_masked(&tile, &sums);
            } else {
                k.moments_clean(&tile, &sums);
            }
        });
        return infinite;
    }

    // A missing or infinite cell, or an overflow, makes the sums of its column not finite.
    std::size_t first_flawed_column() const {
        for (std::size_t j = 0; j < cols_; ++j)
            for (std::size_t c = 0; c < labels_.classes; ++c)
                if (const std::size_t k = c * width_ + j; started_[c] && !std::isfinite(s1_[k] - s2_[k])) return j;
        return cols_;
    }

    const Table& x_;
    const Labels& labels_;
    TileReader reader_;
    LabelBlock block_;
    std::size_t first_col_, cols_, width_, first_row_ = 0, rows_ = 0;
    Aligned pivot_, s1_, s2_, cell_weight_;
    std::vector<std::uint8_t> started_;
    bool masked_ = false;
};

}  // namespace suffice
