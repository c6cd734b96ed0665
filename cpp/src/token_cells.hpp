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
    TokenCells() : slots_(64) {}

    std::size_t size() const { return size_; }
    TokenCell& operator[](std::size_t at) { return chunks_[at >> bits][at & (chunk - 1)]; }
    const TokenCell& operator[](std::size_t at) const { return chunks_[at >> bits][at & (chunk - 1)]; }

    // A cell that will be asked for soon, if there is one.
    void prefetch(std::size_t at) const {
        if (at < size_) __builtin_prefetch(&(*this)[at]);
    }

    // Where the cell is, which is made if it was not there.
    std::uint32_t of(std::uint32_t token, std::uint32_t code) {
        const std::uint64_t hashed = hash(token, code);
        const std::uint32_t tag = tag_of(hashed);
        std::size_t at = first_slot(hashed, slots_.size());
        for (; slots_[at].tag != 0; at = after(at, slots_.size())) {
            if (slots_[at].tag != tag) continue;
            const TokenCell& cell = (*this)[slots_[at].cell];
            if (cell.token == token && cell.code == code) return slots_[at].cell;
        }
        return add(token, code, at);
    }

    // Lets go of what finds cells; no more are looked for.
    void forget_slots() { slots_ = {}; }

  private:
    struct Slot {
        std::uint32_t tag = 0, cell = 0;  // a tag of 0 is free
    };
    static constexpr std::size_t bits = 12, chunk = std::size_t{1} << bits;

    static std::uint64_t hash(std::uint32_t token, std::uint32_t code) {
        const std::uint64_t key = (std::uint64_t{code} << 32 | token) * 0x9e3779b97f4a7c15u;
        return key ^ key >> 32;
    }
    static std::uint32_t tag_of(std::uint64_t hashed) { return static_cast<std::uint32_t>(hashed >> 32) | 1u; }
    // A share of all slots, so that their number may be any: half as many more each time leaves fewer of them free.
    static std::size_t first_slot(std::uint64_t hashed, std::size_t slots) { return (hashed & UINT32_MAX) * slots >> 32; }
    static std::size_t after(std::size_t at, std::size_t slots) { return at + 1 == slots ? 0 : at + 1; }
    std::uint32_t add(std::uint32_t token, std::uint32_t code, std::size_t slot);
    void widen();

    std::vector<Slot> slots_;  // at most three quarters of them taken
    std::vector<std::unique_ptr<TokenCell[]>> chunks_;
    std::size_t size_ = 0;
};

}  // namespace suffice
