#include "suffice/token_table.hpp"

#include <stdexcept>

namespace suffice {

std::uint32_t TokenTable::add(const char* text, std::uint32_t length, std::uint64_t hash, std::size_t slot) {
    if (tokens_.size() >= INT32_MAX)
        throw std::length_error("there are more than 2³¹ tokens. Hash them into columns, or use shorter n-grams.");
    const auto place = static_cast<std::uint32_t>(tokens_.size());
    tokens_.push_back({hash, long_ones_.hold(text, length), length});
    if (slots_.room_for(tokens_.size())) {
        slots_[slot] = {hash, place};
    } else {
        slots_.reset(2 * slots_.size());
        for (std::size_t k = 0; k < tokens_.size(); ++k) slots_.put(tokens_[k].hash, {tokens_[k].hash, k});
    }
    return place;
}

}  // namespace suffice
