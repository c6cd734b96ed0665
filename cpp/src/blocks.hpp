// How a pass over dense rows is divided into units, and how a block of rows is read.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "aligned.hpp"
#include "suffice/kernels.hpp"
#include "suffice/parallel.hpp"
#include "suffice/rows.hpp"

namespace suffice {

// If classes × columns is small, units are blocks of rows and their accumulators are merged in order. If it is large,
// units are strips of columns: each thread owns a range of the output and reads all blocks. The division depends on the
// shape only.
struct Cut {
    std::size_t rows, block_rows, blocks, strip_width, strips;
    bool by_rows;

    std::size_t units() const { return by_rows ? blocks : strips; }
    std::size_t rows_from(std::size_t first) const { return std::min(block_rows, rows - first); }
};

inline Cut cut(std::size_t rows, std::size_t cols, std::size_t classes) {
    constexpr std::size_t cells_in_cache = std::size_t{1} << 17;
    classes = std::max<std::size_t>(classes, 1);
    Cut c;
    c.rows = rows;
    // Merging a block costs classes × columns and is serial, so blocks are long when there are enough rows to share. A
    // block has fewer than 2³² rows, so that 32-bit counters suffice.
    const std::size_t shortest = std::clamp<std::size_t>(64 * classes, 4096, std::size_t{1} << 31);
    c.block_rows = std::clamp(std::min(512 * classes, rows / 16), shortest, std::size_t{1} << 31);
    c.blocks = (rows + c.block_rows - 1) / c.block_rows;
    c.by_rows = cols <= cells_in_cache / classes;
    if (c.by_rows) {
        c.strip_width = cols;
    } else {
        const std::size_t widest = std::max<std::size_t>(64, cells_in_cache / classes / lanes * lanes);
        c.strip_width = std::clamp(padded(cols / 16), lanes, widest);
    }
    c.strips = cols == 0 ? 0 : (cols + c.strip_width - 1) / c.strip_width;
    return c;
}

// The class codes and weights of a block of rows, validated. An excluded row has code −1.
class LabelBlock {
  public:
    void read(const Labels& labels, std::size_t first_row, std::size_t rows);

    const std::int32_t* codes() const { return codes_.data(); }
    const double* weights() const { return weighted_ ? weights_.data() : nullptr; }
    double weight(std::size_t r) const { return weighted_ ? weights_[r] : 1.0; }
    Tile tile(const double* x, std::size_t stride, std::size_t first, std::size_t rows, std::size_t width) const {
        return {x, stride, rows, width, codes_.data() + first, weighted_ ? weights_.data() + first : nullptr};
    }
    // Σ w of each class in the block.
    const std::vector<double>& class_weight() const { return class_weight_; }

  private:
    void count_rows(std::size_t classes);

    std::vector<std::int32_t> codes_;
    std::vector<std::uint32_t> counters_;
    std::vector<double> weights_, class_weight_;
    bool weighted_ = false;
};

// Rows of a table as tiles of doubles. A matrix of contiguous float64 rows is read in place; everything else is
// converted to doubles one small tile at a time.
class TileReader {
  public:
    TileReader(const Table& x, std::size_t first_col, std::size_t cols);

    // Calls use(x, stride, first, rows) for consecutive tiles that cover rows first_row … first_row + rows − 1; `first`
    // counts from first_row. Lanes beyond `cols` may be read and hold arbitrary values.
    template <class Use>
    void each(std::size_t first_row, std::size_t rows, Use&& use) {
        std::size_t done = 0;
        if (direct_) {
            const std::size_t safe = first_row < direct_rows_ ? std::min(rows, direct_rows_ - first_row) : 0;
            if (safe > 0)
                use(reinterpret_cast<const double*>(base_ + static_cast<std::ptrdiff_t>(first_row) * x_.row_stride),
                    static_cast<std::size_t>(x_.row_stride) / sizeof(double), std::size_t{0}, safe);
            done = safe;
        }
        while (done < rows) {
            const std::size_t count = std::min(tile_rows_, rows - done);
            load(first_row + done, count);
            use(static_cast<const double*>(buffer_.data()), stride_, done, count);
            done += count;
        }
    }

  private:
    void load(std::size_t first_row, std::size_t rows);

