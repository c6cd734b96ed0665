#include "token_order.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <utility>

#include "suffice/parallel.hpp"

namespace suffice {
namespace {

constexpr std::size_t buckets = 4096;

struct Key {
    std::uint64_t prefix;
    std::size_t place;
};

// Stable radix sort of keys by prefix, from the last byte to the first. A byte that is equal in all keys is skipped.
void sort_keys(std::vector<Key>& keys) {
    constexpr std::size_t values = 256, digits = sizeof(std::uint64_t);
    std::array<std::array<std::uint32_t, values>, digits> places{};
    const auto digit = [](const Key& key, std::size_t d) {
        return static_cast<std::size_t>(key.prefix >> (8 * d) & (values - 1));
    };
    for (const Key& key : keys)
        for (std::size_t d = 0; d < digits; ++d) ++places[d][digit(key, d)];
    std::vector<Key> sorted(keys.size());
    for (std::size_t d = 0; d < digits; ++d) {
        if (places[d][digit(keys[0], d)] == keys.size()) continue;
        std::uint32_t place = 0;
        for (std::uint32_t& number : places[d]) place += std::exchange(number, place);
        for (const Key& key : keys) sorted[places[d][digit(key, d)]++] = key;
        keys.swap(sorted);
    }
}

// Sorts texts by prefix, and those with equal prefixes by the remaining bytes.
void sort_bucket(std::span<OrderedText> texts) {
    if (texts.size() < 2) return;
    std::vector<Key> keys(texts.size());
    for (std::size_t k = 0; k < keys.size(); ++k) keys[k] = {texts[k].prefix, k};
    sort_keys(keys);
    const std::vector<OrderedText> before(texts.begin(), texts.end());
    for (std::size_t k = 0; k < keys.size(); ++k) texts[k] = before[keys[k].place];
    for (std::size_t first = 0, last = 0; first < texts.size(); first = last) {
        while (last < texts.size() && texts[last].prefix == texts[first].prefix) ++last;
        std::ranges::sort(texts.subspan(first, last - first), {}, &OrderedText::text);
    }
}

// The number of cuts ≤ prefix, by binary search without a branch, because the outcome is unpredictable.
std::uint16_t bucket_of(const std::vector<std::uint64_t>& cuts, std::uint64_t prefix) {
    const std::uint64_t* from = cuts.data();
    for (std::size_t rest = cuts.size(); rest > 0;) {
        const std::size_t half = (rest + 1) / 2;
        from += half & (std::size_t{0} - static_cast<std::size_t>(from[half - 1] <= prefix));
        rest -= half;
    }
    return static_cast<std::uint16_t>(from - cuts.data());
}

}  // namespace

std::uint64_t prefix_of(std::string_view text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), std::min<std::size_t>(text.size(), 8));
    return std::endian::native == std::endian::little ? __builtin_bswap64(bytes) : bytes;
}

// Cuts between buckets are taken from a sample, so that the buckets have similar sizes; then each is sorted separately.
void sort_texts(OrderedTexts& texts, std::size_t threads) {
    constexpr std::size_t few = std::size_t{1} << 13;
    if (texts.size() <= few) {
        sort_bucket(texts);
        return;
    }
    const std::size_t number = std::min(buckets, texts.size() / (few / 4));
    std::vector<std::uint64_t> sample;
    for (std::size_t k = 0; k < number * 8; ++k) sample.push_back(texts[k * texts.size() / (number * 8)].prefix);
    std::sort(sample.begin(), sample.end());
    std::vector<std::uint64_t> cuts;
    for (std::size_t k = 8; k < sample.size(); k += 8) cuts.push_back(sample[k]);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    // The number of texts from each chunk per bucket, which determines their positions.
    const std::size_t chunks = (texts.size() + few - 1) / few, width = cuts.size() + 1;
    std::vector<std::uint16_t> bucket(texts.size());
    std::vector<std::size_t> places(chunks * width, 0), starts(width + 1, texts.size());
    const auto each_of = [&](std::size_t c, const auto& visit) {
        for (std::size_t k = c * few; k < std::min(texts.size(), (c + 1) * few); ++k) visit(k);
    };
    run_in_any_order(chunks, threads, [&](std::size_t c) {
        each_of(c, [&](std::size_t k) {
            bucket[k] = bucket_of(cuts, texts[k].prefix);
            ++places[c * width + bucket[k]];
        });
    });
    std::size_t place = 0;
    for (std::size_t w = 0; w < width; ++w) {
        starts[w] = place;
        for (std::size_t c = 0; c < chunks; ++c) place += std::exchange(places[c * width + w], place);
    }
    OrderedTexts dealt(texts.size());
    run_in_any_order(chunks, threads, [&](std::size_t c) {
        each_of(c, [&](std::size_t k) { dealt[places[c * width + bucket[k]]++] = texts[k]; });
    });
    texts = std::move(dealt);
    run_in_any_order(width, threads, [&](std::size_t w) {
        sort_bucket(std::span(texts).subspan(starts[w], starts[w + 1] - starts[w]));
    });
}

}  // namespace suffice
