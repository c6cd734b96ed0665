#include "blocks.hpp"

#include <cstring>

namespace suffice {
namespace {

template <class T>
T at(const Column& column, std::size_t row) {
    T value;
    std::memcpy(&value, column.data + static_cast<std::ptrdiff_t>(row) * column.stride, sizeof(T));
    return value;
}

// A boolean byte other than 0 and 1 (a view of raw bytes) is true, as in NumPy.
struct Truth {
    std::uint8_t byte;
    explicit operator std::uint64_t() const { return byte != 0; }
    explicit operator double() const { return byte != 0; }
    explicit operator std::int32_t() const { return byte != 0; }
};

// Finds the first code that is neither −1 nor a class. Slow, for error messages only.
template <class T>
void refuse_codes(const Labels& labels, std::size_t first_row, std::size_t rows) {
    for (std::size_t r = first_row; r < first_row + rows; ++r) {
        const T code = at<T>(labels.codes, r);
        if constexpr (std::numeric_limits<T>::is_signed)
            if (code == T{-1}) continue;
        // A negative code becomes a huge unsigned one.
        if (static_cast<std::uint64_t>(code) >= labels.classes)
            throw InvalidInput{InvalidInput::Kind::class_out_of_range, r, 0, static_cast<double>(code)};
    }
}

}  // namespace

void LabelBlock::read(const Labels& labels, std::size_t first_row, std::size_t rows) {
    codes_.resize(rows);
    // column_slots writes first + 1 + code; with first = −1 that is the code itself.
    const std::byte* start = labels.codes.data + static_cast<std::ptrdiff_t>(first_row) * labels.codes.stride;
    if (kernels().column_slots(start, labels.codes.dtype, labels.codes.stride, rows, static_cast<std::uint32_t>(-1),
                               labels.classes, reinterpret_cast<std::uint32_t*>(codes_.data())))
        switch (labels.codes.dtype) {
            case Dtype::i8: refuse_codes<std::int8_t>(labels, first_row, rows); break;
            case Dtype::i16: refuse_codes<std::int16_t>(labels, first_row, rows); break;
            case Dtype::i32: refuse_codes<std::int32_t>(labels, first_row, rows); break;
            case Dtype::i64: refuse_codes<std::int64_t>(labels, first_row, rows); break;
            case Dtype::u16: refuse_codes<std::uint16_t>(labels, first_row, rows); break;
            case Dtype::u32: refuse_codes<std::uint32_t>(labels, first_row, rows); break;
            case Dtype::u64: refuse_codes<std::uint64_t>(labels, first_row, rows); break;
            case Dtype::boolean: refuse_codes<Truth>(labels, first_row, rows); break;
            default: refuse_codes<std::uint8_t>(labels, first_row, rows); break;
        }
    class_weight_.assign(labels.classes, 0.0);
    weighted_ = labels.weighted;
    if (!weighted_) {
        count_rows(labels.classes);
        return;
    }
    weights_.resize(rows);
    kernels().load_column(&labels.weights, first_row, rows, weights_.data(), 1);
    for (std::size_t r = 0; r < rows; ++r) {
        const double w = weights_[r];
        if (!(w >= 0 && w <= std::numeric_limits<double>::max()))
            throw InvalidInput{InvalidInput::Kind::bad_weight, first_row + r, 0, w};
        if (w == 0) codes_[r] = -1;
        if (codes_[r] >= 0) class_weight_[static_cast<std::size_t>(codes_[r])] += w;
    }
    for (std::size_t c = 0; c < labels.classes; ++c)
        if (!std::isfinite(class_weight_[c]))
            throw InvalidInput{InvalidInput::Kind::weight_overflow, first_row, c, class_weight_[c]};
}

// Four counters per class are used in rotation: a single counter would wait for its previous addition when a class
// repeats.
void LabelBlock::count_rows(std::size_t classes) {
    constexpr std::size_t turns = 4;
    counters_.assign(turns * (classes + 1), 0);
    std::uint32_t* const counters = counters_.data() + 1;  // −1 is counted too, before the first class
    std::size_t r = 0;
    for (; r + turns <= codes_.size(); r += turns)
        for (std::size_t k = 0; k < turns; ++k)
            ++counters[static_cast<std::ptrdiff_t>(k * (classes + 1)) + codes_[r + k]];
    for (; r < codes_.size(); ++r) ++counters[codes_[r]];
    for (std::size_t k = 0; k < turns; ++k)
        for (std::size_t c = 0; c < classes; ++c) class_weight_[c] += counters[k * (classes + 1) + c];
}

TileReader::TileReader(const Table& x, std::size_t first_col, std::size_t cols)
    : x_(x), first_col_(first_col), cols_(cols), stride_(padded(cols)) {
    // Half of a first-level cache; more for separate columns, so that a run of each is long enough to stream.
    const bool side_by_side = x.is_matrix() && x.col_stride == static_cast<std::ptrdiff_t>(size_of(x.dtype));
    const std::size_t tile_bytes = side_by_side ? 16384 : 131072;
    tile_rows_ = std::max<std::size_t>(8, tile_bytes / (std::max(stride_, lanes) * sizeof(double)));
    if (x.is_matrix() && x.rows > 0 && x.cols > 0) {
        base_ = x.data + static_cast<std::ptrdiff_t>(first_col) * x.col_stride;
        const auto row_bytes = static_cast<std::ptrdiff_t>(x.cols * sizeof(double));
        direct_ = x.dtype == Dtype::f64 && x.col_stride == 8 && x.row_stride >= row_bytes && x.row_stride % 8 == 0 &&
                  reinterpret_cast<std::uintptr_t>(x.data) % alignof(double) == 0;
    }
    if (direct_) {
        // The last lanes of a row extend into the next row, which is harmless except at the end of the matrix.
        const std::size_t row_doubles = static_cast<std::size_t>(x.row_stride) / sizeof(double);
        // Number of doubles from the first cell to the last
        const std::size_t end = (x.rows - 1) * row_doubles + x.cols;
        const std::size_t reach = first_col + stride_;
        direct_rows_ = end >= reach ? std::min(x.rows, (end - reach) / row_doubles + 1) : 0;
    }
}

void TileReader::load(std::size_t first_row, std::size_t rows) {
    if (buffer_.empty()) buffer_.assign(tile_rows_ * stride_, 0.0);
    const Kernels& k = kernels();
    if (x_.is_matrix() && x_.col_stride == static_cast<std::ptrdiff_t>(size_of(x_.dtype))) {
        k.load_rows(base_ + static_cast<std::ptrdiff_t>(first_row) * x_.row_stride, x_.dtype, x_.row_stride, rows,
                    cols_, buffer_.data(), stride_);
        return;
    }
    for (std::size_t j = 0; j < cols_; j += lanes) {
        Column eight[lanes];
        const std::size_t number = std::min(lanes, cols_ - j);
        for (std::size_t i = 0; i < number; ++i) eight[i] = x_.column(first_col_ + j + i);
        k.load_eight_columns(eight, number, first_row, rows, buffer_.data() + j, stride_);
    }
}

}  // namespace suffice
