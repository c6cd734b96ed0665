#include "suffice/tokens.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "document_values.hpp"
#include "token_order.hpp"
#include "token_shard.hpp"

namespace suffice {
namespace {

constexpr std::size_t many_pairs = std::size_t{1} << 20;    // so many are worth a call to the system
constexpr std::size_t most_waiting = std::size_t{1} << 20;  // occurrences that a unit keeps before it adds them

// What all threads of one call share.
struct Counting {
    const Tokenizer& tokenizer;
    Documents documents;
    const std::int64_t* codes;
    const double* weights;
    TokenValues values;
    std::size_t columns;
    std::vector<std::size_t> units;
    std::vector<TokenShard> shards;
    std::atomic<std::size_t> turns[token_shards] = {};  // the unit whose tokens a shard takes next

    bool counts(std::size_t row) const {
        return codes[row] >= 0 && !is_missing(documents[row]) && (weights == nullptr || weights[row] != 0.0);
    }
};

class Worker final {
  public:
    explicit Worker(Counting& counting)
        : counting_(counting), hash_(counting.columns == 0 ? TextHash::drawn() : TextHash::fixed()) {}

    void work(std::size_t unit, Checkpoint& checkpoint) {
        unit_ = unit;
        for (std::size_t row = counting_.units[unit]; row < counting_.units[unit + 1]; ++row) {
            if (!counting_.counts(row)) continue;
            if (counting_.values.plain()) {
                counting_.tokenizer(counting_.documents[row], scratch_, [&](std::uint32_t start, std::uint32_t length) {
                    if (keep(hash_({scratch_.bytes.data() + start, length}), start, length, row)) add(checkpoint);
                });
            } else {
                add_values(row, checkpoint);
            }
        }
        add(checkpoint);
        for (std::atomic<std::size_t>& turn : counting_.turns) turn.store(unit + 1, std::memory_order_release);
        scratch_.bytes.clear();
    }
    void merge(std::size_t) const {}

  private:
    bool keep(std::uint64_t hash, std::uint32_t start, std::uint32_t length, std::size_t row) {
        const std::size_t shard = counting_.columns == 0 ? shard_of(hash) : shard_of_column(hashed_column(hash, counting_.columns));
        found_[shard].push_back({hash, start, length, static_cast<std::uint32_t>(row)});
        return ++waiting_ == most_waiting;
    }

    void add_values(std::size_t row, Checkpoint& checkpoint) {
        document_.clear();
        counting_.tokenizer(counting_.documents[row], scratch_, [&](std::uint32_t start, std::uint32_t length) {
            document_.add(scratch_.bytes.data(), hash_({scratch_.bytes.data() + start, length}), start, length);
        });
        document_.finish(counting_.values);
        for (const DocumentValues::Token& token : document_.tokens()) {
            const std::size_t shard =
                counting_.columns == 0 ? shard_of(token.hash) : shard_of_column(hashed_column(token.hash, counting_.columns));
            values_[shard].push_back(token.value);
            if (keep(token.hash, token.start, token.length, row)) add(checkpoint);
        }
    }

    // Adds what waits to each shard in turn. The turn is kept until the unit ends, since more of it may come.
    void add(Checkpoint& checkpoint) {
        for (std::size_t shard = 0; shard < token_shards; ++shard) {
            while (counting_.turns[shard].load(std::memory_order_acquire) != unit_) {
                checkpoint();
                std::this_thread::yield();
            }
            counting_.shards[shard].add(found_[shard], {scratch_.bytes.data(), counting_.codes, counting_.weights, values_[shard]});
            found_[shard].clear();
            values_[shard].clear();
        }
        waiting_ = 0;
        checkpoint();
    }

    Counting& counting_;
    TextHash hash_;
    std::size_t unit_ = 0, waiting_ = 0;
    TokenScratch scratch_;
    DocumentValues document_;
    std::vector<Occurrence> found_[token_shards];
    std::vector<double> values_[token_shards];
};

// The number of each token of a shard among all, in order; the bytes of exact tokens are put end to end.
std::vector<std::vector<std::uint32_t>> numbered(const std::vector<TokenShard>& shards, TokenCounts& counts, std::size_t threads) {
    std::vector<OrderedText> texts;
    std::size_t bytes = 0, tokens = 0;
    for (const TokenShard& shard : shards) tokens += shard.words().size();
    if (tokens > Dictionary::most)
        throw std::length_error("a vocabulary holds at most " + std::to_string(Dictionary::most) + " tokens, and there are " +
                                std::to_string(tokens) + ". Hash them into columns, or use shorter n-grams.");
    texts.reserve(tokens);
    std::vector<std::vector<std::uint32_t>> numbers;
    for (std::size_t s = 0; s < shards.size(); ++s) {
        const TokenTable& words = shards[s].words();
        for (std::size_t k = 0; k < words.size(); ++k) {
            const std::string_view text = words.text(k);
            texts.push_back({prefix_of(text), text, static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(k)});
            bytes += text.size();
        }
        numbers.emplace_back(words.size());
    }
    sort_texts(texts, threads);
    counts.bytes.reserve(bytes);
    counts.ends.reserve(tokens + 1);
    counts.ends.push_back(0);
    for (std::size_t k = 0; k < texts.size(); ++k) {
        counts.bytes.insert(counts.bytes.end(), texts[k].text.begin(), texts[k].text.end());
        counts.ends.push_back(static_cast<std::int64_t>(counts.bytes.size()));
        numbers[texts[k].shard][texts[k].number] = static_cast<std::uint32_t>(k);
    }
    return numbers;
}

// Gives back to the system what was let go of, where the allocator would keep it.
void give_back() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

// Puts the counts of one class, which come in any order, in that of their tokens.
class ByToken final {
  public:
    explicit ByToken(std::size_t tokens) : places_(tokens) {}

