// Rows of a dense table as tiles of doubles: columns one after the other, each as long as the rows padded to whole lanes.
#pragma once

#include "aligned.hpp"
#include "needed_columns.hpp"
#include "suffice/kernels.hpp"
#include "suffice/rows.hpp"

namespace suffice {

class TileLoader {
  public:
    // `most`: rows of the largest tile.
    TileLoader(const Table& x, const NeededColumns& needed, std::size_t most);

    // The needed columns of some rows. Rows beyond the last repeat it; nobody looks at their scores. False when a cell is
    // not finite.
    bool load(std::size_t first, std::size_t rows);
    // The same of rows that stand anywhere: those that at[first], at[first + 1], … name, of `all` that will be asked for in
    // this order. Only where `reads_rows`.
    bool load(const std::size_t* at, std::size_t all, std::size_t first, std::size_t rows);

    const double* tile() const { return tile_.data(); }
    // Whether the cells of a row lie side by side and all are needed.
    bool reads_rows() const { return by_rows_; }

  private:
    template <bool consecutive, class RowAt>
    bool turn(RowAt&& row_at, std::size_t all, std::size_t first, std::size_t rows);
    // Asks for the memory of a row.
    void ask_for(std::size_t r) const;
    const std::byte* row(std::size_t r) const { return x_.data + static_cast<std::ptrdiff_t>(r) * x_.row_stride; }

    const Table& x_;
    const NeededColumns& needed_;
    bool by_rows_, direct_;  // whether they lie so; whether they are doubles too
    std::size_t ahead_;      // rows between those that are read and those that are asked for, 0 not to ask
    Aligned tile_, eight_;
};

}  // namespace suffice
