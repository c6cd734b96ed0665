#include "sparse.hpp"

#include <limits>
#include <numeric>

namespace suffice {
namespace {

std::int64_t index_at(const std::byte* data, Dtype type, std::size_t k) {
    if (type == Dtype::i32) {
        std::int32_t value;
        std::memcpy(&value, data + k * sizeof value, sizeof value);
        return value;
    }
    std::int64_t value;
    std::memcpy(&value, data + k * sizeof value, sizeof value);
    return value;
}

}  // namespace

SparseRows::SparseRows(const Csr& x) {
    starts_.reserve(x.rows + 1);
    std::size_t before = 0;
    for (std::size_t r = 0; r <= x.rows; ++r) {
        const std::int64_t start = index_at(x.starts, x.starts_type, r);
        if (start < 0 || static_cast<std::size_t>(start) < before || static_cast<std::size_t>(start) > x.stored ||
            (r == 0 && start != 0))
            throw InvalidInput{InvalidInput::Kind::bad_starts, r, 0, static_cast<double>(start)};
        before = static_cast<std::size_t>(start);
        starts_.push_back(before);
    }
}

SparsePass::SparsePass(const Csr& x, const Labels& labels) : rows_(x), class_weight_(labels.classes) {
    constexpr std::size_t block_rows = 65536;
    std::vector<std::int32_t> codes(x.rows);
    if (labels.weighted) weights_.resize(x.rows);
    LabelBlock block;
    for (std::size_t first = 0; first < x.rows; first += block_rows) {
        const std::size_t rows = std::min(block_rows, x.rows - first);
        block.read(labels, first, rows);
        std::copy_n(block.codes(), rows, codes.begin() + static_cast<std::ptrdiff_t>(first));
        for (std::size_t r = 0; r < rows && labels.weighted; ++r) weights_[first + r] = block.weight(r);
        for (std::size_t c = 0; c < labels.classes; ++c) class_weight_[c] += block.class_weight()[c];
    }
    for (std::size_t c = 0; c < labels.classes; ++c)
        if (!std::isfinite(class_weight_[c]))
            throw InvalidInput{InvalidInput::Kind::weight_overflow, 0, c, class_weight_[c]};

    std::vector<std::size_t> next(labels.classes + 1);
    for (const std::int32_t code : codes)
        if (code >= 0) ++next[static_cast<std::size_t>(code) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    order_.resize(next.back());
    const std::vector<std::size_t> class_start = next;
    for (std::size_t r = 0; r < x.rows; ++r)
        if (codes[r] >= 0) order_[next[static_cast<std::size_t>(codes[r])]++] = r;

    const std::size_t unit_cells = std::max<std::size_t>(std::size_t{1} << 20, 8 * x.cols);
    for (std::size_t c = 0; c < labels.classes; ++c) {
        const std::size_t units_before = units_.size();
        std::size_t first = class_start[c], cells = 0;
        for (std::size_t p = first; p < class_start[c + 1]; ++p) {
            cells += rows_.start(order_[p] + 1) - rows_.start(order_[p]);
            if (cells >= unit_cells || p + 1 == class_start[c + 1]) {
                units_.push_back({c, first, p + 1, false});
                first = p + 1;
                cells = 0;
            }
        }
        if (units_.size() == units_before + 1) units_.back().only = true;
    }
}

void SparseRow::prefetch(const SparseRows& rows, std::size_t row) const {
    constexpr std::size_t line = 64, most = 16;  // the hardware prefetches the rest of a longer row
    const std::size_t begin = rows.start(row), count = rows.start(row + 1) - begin;
    const auto ask = [&](const std::byte* from, std::size_t size) {
        const std::size_t bytes = std::min(count * size, most * line);
        for (std::size_t at = 0; at < bytes; at += line) __builtin_prefetch(from + begin * size + at, 0, 0);
    };
    ask(x_.indices, size_of(x_.indices_type));
    ask(x_.values, size_of(x_.dtype));
}

void SparseRow::read(const SparseRows& rows, std::size_t row) {
    const std::size_t begin = rows.start(row), count = rows.start(row + 1) - begin;
    columns_.resize(count);
    values_.resize(count);
    if (count == 0) return;
    const bool increasing =
        x_.indices_type == Dtype::i32 ? read_columns<std::int32_t>(begin, row) : read_columns<std::int64_t>(begin, row);
    const auto size = static_cast<std::ptrdiff_t>(size_of(x_.dtype));
    const Column values{x_.values + static_cast<std::ptrdiff_t>(begin) * size, x_.dtype, size};
    kernels().load_column(&values, 0, count, values_.data(), 1);
    bool finite = true;
    for (std::size_t k = 0; k < count; ++k) finite &= !(std::fabs(values_[k]) > std::numeric_limits<double>::max());
    for (std::size_t k = 0; k < count && !finite; ++k)
        if (std::isinf(values_[k])) throw InvalidInput{InvalidInput::Kind::infinite, row, columns_[k], values_[k]};
    if (!increasing) merge_duplicates();
}

// Whether the columns are strictly increasing.
template <class Index>
bool SparseRow::read_columns(std::size_t begin, std::size_t row) {
    const std::byte* from = x_.indices + begin * sizeof(Index);
    const std::size_t count = columns_.size(), cols = x_.cols;
    std::size_t* to = columns_.data();
    bool increasing = true, sound = true;
    std::size_t before = 0;
    for (std::size_t k = 0; k < count; ++k) {
        Index column;
        std::memcpy(&column, from + k * sizeof(Index), sizeof(Index));
        const auto at = static_cast<std::size_t>(column);  // a negative column becomes too large
        sound &= at < cols;
        increasing &= k == 0 || at > before;
        before = at;
        to[k] = at;
    }
    for (std::size_t k = 0; k < count && !sound; ++k)
        if (to[k] >= cols)
            throw InvalidInput{InvalidInput::Kind::bad_index, row, k,
                               static_cast<double>(static_cast<std::int64_t>(to[k]))};
    return increasing;
}

void SparseRow::merge_duplicates() {
    by_column_.resize(columns_.size());
    std::iota(by_column_.begin(), by_column_.end(), std::size_t{0});
    std::stable_sort(by_column_.begin(), by_column_.end(),
                     [&](std::size_t a, std::size_t b) { return columns_[a] < columns_[b]; });
    std::vector<std::size_t> columns;
    std::vector<double> values;
    for (const std::size_t k : by_column_) {
        if (!columns.empty() && columns.back() == columns_[k]) {
            values.back() += values_[k];
        } else {
            columns.push_back(columns_[k]);
            values.push_back(values_[k]);
        }
    }
    columns_.swap(columns);
    values_.swap(values);
}

}  // namespace suffice
