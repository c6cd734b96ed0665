#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const std::uint32_t> places, const Counted& by) {
    if (columns_ == 0) add_exact(places, by);
    else add_hashed(places, by);
}

void TokenShard::add_exact(std::span<const std::uint32_t> places, const Counted& by) {
    // Which tokens they are, then their counts: a wrong guess in one of the two does not undo the other.
    constexpr std::size_t ahead = 12;
    const std::size_t number = places.size();
    const std::span<const UnitCounts::Token> tokens = by.unit.tokens();
    tokens_.resize(number);
    for (std::size_t k = 0; k < number; ++k) {
        if (k + 2 * ahead < number) words_.prefetch(tokens[places[k + 2 * ahead]].hash);
        if (k + ahead < number) words_.prefetch_token(tokens[places[k + ahead]].hash);
        const UnitCounts::Token& found = tokens[places[k]];
        tokens_[k] = words_.of(by.unit.text(found).data(), found.length, found.hash);
    }
    for (std::size_t k = 0; k < number; ++k) {
        if (k + ahead < number) cells_.prefetch(words_[tokens_[k + ahead]].cell);
        const UnitCounts::Token& found = tokens[places[k]];
        TokenTable::Token& token = words_[tokens_[k]];
        const double documents = by.documents(found, token.row);
        token.row = found.last;
        if (token.code == UINT32_MAX) token.code = found.code;
        if (token.code == found.code) {
            token.count += found.count;
            token.documents += documents;
            continue;
        }
        // Documents of one class often follow each other: the cell is then the one of the last time.
        if (token.cell == UINT32_MAX || cells_[token.cell].code != found.code) token.cell = cells_.of(tokens_[k], found.code);
        cells_[token.cell].count += found.count;
        cells_[token.cell].documents += documents;
    }
}

void TokenShard::add_hashed(std::span<const std::uint32_t> places, const Counted& by) {
    for (const std::uint32_t place : places) {
        const UnitCounts::Token& found = by.unit.tokens()[place];
        const auto token = static_cast<std::uint32_t>(found.hash / token_shards);
        TokenCell& cell = cells_[cells_.of(token, found.code)];
        cell.count += found.count;
        cell.documents += by.documents(found, rows_[token]);
        rows_[token] = found.last;
    }
}

}  // namespace suffice
