// Level counts of coded columns. Each column has one slot more than levels: slot 0 counts the missing codes (−1), so
// that the inner loop has no branch for them, and is dropped from the result.
#include <limits>
#include <new>
#include <type_traits>

#include "blocks.hpp"
#include "suffice/counts.hpp"

namespace suffice {
namespace {

struct Slots {
    std::vector<std::size_t> first;  // the slot for missing codes of each column, then the end
    std::vector<std::uint64_t> levels;

    explicit Slots(std::span<const std::size_t> sizes) : first(1, 0), levels(sizes.begin(), sizes.end()) {
        for (const std::size_t size : sizes) first.push_back(first.back() + size + 1);
    }
};

struct Collected {
    const Slots* slots = nullptr;
    std::size_t width = 0;
    std::vector<double> values;  // classes × width

    void place(std::size_t first_col, const Collected& part) {
        place_columns(values, width, part.values, part.width, slots->first[first_col]);
    }
};

class Strip {
  public:
    Strip(const Table& x, const Labels& labels, const Slots& slots, std::size_t first_col, std::size_t cols)
        : labels_(labels), first_col_(first_col), cols_(cols),
          width_(slots.first[first_col + cols] - slots.first[first_col]) {
        if (width_ >= no_slot) throw std::bad_alloc();
        side_by_side_ = x.is_matrix() && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype));
        for (std::size_t j = 0; j < cols; ++j) {
            columns_.push_back(x.column(first_col + j));
            first_.push_back(static_cast<std::uint32_t>(slots.first[first_col + j] - slots.first[first_col]));
            levels_.push_back(slots.levels[first_col + j]);
        }
        if (labels.weighted) {
            weights_.resize(labels.classes * width_);
        } else {
            tally_size_ = (labels.classes + 1) * width_;
            copies_ = !side_by_side_ && tally_size_ <= small_tally ? 4 : 1;
            tallies_.resize(copies_ * tally_size_);
        }
    }

    void add_block(std::size_t first_row, std::size_t rows) {
        block_.read(labels_, first_row, rows);
        std::fill(weights_.begin(), weights_.end(), 0.0);
        std::fill(tallies_.begin(), tallies_.end(), 0u);
        if (labels_.weighted) {
            count_into(weights_.data(), first_row, rows);
        } else {
            count_into(tallies_.data(), first_row, rows);
        }
    }

    void merge_into(Collected& to) const {
        for (std::size_t k = 0; k < weights_.size(); ++k) to.values[k] += weights_[k];
        const std::size_t size = tallies_.empty() ? 0 : tally_size_ - width_;
        for (std::size_t copy = 0; copy < copies_; ++copy)
            for (std::size_t k = 0; k < size; ++k) to.values[k] += tallies_[copy * tally_size_ + k];
    }

  private:
    // A counter that has just been written cannot be read again for some cycles. Small tables of counters are therefore
    // kept in four copies that consecutive rows use in turn.
    static constexpr std::size_t small_tally = 2048;

    // Integer weights are counted in 32 bits, which a block cannot overflow: half the cache footprint, and no latency
    // of floating-point addition.
    template <class Count>
    void count_into(Count* counts, std::size_t first_row, std::size_t rows) {
        const std::size_t slots_at_once = side_by_side_ ? 512 : 4096;  // few rows ahead, or a long run of a column
        const std::size_t batch =
            side_by_side_ ? std::max<std::size_t>(1, slots_at_once / std::max<std::size_t>(cols_, 1)) : slots_at_once;
        buffer_.resize(side_by_side_ ? batch * cols_ : batch);
        for (std::size_t done = 0; done < rows && cols_ > 0; done += batch) {
            const std::size_t count = std::min(batch, rows - done);
            if (side_by_side_) {
                count_rows(counts, first_row + done, done, count);
            } else {
                if (std::is_same_v<Count, std::uint32_t> && tally_size_ < no_slot) find_rows_of_classes(done, count);
                for (std::size_t j = 0; j < cols_; ++j) count_column(counts, j, first_row + done, done, count);
            }
        }
    }
    // Where the counters of each row's class begin; excluded rows use counters after the last class, which are ignored.
    void find_rows_of_classes(std::size_t at, std::size_t rows) {
        const std::int32_t* codes = block_.codes() + at;
        const auto width = static_cast<std::uint32_t>(width_), none = static_cast<std::uint32_t>(labels_.classes);
        class_rows_.resize(rows);
        for (std::size_t r = 0; r < rows; ++r)
            class_rows_[r] = (codes[r] < 0 ? none : static_cast<std::uint32_t>(codes[r])) * width;
    }

