#include "token_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "suffice/parallel.hpp"

namespace suffice {
namespace {

constexpr std::size_t buckets = 4096;

bool before(const OrderedText& a, const OrderedText& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    return a.text < b.text;
}

}  // namespace

std::uint64_t prefix_of(std::string_view text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), std::min<std::size_t>(text.size(), 8));
    return std::endian::native == std::endian::little ? __builtin_bswap64(bytes) : bytes;
}

// Cuts between buckets are taken from a sample, so that each has about as many texts; then each is sorted by itself.
void sort_texts(OrderedTexts& texts, std::size_t threads) {
    constexpr std::size_t few = std::size_t{1} << 13;
    if (texts.size() <= few) {
        std::sort(texts.begin(), texts.end(), before);
        return;
    }
    const std::size_t number = std::min(buckets, texts.size() / (few / 8));
    std::vector<std::uint64_t> sample;
    for (std::size_t k = 0; k < number * 8; ++k) sample.push_back(texts[k * texts.size() / (number * 8)].prefix);
    std::sort(sample.begin(), sample.end());
    std::vector<std::uint64_t> cuts;
    for (std::size_t k = 8; k < sample.size(); k += 8) cuts.push_back(sample[k]);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    // How many of each chunk go to each bucket, which is where its texts go.
    const std::size_t chunks = (texts.size() + few - 1) / few, width = cuts.size() + 1;
    std::vector<std::uint16_t> bucket(texts.size());
    std::vector<std::size_t> places(chunks * width, 0), starts(width + 1, texts.size());
    const auto each_of = [&](std::size_t c, const auto& visit) {
        for (std::size_t k = c * few; k < std::min(texts.size(), (c + 1) * few); ++k) visit(k);
    };
    run_apart(chunks, threads, [&](std::size_t c) {
        each_of(c, [&](std::size_t k) {
            bucket[k] = static_cast<std::uint16_t>(std::upper_bound(cuts.begin(), cuts.end(), texts[k].prefix) - cuts.begin());
            ++places[c * width + bucket[k]];
        });
    });
    std::size_t place = 0;
    for (std::size_t w = 0; w < width; ++w) {
        starts[w] = place;
        for (std::size_t c = 0; c < chunks; ++c) place += std::exchange(places[c * width + w], place);
    }
    OrderedTexts dealt(texts.size());
    run_apart(chunks, threads, [&](std::size_t c) {
        each_of(c, [&](std::size_t k) { dealt[places[c * width + bucket[k]]++] = texts[k]; });
    });
    texts = std::move(dealt);
    run_apart(width, threads, [&](std::size_t w) {
        const auto at = [&](std::size_t k) { return texts.begin() + static_cast<std::ptrdiff_t>(starts[k]); };
        std::sort(at(w), at(w + 1), before);
    });
}

}  // namespace suffice
