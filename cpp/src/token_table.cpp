#include "suffice/token_table.hpp"

#include <stdexcept>

namespace suffice {

std::uint32_t TokenTable::add(const char* text, std::uint32_t length, std::uint64_t hash, std::size_t slot) {
    if (tokens_.size() >= INT32_MAX) throw std::length_error("there are more than 2³¹ tokens. Hash them into columns, or use shorter n-grams.");
    Token token{hash, {}, length};
    if (length <= NearText::most) {
        token.text = NearText::of(text, length);
    } else {
        token.text = std::bit_cast<NearText>(std::array<std::size_t, 3>{bytes_.size()});
        bytes_.insert(bytes_.end(), text, text + length);
    }
    const auto place = static_cast<std::uint32_t>(tokens_.size());
    tokens_.push_back(token);
    slots_[slot] = {tag_of(hash), place};
    if (tokens_.size() * 2 > slots_.size()) widen();
    return place;
}

void TokenTable::widen() {
    std::vector<Slot, PageAllocator<Slot>> wider(slots_.size() * 2);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t place = 0; place < tokens_.size(); ++place) {
        const std::uint64_t hash = tokens_[place].hash;
        std::size_t at = hash & mask;
        while (wider[at].tag != 0) at = (at + 1) & mask;
        wider[at] = {tag_of(hash), static_cast<std::uint32_t>(place)};
    }
    slots_ = std::move(wider);
}

}  // namespace suffice
