#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const Occurrence> found, const Counted& by) {
    if (columns_ == 0) add_exact(found, by);
    else add_hashed(found, by);
}

void TokenShard::add_exact(std::span<const Occurrence> found, const Counted& by) {
    // Which tokens they are, then their counts: a wrong guess in one of the two does not undo the other.
    constexpr std::size_t ahead = 12;
    const std::size_t number = found.size();
    tokens_.resize(number);
    for (std::size_t k = 0; k < number; ++k) {
        if (k + 2 * ahead < number) words_.prefetch(found[k + 2 * ahead].hash);
        if (k + ahead < number) words_.prefetch_token(found[k + ahead].hash);
        tokens_[k] = words_.of(by.bytes + found[k].start, found[k].length, found[k].hash);
    }
    for (std::size_t k = 0; k < number; ++k) {
        if (k + ahead < number) cells_.prefetch(words_[tokens_[k + ahead]].cell);
        TokenTable::Token& token = words_[tokens_[k]];
        const std::uint32_t row = found[k].row;
        const auto code = static_cast<std::uint32_t>(by.codes[row]);
        const double weight = by.weights == nullptr ? 1.0 : by.weights[row];
        const double value = by.values.empty() ? weight : weight * by.values[k];
        const double present = token.row == row ? 0.0 : weight;
        token.row = row;
        if (token.code == UINT32_MAX) token.code = code;
        if (token.code == code) {
            token.count += value;
            token.documents += present;
            continue;
        }
        // Documents of one class often follow each other: the cell is then the one of the last time.
        if (token.cell == UINT32_MAX || cells_[token.cell].code != code) token.cell = cells_.of(tokens_[k], code);
        TokenCell& cell = cells_[token.cell];
        cell.count += value;
        cell.documents += present;
    }
}

void TokenShard::add_hashed(std::span<const Occurrence> found, const Counted& by) {
    for (std::size_t k = 0; k < found.size(); ++k) {
        const auto token = static_cast<std::uint32_t>((found[k].hash & (columns_ - 1)) / token_shards);
        const std::uint32_t row = found[k].row;
        const double weight = by.weights == nullptr ? 1.0 : by.weights[row];
        Mark& mark = marks_[token];
        if (mark.row != row) {
            mark = {row, cells_.of(token, static_cast<std::uint32_t>(by.codes[row]))};
            cells_[mark.cell].documents += weight;
        }
        cells_[mark.cell].count += by.values.empty() ? weight : weight * by.values[k];
    }
}

}  // namespace suffice
