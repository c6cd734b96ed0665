#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const Occurrence> found, const Counted& by) {
    if (columns_ == 0) add_exact(found, by);
    else add_hashed(found, by);
}

void TokenShard::add_exact(std::span<const Occurrence> found, const Counted& by) {
    // First which tokens they are, then their counts: a wrong guess in one of the two does not undo the other.
    constexpr std::size_t ahead = 16;
    const std::size_t number = found.size();
    tokens_.resize(number);
    for (std::size_t k = 0; k < number; ++k) {
        if (k + 2 * ahead < number) words_.prefetch(found[k + 2 * ahead].hash);
        if (k + ahead < number) words_.prefetch_token(found[k + ahead].hash);
        tokens_[k] = words_.of(by.bytes + found[k].start, found[k].length, found[k].hash);
    }
    for (std::size_t k = 0; k < number; ++k) {
        if (k + ahead < number) {
            const TokenTable::Token& soon = words_[tokens_[k + ahead]];
            if (soon.cell != UINT32_MAX) __builtin_prefetch(&cells_[soon.cell]);
        }
        count(words_[tokens_[k]], tokens_[k], found[k], by, k);
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
    const auto code = static_cast<std::uint32_t>(by.codes[each.row]);
    // Documents of one class often follow each other: the cell is then the one of the last time.
    if (last.cell == UINT32_MAX || cells_[last.cell].code != code) last.cell = cells_.of(token, code);
    TokenCell& cell = cells_[last.cell];
    cell.documents += last.row == each.row ? 0.0 : weight;
    cell.count += by.values.empty() ? weight : weight * by.values[at];
    last.row = each.row;
}

}  // namespace suffice
