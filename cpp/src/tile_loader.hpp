// Rows of a dense table as tiles of doubles: consecutive columns, each as long as the rows padded to whole lanes.
#pragma once

#include "aligned.hpp"
#include "needed_columns.hpp"
#include "suffice/kernels.hpp"
#include "suffice/rows.hpp"

namespace suffice {

class TileLoader {
  public:
    // `most`: the number of rows of the largest tile.
    TileLoader(const Table& x, const NeededColumns& needed, std::size_t most);

    // Loads the needed columns of consecutive rows. Rows of padding repeat the last row; their scores are ignored.
    // Returns false when a cell is not finite.
    bool load(std::size_t first, std::size_t rows);
    // The same for the rows at[first], at[first + 1], …, out of `all` rows that will be requested in this order.
    // Requires `reads_rows`.
    bool load(const std::size_t* at, std::size_t all, std::size_t first, std::size_t rows);

    const double* tile() const { return tile_.data(); }
    // Whether the cells of a row are contiguous and all of them are needed.
    bool reads_rows() const { return by_rows_; }

  private:
    template <bool consecutive, class RowAt>
    bool turn(RowAt&& row_at, std::size_t all, std::size_t first, std::size_t rows);
    // Prefetches a row.
    void ask_for(std::size_t r) const;
    const std::byte* row(std::size_t r) const { return x_.data + static_cast<std::ptrdiff_t>(r) * x_.row_stride; }

    const Table& x_;
    const NeededColumns& needed_;
    bool by_rows_, direct_;  // whether cells are contiguous; whether they are doubles as well
    std::size_t ahead_;      // distance in rows between reading and prefetching, 0 for no prefetch
    Aligned tile_, eight_;
};

}  // namespace suffice
