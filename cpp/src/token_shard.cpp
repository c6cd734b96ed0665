#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const Occurrence> found, const Counted& by) {
    if (columns_ == 0) add_exact(found, by);
    else add_hashed(found, by);
}

void TokenShard::add_exact(std::span<const Occurrence> found, const Counted& by) {
    constexpr std::size_t slots_ahead = 16, tokens_ahead = 8;
    for (std::size_t k = 0; k < found.size(); ++k) {
        if (k + slots_ahead < found.size()) words_.prefetch(found[k + slots_ahead].hash);
        if (k + tokens_ahead < found.size()) words_.prefetch_token(found[k + tokens_ahead].hash);
        const Occurrence& each = found[k];
        const std::uint32_t token = words_.of(by.bytes + each.start, each.length, each.hash);
        count(words_[token], token, each, by, k);
    }
}

void TokenShard::add_hashed(std::span<const Occurrence> found, const Counted& by) {
    for (std::size_t k = 0; k < found.size(); ++k) {
        const auto token = static_cast<std::uint32_t>((found[k].hash & (columns_ - 1)) / token_shards);
        count(marks_[token], token, found[k], by, k);
    }
}

template <class Last>
void TokenShard::count(Last& last, std::uint32_t token, const Occurrence& each, const Counted& by, std::size_t at) {
    const double weight = by.weights == nullptr ? 1.0 : by.weights[each.row];
    if (last.row != each.row) {
        const auto code = static_cast<std::uint32_t>(by.codes[each.row]);
        // Documents of one class often follow each other: the cell is then the one of the last time.
        if (last.cell == UINT32_MAX || cells_[last.cell].code != code) last.cell = cells_.of(token, code);
        last.row = each.row;
        cells_[last.cell].documents += weight;
    }
    cells_[last.cell].count += by.values.empty() ? weight : weight * by.values[at];
}

}  // namespace suffice
