#include "unit_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace suffice {
namespace {

std::size_t far_start(const UnitCounts::Token& token) { return std::bit_cast<std::array<std::size_t, 3>>(token.text)[0]; }

template <class Bits>
Bits all_bits(bool set) { return Bits{0} - static_cast<Bits>(set); }

double where(bool set, double value) {  // else 0; as bits, since a compiler makes a branch of a choice
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & all_bits<std::uint64_t>(set));
}

}  // namespace

// Step by step for all of them, so that what the next step needs is on its way, and without a branch for those that the
// first slot of their hash knows: which they are cannot be guessed. The others are looked for one by one. Whichever of the
// two a token is, all of its occurrences are, so that they are added in order.
void UnitCounts::add(const char* bytes, std::span<const DocumentValues::Token> found, const Document& in) {
    std::array<std::uint64_t, some> keys;
    std::array<std::uint32_t, some> places, others;
    const std::size_t mask = slots_.size() - 1, number = found.size();
    for (std::size_t k = 0; k < number; ++k) {
        keys[k] = key_of(found[k].hash, in.code);
        __builtin_prefetch(&slots_[keys[k] & mask]);
    }
    for (std::size_t k = 0; k < number; ++k) {
        const Slot slot = slots_[keys[k] & mask];
        places[k] = slot.place & all_bits<std::uint32_t>(slot.tag == tag_of(keys[k]));
        __builtin_prefetch(&tokens_[places[k]]);
    }
    std::size_t left = 0;
    for (std::size_t k = 0; k < number; ++k) {
        Token& token = tokens_[places[k]];
        const std::size_t length = std::min<std::size_t>(found[k].length, NearText::most);
        const bool text = (token.length == found[k].length) & (found[k].length <= NearText::most) & token.text.is(bytes + found[k].start, length);
        const bool known = (places[k] != 0) & (token.hash == found[k].hash) & (token.code == in.code) & text;
        token.count += where(known, in.weight * found[k].value);
        token.documents += where(known & (token.last != in.row), in.weight);
        token.last ^= (token.last ^ in.row) & all_bits<std::uint32_t>(known);
        others[left] = static_cast<std::uint32_t>(k);
        left += !known;
    }
    for (std::size_t o = 0; o < left; ++o) {
        const DocumentValues::Token& one = found[others[o]];
        Token& token = token_of(bytes + one.start, one.length, one.hash, in);
        token.count += in.weight * one.value;
        if (token.last != in.row) token.documents += in.weight;
        token.last = in.row;
    }
}

bool UnitCounts::is(const Token& token, const char* text, std::uint32_t length) const {
    if (token.length != length) return false;
    return length <= NearText::most ? token.text.is(text, length) : std::memcmp(bytes_.data() + far_start(token), text, length) == 0;
}

std::string_view UnitCounts::text(const Token& token) const {
    return {token.length <= NearText::most ? token.text.bytes.data() : bytes_.data() + far_start(token), token.length};
}

UnitCounts::Token& UnitCounts::token_of(const char* text, std::uint32_t length, std::uint64_t hash, const Document& in) {
    const std::uint64_t key = key_of(hash, in.code);
    const std::uint32_t tag = tag_of(key);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key & mask;
    for (; slots_[at].tag != 0; at = (at + 1) & mask) {
        if (slots_[at].tag != tag) continue;
        Token& token = tokens_[slots_[at].place];
        if (token.hash == hash && token.code == in.code && is(token, text, length)) return token;
    }
    Token token{hash, {}, length, in.code, in.row, in.row, 0.0, 0.0};
    if (length <= NearText::most) {
        token.text = NearText::of(text, length);
    } else {
        token.text = std::bit_cast<NearText>(std::array<std::size_t, 3>{bytes_.size()});
        bytes_.insert(bytes_.end(), text, text + length);
    }
    slots_[at] = {tag, static_cast<std::uint32_t>(tokens_.size())};
    tokens_.push_back(token);
    if (tokens_.size() * 2 > slots_.size()) widen();
    return tokens_.back();
}

void UnitCounts::widen() {
    std::vector<Slot> wider(slots_.size() * 2);
    const std::size_t mask = wider.size() - 1;
    for (std::size_t place = 1; place < tokens_.size(); ++place) {
        const std::uint64_t key = key_of(tokens_[place].hash, tokens_[place].code);
        std::size_t at = key & mask;
        while (wider[at].tag != 0) at = (at + 1) & mask;
        wider[at] = {tag_of(key), static_cast<std::uint32_t>(place)};
    }
    slots_ = std::move(wider);
}

void UnitCounts::clear() {
    tokens_.assign(1, Token{});
    std::fill(slots_.begin(), slots_.end(), Slot{});
    bytes_.clear();
}

}  // namespace suffice
