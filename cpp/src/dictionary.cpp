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

Dictionary::Dictionary(std::size_t limit) : limit_(limit) {}

std::int32_t Dictionary::add_new(std::string_view text, std::uint64_t hashed) {
    if (size() >= limit_)
        throw std::length_error(
            "a dictionary holds at most " + std::to_string(limit_) +
            " distinct texts, and the column has more. Group them into fewer categories, or model them as words.");
    if (!slots_.room_for(size() + 1)) {
        slots_.reset(2 * slots_.size());
        for (std::size_t code = 0; code < size(); ++code) slots_.put(entries_[code].hash, {entries_[code].hash, code});
    }
    const std::size_t code = size();
    entries_.push_back({hashed, bytes_.size() + text.size()});
    try {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    } catch (...) {
        entries_.pop_back();
        throw;
    }
    slots_.put(hashed, {hashed, code});
    return static_cast<std::int32_t>(code);
}

// Removes the entries in reverse order of insertion. Each took the last slot of its run, and growing preserves that
// order.
void Dictionary::truncate(std::size_t size) noexcept {
    if (entries_.size() <= size) return;  // write nothing: other threads may be reading
    while (entries_.size() > size) {
        const std::size_t code = entries_.size() - 1;
        slots_.take_back(entries_.back().hash, [code](const TaggedSlot& slot) { return slot.place == code; });
        entries_.pop_back();
    }
    bytes_.resize(entries_.empty() ? 0 : entries_.back().end);
}

}  // namespace suffice
