#include "suffice/token_table.hpp"

namespace suffice {

std::uint32_t TokenTable::add(const char* text, std::uint32_t length, std::uint64_t hash, std::uint64_t head, std::size_t slot) {
    if (bytes_.size() + length > UINT32_MAX || tokens_.size() >= INT32_MAX)
        throw std::length_error("the distinct tokens take more than 64 GiB. Hash them into columns, or use shorter n-grams.");
    const auto place = static_cast<std::uint32_t>(tokens_.size());
    tokens_.push_back({hash, head, static_cast<std::uint32_t>(bytes_.size()), length});
    bytes_.insert(bytes_.end(), text, text + length);
    slots_[slot] = {static_cast<std::uint32_t>(hash >> 32) | 1u, place};
    if (tokens_.size() * 2 > slots_.size()) widen();
    return place;
}

void TokenTable::widen() {
    std::vector<Slot> wider(slots_.size() * 2);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t place = 0; place < tokens_.size(); ++place) {
        const std::uint64_t hash = tokens_[place].hash;
        std::size_t at = hash & mask;
        while (wider[at].tag != 0) at = (at + 1) & mask;
        wider[at] = {static_cast<std::uint32_t>(hash >> 32) | 1u, static_cast<std::uint32_t>(place)};
    }
    slots_ = std::move(wider);
}

}  // namespace suffice
