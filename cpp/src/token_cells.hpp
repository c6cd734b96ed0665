// The cells (token, class) of a table that is mostly empty: each found by an open hash table, in chunks that never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace suffice {

struct TokenCell {
    std::uint32_t token, code;
    double count, documents;
};

class TokenCells final {
  public:
    TokenCells() : slots_(64, none) {}

    std::size_t size() const { return size_; }
    TokenCell& operator[](std::size_t at) { return chunks_[at >> bits][at & (chunk - 1)]; }
    const TokenCell& operator[](std::size_t at) const { return chunks_[at >> bits][at & (chunk - 1)]; }

    // Where the cell is, which is made if it was not there.
    std::uint32_t of(std::uint32_t token, std::uint32_t code) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash(token, code) & mask;
        for (; slots_[at] != none; at = (at + 1) & mask) {
            const TokenCell& cell = (*this)[slots_[at]];
            if (cell.token == token && cell.code == code) return slots_[at];
        }
        return add(token, code, at);
    }

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr std::size_t bits = 12, chunk = std::size_t{1} << bits;

    static std::size_t hash(std::uint32_t token, std::uint32_t code) {
        const std::uint64_t key = (std::uint64_t{code} << 32 | token) * 0x9e3779b97f4a7c15u;
        return static_cast<std::size_t>(key >> 29);
    }
    std::uint32_t add(std::uint32_t token, std::uint32_t code, std::size_t slot);
    void widen();

    std::vector<std::uint32_t> slots_;  // a power of two, at most three quarters of them taken
    std::vector<std::unique_ptr<TokenCell[]>> chunks_;
    std::size_t size_ = 0;
};

}  // namespace suffice
