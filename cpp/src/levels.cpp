// Level counts of coded columns. Each column has one slot more than levels: slot 0 takes the missing codes (−1),
// so that the inner loop has no branch for them, and is left behind when the result is handed over.
#include <limits>
#include <numeric>

#include "blocks.hpp"
#include "suffice/counts.hpp"

namespace suffice {
namespace {

struct Slots {
    std::vector<std::size_t> first;  // the missing slot of each column, and the end
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
        side_by_side_ = x.is_matrix() && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype));
        for (std::size_t j = 0; j < cols; ++j) {
            columns_.push_back(x.column(first_col + j));
            slots_.push_back({slots.first[first_col + j] - slots.first[first_col], slots.levels[first_col + j]});
        }
        if (labels.weighted) {
            weights_.resize(labels.classes * width_);
        } else {
            tallies_.resize(labels.classes * width_);
        }
    }

    void add_block(std::size_t first_row, std::size_t rows) {
        block_.read(labels_, first_row, rows);
        std::fill(weights_.begin(), weights_.end(), 0.0);
        std::fill(tallies_.begin(), tallies_.end(), 0u);
        // columns of one type are counted together: one pass over the rows for each run of them
        for (std::size_t j = 0; j < cols_;) {
            std::size_t end = j;
            while (end < cols_ && columns_[end].dtype == columns_[j].dtype) ++end;
            switch (columns_[j].dtype) {
                case Dtype::i8: count<std::int8_t>(first_row, rows, j, end); break;
                case Dtype::i16: count<std::int16_t>(first_row, rows, j, end); break;
                case Dtype::i32: count<std::int32_t>(first_row, rows, j, end); break;
                case Dtype::i64: count<std::int64_t>(first_row, rows, j, end); break;
                case Dtype::u16: count<std::uint16_t>(first_row, rows, j, end); break;
                case Dtype::u32: count<std::uint32_t>(first_row, rows, j, end); break;
                case Dtype::u64: count<std::uint64_t>(first_row, rows, j, end); break;
                default: count<std::uint8_t>(first_row, rows, j, end); break;  // u8, bool; the door refuses floats
            }
            j = end;
        }
    }

    void merge_into(Collected& to) const {
        for (std::size_t k = 0; k < weights_.size(); ++k) to.values[k] += weights_[k];
        for (std::size_t k = 0; k < tallies_.size(); ++k) to.values[k] += tallies_[k];
    }

  private:
    struct Slot {
        std::uint64_t first, levels;
    };

    template <class T>
    void count(std::size_t first_row, std::size_t rows, std::size_t begin, std::size_t end) {
        if (labels_.weighted) {
            count_into<T>(weights_.data(), first_row, rows, begin, end);
        } else {
            count_into<T>(tallies_.data(), first_row, rows, begin, end);
        }
    }

    // Whole numbers are counted in 32 bits, which a block cannot overflow: half the cache, and no latency of addition.
    template <class T, class Count>
    void count_into(Count* counts, std::size_t first_row, std::size_t rows, std::size_t begin, std::size_t end) const {
        typedef T __attribute__((aligned(1), may_alias)) Unaligned;
        const Slot* slots = slots_.data();
        const Column* columns = columns_.data();
        for (std::size_t r = 0; r < rows; ++r) {
            if (block_.codes()[r] < 0) continue;
            const auto w = static_cast<Count>(block_.weight(r));
            Count* to = counts + static_cast<std::size_t>(block_.codes()[r]) * width_;
            const auto row = static_cast<std::ptrdiff_t>(first_row + r);
            if (side_by_side_) {
                const auto* codes = reinterpret_cast<const Unaligned*>(columns[0].data + row * columns[0].stride);
                for (std::size_t j = begin; j < end; ++j) {
                    const std::uint64_t k = slot_of<T>(codes[j]);
                    if (k > slots[j].levels) [[unlikely]] throw flaw<T>(codes[j], first_row + r, j);
                    to[slots[j].first + k] += w;
                }
            } else {
                for (std::size_t j = begin; j < end; ++j) {
                    if (columns[j].validity != nullptr && !valid(columns[j], first_row + r)) continue;
                    const T code = *reinterpret_cast<const Unaligned*>(columns[j].data + row * columns[j].stride);
                    const std::uint64_t k = slot_of<T>(code);
                    if (k > slots[j].levels) [[unlikely]] throw flaw<T>(code, first_row + r, j);
                    to[slots[j].first + k] += w;
                }
            }
        }
    }

    static bool valid(const Column& column, std::size_t row) {
        const std::size_t bit = column.validity_offset + row;
        return column.validity[bit / 8] >> (bit % 8) & 1;
    }

    // −1 → 0, k → k + 1, and a number beyond every level for what is neither.
    template <class T>
    static std::uint64_t slot_of(T code) {
        if constexpr (std::numeric_limits<T>::is_signed) return static_cast<std::uint64_t>(static_cast<std::int64_t>(code)) + 1;
        if (sizeof(T) == 8 && code == std::numeric_limits<T>::max()) return std::numeric_limits<std::uint64_t>::max();
        return static_cast<std::uint64_t>(code) + 1;
    }

    template <class T>
    Flaw flaw(T code, std::size_t row, std::size_t column) const {
        return {Flaw::Kind::level_out_of_range, row, first_col_ + column, static_cast<double>(code)};
    }

    const Labels& labels_;
    std::size_t first_col_, cols_, width_;
    bool side_by_side_ = false;
    LabelBlock block_;
    std::vector<Column> columns_;
    std::vector<Slot> slots_;
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
            values.insert(values.end(), all.values.begin() + static_cast<std::ptrdiff_t>(c * total + slots.first[j] + 1),
                          all.values.begin() + static_cast<std::ptrdiff_t>(c * total + slots.first[j + 1]));
    return values;
}

}  // namespace suffice
