// The slots of an open-addressing hash table with linear probing: their number is a power of two, and at most half of
// them are taken. The table defines the contents of a slot: a tag and the position of an entry stored elsewhere, the
// key itself, or the whole entry. A Slot has `bool taken() const`, and Slot{} is free.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace suffice {

// Which bits of a hash select the first slot: the lowest, for a good hash, or the highest, for a product with a
// constant.
enum class HashBits { lowest, highest };

template <class Slot, class Allocator = std::allocator<Slot>, HashBits bits = HashBits::lowest>
class HashSlots final {
  public:
    HashSlots() = default;
    explicit HashSlots(std::size_t slots) { reset(slots); }

    std::size_t size() const { return slots_.size(); }
    bool room_for(std::size_t entries) const { return 2 * entries <= slots_.size(); }
    Slot& operator[](std::size_t at) { return slots_[at]; }
    const Slot& operator[](std::size_t at) const { return slots_[at]; }

    // The first slot that a search examines.
    const Slot& first(std::uint64_t hash) const { return slots_[start(hash)]; }
    void prefetch(std::uint64_t hash) const { __builtin_prefetch(&first(hash)); }

    // The position of the slot that `is` accepts, or of the free slot where it would be inserted.
    template <class Is>
    std::size_t find(std::uint64_t hash, Is&& is) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = start(hash);
        while (slots_[at].taken() && !is(slots_[at])) at = (at + 1) & mask;
        return at;
    }
    // Inserts a slot that is not in the table.
    void put(std::uint64_t hash, const Slot& slot) {
        slots_[find(hash, [](const Slot&) { return false; })] = slot;
    }
    // Removes the slot that was inserted last of those present, so that no other search passes through it.
    template <class Is>
    void take_back(std::uint64_t hash, Is&& is) {
        slots_[find(hash, is)] = Slot{};
    }

    // Clears the table and sets its number of slots. If it throws, the table is unchanged.
    void reset(std::size_t slots) {
        if (slots == slots_.size()) return std::fill(slots_.begin(), slots_.end(), Slot{});
        std::vector<Slot, Allocator> fresh(slots);
        slots_ = std::move(fresh);
        shift_ = static_cast<unsigned>(64 - std::countr_zero(slots));
    }

  private:
    std::size_t start(std::uint64_t hash) const {
        if constexpr (bits == HashBits::highest) return static_cast<std::size_t>(hash >> shift_);
        else return static_cast<std::size_t>(hash & (slots_.size() - 1));
    }

    std::vector<Slot, Allocator> slots_;
    unsigned shift_ = 0;
};

// The position of an entry and part of its hash, so that few other entries have to be compared.
struct TaggedSlot {
    std::uint32_t tag = 0, place = 0;

    TaggedSlot() = default;
    TaggedSlot(std::uint64_t hash, std::size_t at) : tag(tag_of(hash)), place(static_cast<std::uint32_t>(at)) {}
    static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32) | 1u; }
    bool taken() const { return tag != 0; }
};

}  // namespace suffice
