#include "token_order.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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
void sort_texts(std::vector<OrderedText>& texts, std::size_t threads) {
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
    std::vector<std::uint16_t> bucket(texts.size());
    std::vector<std::size_t> starts(cuts.size() + 2, 0);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        bucket[k] = static_cast<std::uint16_t>(std::upper_bound(cuts.begin(), cuts.end(), texts[k].prefix) - cuts.begin());
        ++starts[bucket[k] + 1u];
    }
    for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
    std::vector<OrderedText> dealt(texts.size());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t k = 0; k < texts.size(); ++k) dealt[next[bucket[k]]++] = texts[k];
    texts = std::move(dealt);
    struct Worker {
        std::vector<OrderedText>& texts;
        const std::vector<std::size_t>& starts;
        void work(std::size_t unit, Checkpoint&) const {
            const auto at = [&](std::size_t k) { return texts.begin() + static_cast<std::ptrdiff_t>(starts[k]); };
            std::sort(at(unit), at(unit + 1), before);
        }
        void merge(std::size_t) const {}
    };
    const Interrupt never;
    run_in_order(starts.size() - 1, threads, never, [&] { return Worker{texts, starts}; });
}

}  // namespace suffice