    void operator()(TokenCounts& counts, std::size_t start, std::size_t end) {
        order_.resize(end - start);
        const std::int32_t* tokens = counts.tokens.data() + start;
        if (order_.size() * 16 < places_.size()) {
            std::iota(order_.begin(), order_.end(), 0u);
            std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) { return tokens[a] < tokens[b]; });
        } else {  // a token is there once at most: its place is found by looking through all of them
            std::fill(places_.begin(), places_.end(), absent);
            for (std::size_t k = 0; k < order_.size(); ++k) places_[static_cast<std::size_t>(tokens[k])] = static_cast<std::uint32_t>(k);
            std::size_t at = 0;
            for (const std::uint32_t place : places_)
                if (place != absent) order_[at++] = place;
        }
        sort(counts.tokens, start, some_tokens_);
        sort(counts.counts, start, some_);
        sort(counts.documents, start, some_);
    }

  private:
    static constexpr std::uint32_t absent = UINT32_MAX;

    template <class T>
    void sort(std::vector<T>& values, std::size_t start, std::vector<T>& some) const {
        some.resize(order_.size());
        for (std::size_t k = 0; k < order_.size(); ++k) some[k] = values[start + order_[k]];
        std::copy(some.begin(), some.end(), values.begin() + static_cast<std::ptrdiff_t>(start));
    }

    std::vector<std::uint32_t> places_, order_;
    std::vector<std::int32_t> some_tokens_;
    std::vector<double> some_;
};

// The counts of all shards by class and then by token. A shard is let go of once its counts are taken.
void gather(std::vector<TokenShard>& shards, const std::vector<std::vector<std::uint32_t>>& numbers, std::size_t tokens,
            std::size_t classes, bool hashed, TokenCounts& counts) {
    counts.starts.assign(classes + 1, 0);
    for (const TokenShard& shard : shards)
        shard.each([&](std::uint32_t, std::uint32_t code, double, double) { ++counts.starts[code + 1]; });
    for (std::size_t c = 1; c <= classes; ++c) counts.starts[c] += counts.starts[c - 1];
    const auto total = static_cast<std::size_t>(counts.starts.back());
    if (total >= UINT32_MAX) throw std::length_error("more than 2³² − 2 pairs of class and token are counted. Give the documents in parts, or hash their tokens.");
    counts.tokens.resize(total);
    counts.counts.resize(total);
    counts.documents.resize(total);
    std::vector<std::int64_t> place(counts.starts.begin(), counts.starts.end() - 1);
    for (std::size_t s = 0; s < shards.size(); ++s) {
        shards[s].each([&](std::uint32_t token, std::uint32_t code, double count, double documents) {
            const auto at = static_cast<std::size_t>(place[code]++);
            counts.tokens[at] = static_cast<std::int32_t>(hashed ? token * token_shards + s : std::size_t{numbers[s][token]});
            counts.counts[at] = count;
            counts.documents[at] = documents;
        });
        shards[s] = TokenShard(0);
        if (total > many_pairs && s % 4 == 3) give_back();
    }
    ByToken sort(tokens);
    for (std::size_t c = 0; c < classes; ++c)
        sort(counts, static_cast<std::size_t>(counts.starts[c]), static_cast<std::size_t>(counts.starts[c + 1]));
}

}  // namespace

TokenCounts count_tokens(const Tokenizer& tokenizer, Documents documents, const std::int64_t* codes, const double* weights,
                         std::size_t classes, const TokenValues& values, std::size_t columns, std::size_t threads,
                         const Interrupt& interrupt) {
    if (documents.size() >= UINT32_MAX) throw std::length_error("at most 2³² − 2 documents are counted at a time. Give them in parts.");
    Counting counting{tokenizer, documents, codes, weights, values, columns, document_units(documents), {}};
    for (std::size_t s = 0; s < token_shards; ++s) counting.shards.emplace_back(columns);
    TokenCounts counts;
    counts.weights.assign(classes, 0.0);
    for (std::size_t row = 0; row < documents.size(); ++row)
        if (counting.counts(row)) counts.weights[static_cast<std::size_t>(codes[row])] += weights == nullptr ? 1.0 : weights[row];
    run_in_order(counting.units.size() - 1, threads, interrupt, [&] { return Worker(counting); });
    for (TokenShard& shard : counting.shards) shard.close();
    std::vector<std::vector<std::uint32_t>> numbers;
    if (columns == 0) numbers = numbered(counting.shards, counts, threads);
    gather(counting.shards, numbers, columns == 0 ? counts.ends.size() - 1 : columns, classes, columns != 0, counts);
    return counts;
}

}  // namespace suffice
