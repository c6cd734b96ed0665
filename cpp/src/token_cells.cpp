#include "token_cells.hpp"

#include <stdexcept>

namespace suffice {

std::uint32_t TokenCells::add(std::uint32_t token, std::uint32_t code, std::size_t slot) {
    if (size_ == UINT32_MAX) throw std::length_error("a shard of tokens holds at most 2³² − 1 counts. Use fewer columns, or fewer classes.");
    if (chunks_.size() == size_ >> bits) chunks_.push_back(std::make_unique_for_overwrite<TokenCell[]>(chunk));
    const auto at = static_cast<std::uint32_t>(size_);
    (*this)[at] = {token, code, 0.0, 0.0};
    slots_[slot] = {tag_of(hash(token, code)), at};
    ++size_;
    if (size_ * 4 > slots_.size() * 3) widen();
    return at;
}

void TokenCells::widen() {
    std::vector<Slot> wider(slots_.size() + slots_.size() / 2);
    for (std::size_t cell = 0; cell < size_; ++cell) {
        const std::uint64_t hashed = hash((*this)[cell].token, (*this)[cell].code);
        std::size_t at = first_slot(hashed, wider.size());
        while (wider[at].tag != 0) at = after(at, wider.size());
        wider[at] = {tag_of(hashed), static_cast<std::uint32_t>(cell)};
    }
    slots_ = std::move(wider);
}

}  // namespace suffice
