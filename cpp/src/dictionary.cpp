#include "suffice/dictionary.hpp"

#include <random>
#include <stdexcept>
#include <string>

namespace suffice {
namespace {

std::array<std::uint64_t, 4> draw_key() {
    std::random_device device;
    std::array<std::uint64_t, 4> key;
    for (std::uint64_t& word : key) word = (std::uint64_t{device()} << 32) ^ device();
    return key;
}

}  // namespace

TextHash TextHash::drawn() {
    static const std::array<std::uint64_t, 4> key = draw_key();
    return TextHash(key);
}

Dictionary::Dictionary(std::size_t limit) : limit_(limit), slots_(16) {}

std::int32_t Dictionary::add_new(std::string_view text, std::uint64_t hashed) {
    if (size() >= limit_)
        throw std::length_error("a dictionary holds at most " + std::to_string(limit_) +
                                " different texts, and there are more. Shorten them to what they have in common, or read them as words.");
    if ((size() + 1) * 2 > slots_.size()) widen();
    const std::size_t at = slot_of(text, hashed);
    const auto code = static_cast<std::int32_t>(size());
    entries_.push_back({hashed, bytes_.size() + text.size()});
    try {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    } catch (...) {
        entries_.pop_back();
        throw;
    }
    slots_[at] = {static_cast<std::uint32_t>(hashed >> 32), code};
    return code;
}

void Dictionary::widen() {
    std::vector<Slot> wider(slots_.size() * 2);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t code = 0; code < size(); ++code) {
        const std::uint64_t hashed = entries_[code].hash;
        std::size_t at = hashed & mask;
        while (wider[at].code >= 0) at = (at + 1) & mask;
        wider[at] = {static_cast<std::uint32_t>(hashed >> 32), static_cast<std::int32_t>(code)};
    }
    slots_ = std::move(wider);
}

// The last to come took the slot at the end of its run, and widening keeps that order:
// when it goes first, nobody's search passes through the slot that it leaves.
void Dictionary::truncate(std::size_t size) noexcept {
    if (entries_.size() <= size) return;  // nothing is written: others may be reading
    const std::size_t mask = slots_.size() - 1;
    while (entries_.size() > size) {
        const auto code = static_cast<std::int32_t>(entries_.size() - 1);
        std::size_t at = entries_.back().hash & mask;
        while (slots_[at].code != code) at = (at + 1) & mask;
        slots_[at] = {};
        entries_.pop_back();
    }
    bytes_.resize(entries_.empty() ? 0 : entries_.back().end);
}

}  // namespace suffice
