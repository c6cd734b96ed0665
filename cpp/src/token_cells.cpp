#include "token_cells.hpp"

#include <stdexcept>

namespace suffice {

std::uint32_t TokenCells::add(std::uint32_t token, std::uint32_t code, std::size_t slot) {
    if (size_ == none) throw std::length_error("a shard of tokens holds at most 2³² − 1 counts. Use fewer columns, or fewer classes.");
    if ((size_ & (chunk - 1)) == 0 && chunks_.size() == size_ >> bits) chunks_.push_back(std::make_unique_for_overwrite<TokenCell[]>(chunk));
    const auto at = static_cast<std::uint32_t>(size_);
    (*this)[at] = {token, code, 0.0, 0.0};
    slots_[slot] = at;
    ++size_;
    if (size_ * 4 > slots_.size() * 3) widen();
    return at;
}

void TokenCells::widen() {
    std::vector<std::uint32_t> wider(slots_.size() * 2, none);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t cell = 0; cell < size_; ++cell) {
        std::size_t at = hash((*this)[cell].token, (*this)[cell].code) & mask;
        while (wider[at] != none) at = (at + 1) & mask;
        wider[at] = static_cast<std::uint32_t>(cell);
    }
    slots_ = std::move(wider);
}

}  // namespace suffice
