#include "document_values.hpp"

#include <cmath>

namespace suffice {

void DocumentValues::clear() {
    // After a short document few slots are taken: free only those, in reverse order of insertion.
    if (tokens_.size() * 8 < slots_.size())
        for (std::size_t k = tokens_.size(); k-- > 0;)
            slots_.take_back(tokens_[k].hash, [k](const Slot& slot) { return slot.number == k + 1; });
    else slots_.reset(slots_.size());
    tokens_.clear();
}

void DocumentValues::add(const char* bytes, std::uint64_t hash, std::uint32_t start, std::uint32_t length) {
    const std::size_t at = slots_.find(hash, [&](const Slot& one) {
        const Token& token = tokens_[one.number - 1];
        return token.hash == hash && token.length == length &&
               std::string_view(bytes + token.start, length) == std::string_view(bytes + start, length);
    });
    if (slots_[at].taken()) {
        tokens_[slots_[at].number - 1].value += 1.0;
        return;
    }
    tokens_.push_back({hash, start, length, 1.0});
    if (slots_.room_for(tokens_.size())) {
        slots_[at] = {static_cast<std::uint32_t>(tokens_.size())};
        return;
    }
    slots_.reset(2 * slots_.size());
    for (std::size_t k = 0; k < tokens_.size(); ++k) slots_.put(tokens_[k].hash, {static_cast<std::uint32_t>(k + 1)});
}

void DocumentValues::finish(const TokenValues& values) {
    if (values.log)
        for (Token& token : tokens_) token.value = 1.0 + std::log(token.value);
    if (!values.unit_length) return;
    double squares = 0.0;
    for (const Token& token : tokens_) squares += token.value * token.value;
    const double length = std::sqrt(squares);
    for (Token& token : tokens_) token.value /= length;
}

}  // namespace suffice
