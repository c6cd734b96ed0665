// The hash, after Wang Yi's wyhash: the bytes, in words a and b (the last ones overlap those before),
//
//   mix(a, b) = low(a·b) xor high(a·b),  the product of 128 bits
//   s ← mix(a xor k₁, b xor s) for every 16 bytes,  hash = mix(k₂ xor length, mix(a xor k₁, b xor s)),  s₀ = k₀
//
// with k drawn at random, since a·0 = 0 would let anyone who knows k₁ make any number of texts collide.
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

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word8(const char* p) { return load<std::uint64_t>(p, 0); }
std::uint64_t word4(const char* p) { return load<std::uint32_t>(p, 0); }

}  // namespace

Dictionary::Dictionary(std::size_t limit) : limit_(limit), slots_(16) {
    static const std::array<std::uint64_t, 4> key = draw_key();
    key_ = key;
}

std::uint64_t Dictionary::hash(std::string_view text) const {
    const char* p = text.data();
    const std::size_t n = text.size();
    std::uint64_t a = 0, b = 0, s = key_[0];
    if (n > 16) {
        std::size_t left = n;
        for (; left > 16; left -= 16, p += 16) s = mix(word8(p) ^ key_[1], word8(p + 8) ^ s);
        a = word8(p + left - 16);
        b = word8(p + left - 8);
    } else if (n >= 4) {
        const std::size_t step = (n >> 3) << 2;
        a = (word4(p) << 32) | word4(p + step);
        b = (word4(p + n - 4) << 32) | word4(p + n - 4 - step);
    } else if (n > 0) {
        const auto byte = [p](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(p[i])}; };
        a = (byte(0) << 16) | (byte(n >> 1) << 8) | byte(n - 1);
    }
    return mix(key_[2] ^ n, mix(a ^ key_[1], b ^ s) ^ key_[3]);
}

std::size_t Dictionary::slot_of(std::string_view text, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
        const Slot& slot = slots_[at];
        if (slot.code < 0 || (slot.tag == tag && label(static_cast<std::size_t>(slot.code)) == text)) return at;
    }
}

std::int32_t Dictionary::find(std::string_view text) const {
    const std::int32_t code = slots_[slot_of(text, hash(text))].code;
    return code < 0 ? unseen_code : code;
}

std::int32_t Dictionary::add(std::string_view text) {
    const std::uint64_t hashed = hash(text);
    std::size_t at = slot_of(text, hashed);
    if (slots_[at].code >= 0) return slots_[at].code;
    if (size() >= limit_)
        throw std::length_error("a dictionary holds at most " + std::to_string(limit_) +
                                " different texts, and there are more. Shorten them to what they have in common, or read them as words.");
    if ((size() + 1) * 2 > slots_.size()) {
        widen();
        at = slot_of(text, hashed);
    }
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
