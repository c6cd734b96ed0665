#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const std::uint32_t> places, const UnitCounts& unit, const double* weights) {
    // Which tokens they are, then their counts: a wrong guess in one of the two does not undo the other.
    constexpr std::size_t ahead = 12;
    const std::size_t number = places.size();
    const std::span<const UnitCounts::Token> tokens = unit.tokens();
    tokens_.resize(number);
    for (std::size_t k = 0; k < number; ++k) {
        if (k + 2 * ahead < number) words_.prefetch(tokens[places[k + 2 * ahead]].hash);
        if (k + ahead < number) words_.prefetch_token(tokens[places[k + ahead]].hash);
        const UnitCounts::Token& found = tokens[places[k]];
        tokens_[k] = words_.of(unit.text(found).data(), found.length, found.hash);
    }
    for (std::size_t k = 0; k < number; ++k) {
        const UnitCounts::Token& found = tokens[places[k]];
        TokenTable::Token& token = words_[tokens_[k]];
        if (token.code != found.code) {
            if (token.code != UINT32_MAX) before_.add({tokens_[k], token.code, token.count, token.documents});
            token.code = found.code;
            token.count = token.documents = 0.0;
        }
        // A document that was cut has had its first share of the unit counted.
        const double first = token.row == found.first ? 0.0 : weights == nullptr ? 1.0 : weights[found.first];
        token.count += found.count;
        token.documents += found.documents + first;
        token.row = found.last;
    }
}

}  // namespace suffice
