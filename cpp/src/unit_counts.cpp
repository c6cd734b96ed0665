#include "unit_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace suffice {
namespace {

template <class Bits>
Bits all_bits(bool set) {
    return Bits{0} - static_cast<Bits>(set);
}

// Otherwise 0; done with bits, because the compiler would turn a conditional into a branch
double where(bool set, double value) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & all_bits<std::uint64_t>(set));
}

}  // namespace

// Each step runs over the whole batch, so that the memory needed by the next step is already being fetched, and without
// a branch for tokens found in the first slot of their hash, because that is unpredictable. The others are looked up
// one by one. All occurrences of a token take the same path, so they are added in order.
void UnitCounts::add(const char* bytes, std::span<const DocumentValues::Token> occurrences, const Document& in) {
    std::array<std::uint64_t, batch> keys;
    std::array<std::uint32_t, batch> places, others;
    const std::size_t number = occurrences.size();
    for (std::size_t k = 0; k < number; ++k) {
        keys[k] = key_of(occurrences[k].hash, in.code);
        slots_.prefetch(keys[k]);
    }
    for (std::size_t k = 0; k < number; ++k) {
        const TaggedSlot slot = slots_.first(keys[k]);
        places[k] = slot.place & all_bits<std::uint32_t>(slot.tag == TaggedSlot::tag_of(keys[k]));
        __builtin_prefetch(&tokens_[places[k]]);
    }
    std::size_t left = 0;
    for (std::size_t k = 0; k < number; ++k) {
        Token& token = tokens_[places[k]];
        const std::size_t length = std::min<std::size_t>(occurrences[k].length, InlineText::most);
        const bool text = (token.length == occurrences[k].length) & (occurrences[k].length <= InlineText::most) &
                          token.text.is(bytes + occurrences[k].start, length);
        const bool known = (places[k] != 0) & (token.hash == occurrences[k].hash) & (token.code == in.code) & text;
        token.count += where(known, in.weight * occurrences[k].value);
        token.documents += where(known & (token.last != in.row), in.weight);
        token.last ^= (token.last ^ in.row) & all_bits<std::uint32_t>(known);
        others[left] = static_cast<std::uint32_t>(k);
        left += !known;
    }
    for (std::size_t o = 0; o < left; ++o) {
        const DocumentValues::Token& occurrence = occurrences[others[o]];
        Token& token = token_of(bytes + occurrence.start, occurrence.length, occurrence.hash, in);
        token.count += in.weight * occurrence.value;
        if (token.last != in.row) token.documents += in.weight;
        token.last = in.row;
    }
}

UnitCounts::Token& UnitCounts::token_of(const char* text, std::uint32_t length, std::uint64_t hash,
                                        const Document& in) {
    const std::uint64_t key = key_of(hash, in.code);
    const std::uint32_t tag = TaggedSlot::tag_of(key);
    const std::size_t at = slots_.find(key, [&](const TaggedSlot& occurrence) {
        if (occurrence.tag != tag) return false;
        const Token& token = tokens_[occurrence.place];
        return token.hash == hash && token.code == in.code && token.length == length &&
               long_ones_.is(token.text, text, length);
    });
    if (slots_[at].taken()) return tokens_[slots_[at].place];
    tokens_.push_back({hash, long_ones_.hold(text, length), length, in.code, in.row, in.row, 0.0, 0.0});
    if (slots_.room_for(tokens_.size())) {
        slots_[at] = {key, tokens_.size() - 1};
    } else {
        slots_.reset(2 * slots_.size());
        for (std::size_t place = 1; place < tokens_.size(); ++place) {
            const std::uint64_t known = key_of(tokens_[place].hash, tokens_[place].code);
            slots_.put(known, {known, place});
        }
    }
    return tokens_.back();
}

void UnitCounts::clear() {
    tokens_.assign(1, Token{});
    slots_.reset(slots_.size());
    long_ones_.clear();
}

}  // namespace suffice