    const Table& x_;
    std::size_t first_col_, cols_, stride_, tile_rows_;
    const std::byte* base_ = nullptr;
    bool direct_ = false;
    std::size_t direct_rows_ = 0;  // rows whose last lanes stay inside the matrix
    Aligned buffer_;
};

// Reads all blocks of a table and collects one statistic.
//
// Strip: constructed from (first column, columns); add_block(first row, rows) computes the sums of one block and
//        merge_into(table) adds them to a table as wide as the strip.
// Table: a table of `cols` columns; place(first column, strip's table) copies a finished strip into it.
template <class Strip, class Collected, class MakeStrip, class MakeTable>
Collected collect(const Table& x, std::size_t classes, std::size_t threads, const Interrupt& interrupt,
                  MakeStrip&& make_strip, MakeTable&& make_table) {
    const Cut c = cut(x.rows, x.cols, classes);
    threads = threads_for(x.rows * x.cols, threads);
    Collected whole = make_table(std::size_t{0}, x.cols);

    struct ByRows {
        const Cut& c;
        Collected& whole;
        Strip strip;
        void work(std::size_t unit, Checkpoint&) {
            strip.add_block(unit * c.block_rows, c.rows_from(unit * c.block_rows));
        }
        void merge(std::size_t) { strip.merge_into(whole); }
    };
    struct ByStrips {
        const Cut& c;
        Collected& whole;
        const Table& x;
        MakeStrip& make_strip;
        MakeTable& make_table;
        Collected part;
        void work(std::size_t unit, Checkpoint& checkpoint) {
            const std::size_t first_col = unit * c.strip_width, cols = std::min(c.strip_width, x.cols - first_col);
            Strip strip = make_strip(first_col, cols);
            part = make_table(first_col, cols);
            for (std::size_t first = 0; first < x.rows; first += c.block_rows) {
                checkpoint();
                strip.add_block(first, c.rows_from(first));
                strip.merge_into(part);
            }
        }
        void merge(std::size_t unit) { whole.place(unit * c.strip_width, part); }
    };
    if (c.by_rows) {
        run_in_order(c.units(), threads, interrupt,
                     [&] { return ByRows{c, whole, make_strip(std::size_t{0}, x.cols)}; });
    } else {
        run_in_order(c.units(), threads, interrupt, [&] { return ByStrips{c, whole, x, make_strip, make_table, {}}; });
    }
    return whole;
}

// Copies a classes × part_cols array into columns first … of a classes × cols one.
template <class Values>
void place_columns(Values& whole, std::size_t cols, const Values& part, std::size_t part_cols, std::size_t first) {
    for (std::size_t c = 0; c * cols < whole.size(); ++c)
        std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(c * part_cols), part_cols,
                    whole.begin() + static_cast<std::ptrdiff_t>(c * cols + first));
}

// The first cell of a block, in row order, that satisfies `matches`. Slow, for error messages only.
template <class Predicate>
InvalidInput find_invalid(const Table& x, const LabelBlock& labels, std::size_t first_row, std::size_t rows,
                          std::size_t first_col, std::size_t cols, InvalidInput::Kind kind, Predicate&& matches) {
    TileReader reader(x, first_col, cols);
    InvalidInput invalid{kind, first_row, first_col, 0};
    bool found = false;
    reader.each(first_row, rows, [&](const double* tile, std::size_t stride, std::size_t first, std::size_t count) {
        for (std::size_t r = 0; r < count && !found; ++r)
            for (std::size_t j = 0; j < cols && !found && labels.codes()[first + r] >= 0; ++j)
                if (matches(tile[r * stride + j])) {
                    invalid = {kind, first_row + first + r, first_col + j, tile[r * stride + j]};
                    found = true;
                }
    });
    return invalid;
}

// A kernel also reads the padding, so an infinity counts only if it is in a real cell.
inline void throw_if_infinite(const Table& x, const LabelBlock& labels, std::size_t first_row, std::size_t rows,
                              std::size_t first_col, std::size_t cols) {
    const InvalidInput invalid = find_invalid(x, labels, first_row, rows, first_col, cols, InvalidInput::Kind::infinite,
                                              [](double v) { return std::isinf(v); });
    if (std::isinf(invalid.value)) throw invalid;
}

}  // namespace suffice
