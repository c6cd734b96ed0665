#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const std::uint32_t> places, const UnitCounts& unit, const double* weights) {
    // First find the tokens, then add the counts: a branch misprediction in one loop does not stall the other.
    constexpr std::size_t ahead = 12;
    const std::size_t number = places.size();
    const std::span<const UnitCounts::Token> tokens = unit.tokens();
    tokens_.resize(number);
    for (std::size_t k = 0; k < number; ++k) {
        if (k + 2 * ahead < number) words_.prefetch(tokens[places[k + 2 * ahead]].hash);
        if (k + ahead < number) words_.prefetch_token(tokens[places[k + ahead]].hash);
        const UnitCounts::Token& counted = tokens[places[k]];
        tokens_[k] = words_.of(unit.text(counted).data(), counted.length, counted.hash);
    }
    for (std::size_t k = 0; k < number; ++k) {
        const UnitCounts::Token& counted = tokens[places[k]];
        TokenTable::Token& token = words_[tokens_[k]];
        if (token.code != counted.code) {
            if (token.code != UINT32_MAX) before_.add({tokens_[k], token.code, token.count, token.documents});
            token.code = counted.code;
            token.count = token.documents = 0.0;
        }
        // A document that was added in several parts is counted with the first part only.
        const double first = token.row == counted.first ? 0.0 : weights == nullptr ? 1.0 : weights[counted.first];
        token.count += counted.count;
        token.documents += counted.documents + first;
        token.row = counted.last;
    }
}

}  // namespace suffice
