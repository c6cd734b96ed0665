#include "document_values.hpp"

#include <algorithm>
#include <cmath>

namespace suffice {

void DocumentValues::clear() {
    // Few slots are taken after a short document.
    if (tokens_.size() * 8 < slots_.size()) {
        const std::size_t mask = slots_.size() - 1;
        for (std::size_t k = tokens_.size(); k-- > 0;) {
            std::size_t at = tokens_[k].hash & mask;
            while (slots_[at] != k + 1) at = (at + 1) & mask;
            slots_[at] = 0;
        }
    } else {
        std::fill(slots_.begin(), slots_.end(), 0);
    }
    tokens_.clear();
}

void DocumentValues::add(const char* bytes, std::uint64_t hash, std::uint32_t start, std::uint32_t length) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
        Token& token = tokens_[slots_[at] - 1];
        if (token.hash == hash && token.length == length && std::string_view(bytes + token.start, length) == std::string_view(bytes + start, length)) {
            token.value += 1.0;
            return;
        }
    }
    tokens_.push_back({hash, start, length, 1.0});
    slots_[at] = static_cast<std::uint32_t>(tokens_.size());
    if (tokens_.size() * 2 > slots_.size()) widen();
}

void DocumentValues::widen() {
    std::vector<std::uint32_t> wider(slots_.size() * 2, 0);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
        std::size_t at = tokens_[k].hash & mask;
        while (wider[at] != 0) at = (at + 1) & mask;
        wider[at] = static_cast<std::uint32_t>(k + 1);
    }
    slots_ = std::move(wider);
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