    template <class Count>
    void count_rows(Count* counts, std::size_t row, std::size_t at, std::size_t rows) {
        const Column& first = columns_[0];
        if (kernels().row_slots(first.data + static_cast<std::ptrdiff_t>(row) * first.stride, first.dtype, first.stride,
                                rows, cols_, first_.data(), levels_.data(), buffer_.data()))
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t j = 0; j < cols_ && block_.codes()[at + r] >= 0; ++j)
                    if (buffer_[r * cols_ + j] == no_slot) throw invalid_level(j, row + r);
        const std::uint32_t* slots = buffer_.data();
        const std::size_t row_bytes = cols_ * size_of(first.dtype);
        for (std::size_t r = 0; r < rows; ++r, slots += cols_) {
            if (block_.codes()[at + r] < 0) continue;
            const auto w = static_cast<Count>(block_.weight(at + r));
            Count* to = counts + static_cast<std::size_t>(block_.codes()[at + r]) * width_;
            // Counting leaves the memory bus idle, so prefetch the next rows. Past the end of the data a prefetch has
            // no effect.
            const std::byte* ahead = first.data + static_cast<std::ptrdiff_t>(row + rows + r) * first.stride;
            for (std::size_t k = 0; k < row_bytes; k += 64) __builtin_prefetch(ahead + k);
            const std::size_t cols = cols_;
#pragma GCC unroll 8
            for (std::size_t j = 0; j < cols; ++j) to[slots[j]] += w;
        }
    }

    template <class Count>
    void count_column(Count* counts, std::size_t j, std::size_t row, std::size_t at, std::size_t rows) {
        const Column& column = columns_[j];
        const bool beyond =
            kernels().column_slots(column.data + static_cast<std::ptrdiff_t>(row) * column.stride, column.dtype,
                                   column.stride, rows, first_[j], levels_[j], buffer_.data());
        if (beyond)
            for (std::size_t r = 0; r < rows; ++r)
                if (block_.codes()[at + r] >= 0 && buffer_[r] == no_slot && valid(column, row + r))
                    throw invalid_level(j, row + r);
        // Hoisted, because a store to a counter could alias them.
        const std::int32_t* codes = block_.codes() + at;
        const double* weights = block_.weights() ? block_.weights() + at : nullptr;
        const std::uint32_t* slots = buffer_.data();
        const std::size_t width = width_;
        const bool whole = column.validity == nullptr;
        if constexpr (std::is_same_v<Count, std::uint32_t>)
            if (whole && !beyond && tally_size_ < no_slot) return count_whole(counts, rows);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < rows; ++r)
            if (codes[r] >= 0 && (whole || valid(column, row + r)))
                counts[static_cast<std::size_t>(codes[r]) * width + slots[r]] +=
                    weights ? static_cast<Count>(weights[r]) : Count{1};
    }

    void count_whole(std::uint32_t* counts, std::size_t rows) const {
        const std::uint32_t* slots = buffer_.data();
        const std::uint32_t* classes = class_rows_.data();
        const std::size_t apart = copies_ == 1 ? 0 : tally_size_;
        std::size_t r = 0;
        for (; r + 4 <= rows; r += 4)
            for (std::size_t k = 0; k < 4; ++k) ++counts[k * apart + classes[r + k] + slots[r + k]];
        for (; r < rows; ++r) ++counts[classes[r] + slots[r]];
    }

    static bool valid(const Column& column, std::size_t row) {
        if (column.validity == nullptr) return true;
        const std::size_t bit = column.validity_offset + row;
        return column.validity[bit / 8] >> (bit % 8) & 1;
    }

    InvalidInput invalid_level(std::size_t j, std::size_t row) const {
        double value;
        kernels().load_column(&columns_[j], row, 1, &value, 1);
        return {InvalidInput::Kind::level_out_of_range, row, first_col_ + j, value};
    }

    const Labels& labels_;
    std::size_t first_col_, cols_, width_;
    bool side_by_side_ = false;
    LabelBlock block_;
    std::vector<Column> columns_;
    std::size_t tally_size_ = 0, copies_ = 1;
    std::vector<std::uint32_t> first_, buffer_, class_rows_;
    std::vector<std::uint64_t> levels_;
    std::vector<double> weights_;
    std::vector<std::uint32_t> tallies_;
};

}  // namespace

std::vector<double> levels(const Table& x, const Labels& labels, std::span<const std::size_t> sizes,
                           std::size_t threads, const Interrupt& interrupt) {
    const Slots slots(sizes);
    const std::size_t total = slots.first.back(), per_column = x.cols == 0 ? 1 : total / x.cols;
    Collected all = collect<Strip, Collected>(
        x, labels.classes * per_column, threads, interrupt,
        [&](std::size_t first_col, std::size_t cols) { return Strip(x, labels, slots, first_col, cols); },
        [&](std::size_t first_col, std::size_t cols) {
            const std::size_t width = slots.first[first_col + cols] - slots.first[first_col];
            return Collected{&slots, width, std::vector<double>(labels.classes * width)};
        });
    std::vector<double> values;
    values.reserve(labels.classes * (total - x.cols));
    for (std::size_t c = 0; c < labels.classes; ++c)
        for (std::size_t j = 0; j < x.cols; ++j)
            values.insert(values.end(),
                          all.values.begin() + static_cast<std::ptrdiff_t>(c * total + slots.first[j] + 1),
                          all.values.begin() + static_cast<std::ptrdiff_t>(c * total + slots.first[j + 1]));
    return values;
}

}  // namespace suffice
