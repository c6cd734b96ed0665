#include "suffice/tokens.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "document_values.hpp"
#include "token_order.hpp"
#include "token_shard.hpp"

namespace suffice {
namespace {

constexpr std::size_t many_pairs = std::size_t{1} << 20;    // above this, freed memory is worth a system call
constexpr std::size_t most_waiting = std::size_t{1} << 17;  // tokens that a unit buffers before it adds them

// The state shared by all threads of one call.
struct Counting {
    const Tokenizer& tokenizer;
    Documents documents;
    const std::int64_t* codes;
    const double* weights;
    TokenValues values;
    std::size_t columns;
    std::vector<std::uint32_t> order;  // documents to count
    std::vector<std::size_t> units;
    std::vector<TokenShard> shards;
    struct alignas(128) Turn {
        std::atomic<std::size_t> unit{0};
    };
    Turn turns[token_shards] = {};  // the unit whose tokens a shard takes next

    bool counts(std::size_t row) const {
        return codes[row] >= 0 && !is_missing(documents[row]) && (weights == nullptr || weights[row] != 0.0);
    }
};

// The documents to count, sorted by class and otherwise in order: documents of one class share most of their tokens.
std::vector<std::uint32_t> by_class(const Counting& counting, std::size_t classes) {
    const std::size_t rows = counting.documents.size();
    std::vector<std::size_t> next(classes + 1, 0);
    for (std::size_t row = 0; row < rows; ++row)
        if (counting.counts(row)) ++next[static_cast<std::size_t>(counting.codes[row]) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<std::uint32_t> order(next.back());
    for (std::size_t row = 0; row < rows; ++row)
        if (counting.counts(row))
            order[next[static_cast<std::size_t>(counting.codes[row])]++] = static_cast<std::uint32_t>(row);
    return order;
}

// A column as the hash of a token: a bijection, so distinct columns stay distinct.
std::uint64_t spread(std::uint32_t column) { return column * std::uint64_t{0x9e3779b97f4a7c15u}; }

class Worker final {
  public:
    explicit Worker(Counting& counting)
        : counting_(counting), hash_(counting.columns == 0 ? TextHash::drawn() : TextHash::fixed()) {}

    void work(std::size_t unit, Checkpoint& checkpoint) {
        unit_ = unit;
        for (std::size_t k = counting_.units[unit]; k < counting_.units[unit + 1]; ++k)
            count(counting_.order[k], checkpoint);
        add(checkpoint, unit + 1);
    }
    void merge(std::size_t) const {}

  private:
    void count(std::size_t row, Checkpoint& checkpoint) {
        const UnitCounts::Document in{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(counting_.codes[row]),
                                      counting_.weights == nullptr ? 1.0 : counting_.weights[row]};
        scratch_.bytes.clear();
        if (counting_.values.plain()) {
            counting_.tokenizer(counting_.documents[row], scratch_, [&](std::uint32_t start, std::uint32_t length) {
                found_[number_++] = {hash_of(start, length), start, length, 1.0};
                if (number_ == found_.size()) count({found_.data(), std::exchange(number_, 0)}, in, checkpoint);
            });
            count({found_.data(), std::exchange(number_, 0)}, in, checkpoint);
        } else {
            document_.clear();
            counting_.tokenizer(counting_.documents[row], scratch_, [&](std::uint32_t start, std::uint32_t length) {
                document_.add(scratch_.bytes.data(), hash_of(start, length), start, length);
            });
            document_.finish(counting_.values);
            const std::span<const DocumentValues::Token> tokens = document_.tokens();
            for (std::size_t k = 0; k < tokens.size(); k += UnitCounts::batch)
                count(tokens.subspan(k, std::min(UnitCounts::batch, tokens.size() - k)), in, checkpoint);
        }
    }
    void count(std::span<const DocumentValues::Token> found, const UnitCounts::Document& in, Checkpoint& checkpoint) {
        if (counting_.columns == 0) counts_.add(scratch_.bytes.data(), found, in);
        else count_columns(found, in);
        if (counts_.tokens().size() >= most_waiting) add(checkpoint, unit_);
    }
    // Columns are counted like tokens: each is a text of four bytes.
    void count_columns(std::span<const DocumentValues::Token> found, const UnitCounts::Document& in) {
        std::array<DocumentValues::Token, UnitCounts::batch> columns;
        std::array<char, UnitCounts::batch * sizeof(std::uint32_t) + InlineText::most> names;
        for (std::size_t k = 0; k < found.size(); ++k) {
            const std::uint32_t column = hashed_column(found[k].hash, counting_.columns);
            const auto start = static_cast<std::uint32_t>(k * sizeof column);
            std::memcpy(names.data() + start, &column, sizeof column);
            columns[k] = {spread(column), start, sizeof column, found[k].value};
        }
        counts_.add(names.data(), {columns.data(), found.size()}, in);
    }
    std::uint64_t hash_of(std::uint32_t start, std::uint32_t length) const {
        return hash_.ahead(scratch_.bytes.data() + start, length);
    }

    // Adds the counts to each shard in turn and then passes the turn of that shard to unit `next`: to this unit itself
    // if more of its tokens will come.
    void add(Checkpoint& checkpoint, std::size_t next) {
        const std::span<const UnitCounts::Token> tokens = counts_.tokens();
        for (std::size_t place = 0; place < tokens.size(); ++place)
            places_[shard_of(tokens[place].hash)].push_back(static_cast<std::uint32_t>(place));
        for (std::size_t shard = 0; shard < token_shards; ++shard) {
            wait_for_turn(shard, checkpoint);
            counting_.shards[shard].add(places_[shard], counts_, counting_.weights);
            places_[shard].clear();
            counting_.turns[shard].unit.store(next, std::memory_order_release);
        }
        counts_.clear();
        checkpoint();
    }

    // Usually short; behind one very long document it may take minutes.
    void wait_for_turn(std::size_t shard, Checkpoint& checkpoint) const {
        using namespace std::chrono_literals;
        for (std::size_t looks = 0; counting_.turns[shard].unit.load(std::memory_order_acquire) != unit_; ++looks) {
            checkpoint();
            if (looks < 1024) std::this_thread::yield();
            else std::this_thread::sleep_for(100us);
        }
    }

    Counting& counting_;
    TextHash hash_;
    std::size_t unit_ = 0, number_ = 0;
    TokenScratch scratch_;
    DocumentValues document_;
    UnitCounts counts_;
    std::array<DocumentValues::Token, UnitCounts::batch> found_;
    std::vector<std::uint32_t> places_[token_shards];
};

// Returns freed memory to the system, where the allocator would keep it.
void give_back() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

// Frees everything that is needed for adding.
void close(std::vector<TokenShard>& shards) {
    std::size_t pairs = 0;
    for (TokenShard& shard : shards) {
        shard.close();
        pairs += shard.pairs();
    }
    if (pairs > many_pairs) give_back();
}

// The number of each token of a shard among all tokens, in order; the bytes of exact tokens are stored end to end.
std::vector<std::vector<std::uint32_t>> numbered(const std::vector<TokenShard>& shards, TokenCounts& counts,
                                                 std::size_t threads) {
    std::vector<std::size_t> starts{0};
    for (const TokenShard& shard : shards) starts.push_back(starts.back() + shard.words().size());
    const std::size_t tokens = starts.back();
    if (tokens > Dictionary::most)
        throw std::length_error("a vocabulary holds at most " + std::to_string(Dictionary::most) +
                                " tokens, but the documents have " + std::to_string(tokens) +
                                ". Hash them into columns, or use shorter n-grams.");
    OrderedTexts texts(tokens);
    std::vector<std::vector<std::uint32_t>> numbers(shards.size());
    run_in_any_order(shards.size(), threads, [&](std::size_t s) {
        const TokenTable& words = shards[s].words();
        for (std::size_t k = 0; k < words.size(); ++k) {
            const std::string_view text = words.text(k);
            texts[starts[s] + k] = {prefix_of(text), text, static_cast<std::uint32_t>(s),
                                    static_cast<std::uint32_t>(k)};
        }
        numbers[s].resize(words.size());
    });
    sort_texts(texts, threads);
    counts.ends.resize(tokens + 1);
    for (std::size_t k = 0; k < tokens; ++k)
        counts.ends[k + 1] = counts.ends[k] + static_cast<std::int64_t>(texts[k].text.size());
    counts.bytes.resize(static_cast<std::size_t>(counts.ends[tokens]));
    constexpr std::size_t batch = std::size_t{1} << 14;
    run_in_any_order((tokens + batch - 1) / batch, threads, [&](std::size_t unit) {
        for (std::size_t k = unit * batch; k < std::min(tokens, (unit + 1) * batch); ++k) {
            std::copy(texts[k].text.begin(), texts[k].text.end(), counts.bytes.begin() + counts.ends[k]);
            numbers[texts[k].shard][texts[k].number] = static_cast<std::uint32_t>(k);
        }
    });
    return numbers;
}

// The same for hashed tokens: their columns.
std::vector<std::vector<std::uint32_t>> columns_of(const std::vector<TokenShard>& shards, std::size_t threads) {
    std::vector<std::vector<std::uint32_t>> numbers(shards.size());
    run_in_any_order(shards.size(), threads, [&](std::size_t s) {
        const TokenTable& words = shards[s].words();
        numbers[s].resize(words.size());
        for (std::size_t k = 0; k < words.size(); ++k)
            std::memcpy(&numbers[s][k], words.text(k).data(), sizeof(std::uint32_t));
    });
    return numbers;
}

// Sorts the counts of each class, which come in any order, by token.
class ByToken final {
  public:
    ByToken(TokenCounts& counts, std::size_t tokens) : counts_(counts), number_(tokens) {}

    void work(std::size_t c, Checkpoint&) {
        const auto start = static_cast<std::size_t>(counts_.starts[c]),
                   end = static_cast<std::size_t>(counts_.starts[c + 1]);
        order_.resize(end - start);
        const std::int32_t* tokens = counts_.tokens.data() + start;
        if (order_.size() * 16 < number_) {
            std::iota(order_.begin(), order_.end(), 0u);
            std::sort(order_.begin(), order_.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return tokens[a] < tokens[b]; });
        } else {  // each token occurs at most once: find the position by scanning all of them
            places_.assign(number_, absent);
            for (std::size_t k = 0; k < order_.size(); ++k)
                places_[static_cast<std::size_t>(tokens[k])] = static_cast<std::uint32_t>(k);
            std::size_t at = 0;
            for (const std::uint32_t place : places_)
                if (place != absent) order_[at++] = place;
        }
        sort(counts_.tokens, start, some_tokens_);
        sort(counts_.counts, start, some_);
        sort(counts_.documents, start, some_);
    }
    void merge(std::size_t) const {}

  private:
    static constexpr std::uint32_t absent = UINT32_MAX;

    template <class T>
    void sort(UnsetOf<T>& values, std::size_t start, std::vector<T>& batch) const {
        batch.resize(order_.size());
        for (std::size_t k = 0; k < order_.size(); ++k) batch[k] = values[start + order_[k]];
        std::copy(batch.begin(), batch.end(), values.begin() + static_cast<std::ptrdiff_t>(start));
    }

    TokenCounts& counts_;
    std::size_t number_;
    std::vector<std::uint32_t> places_, order_;
    std::vector<std::int32_t> some_tokens_;
    std::vector<double> some_;
};

// Collects the counts of all shards by class and then by token. Each shard is freed once its counts are taken.
void gather(std::vector<TokenShard>& shards, const std::vector<std::vector<std::uint32_t>>& numbers, std::size_t tokens,
            std::size_t classes, TokenCounts& counts, std::size_t threads) {
    // The number of counts of each shard and class, turned into the positions where they are written.
    std::vector<std::vector<std::size_t>> places(shards.size(), std::vector<std::size_t>(classes, 0));
    run_in_any_order(shards.size(), threads, [&](std::size_t s) {
        shards[s].each([&](std::uint32_t, std::uint32_t code, double, double) { ++places[s][code]; });
    });
    std::size_t total = 0;
    for (std::size_t c = 0; c < classes; ++c) {
        counts.starts.push_back(static_cast<std::int64_t>(total));
        for (std::vector<std::size_t>& place : places) total += std::exchange(place[c], total);
    }
    counts.starts.push_back(static_cast<std::int64_t>(total));
    if (total >= UINT32_MAX)
        throw std::length_error(
            "there are more than 2³² − 2 pairs of class and token. Pass the documents in parts, or hash their tokens.");
    counts.tokens.resize(total);
    counts.counts.resize(total);
    counts.documents.resize(total);
    run_in_any_order(shards.size(), threads, [&](std::size_t s) {
        shards[s].each([&](std::uint32_t token, std::uint32_t code, double count, double documents) {
            const std::size_t at = places[s][code]++;
            counts.tokens[at] = static_cast<std::int32_t>(numbers[s][token]);
            counts.counts[at] = count;
            counts.documents[at] = documents;
        });
        shards[s] = TokenShard();
        if (total > many_pairs && s % 4 == 3) give_back();
    });
    const Interrupt never;
    run_in_order(classes, threads, never, [&] { return ByToken(counts, tokens); });
}

}  // namespace

TokenCounts count_tokens(const Tokenizer& tokenizer, Documents documents, const std::int64_t* codes,
                         const double* weights, std::size_t classes, const TokenValues& values, std::size_t columns,
                         std::size_t threads, const Interrupt& interrupt) {
    if (documents.size() >= UINT32_MAX)
        throw std::length_error("at most 2³² − 2 documents can be counted at a time. Pass them in parts.");
    Counting counting{tokenizer, documents, codes, weights, values, columns, {}, {}, {}};
    counting.order = by_class(counting, classes);
    counting.units = document_units(documents, counting.order);
    counting.shards.resize(token_shards);
    TokenCounts counts;
    counts.weights.assign(classes, 0.0);
    for (const std::uint32_t row : counting.order)
        counts.weights[static_cast<std::size_t>(codes[row])] += weights == nullptr ? 1.0 : weights[row];
    run_in_order(counting.units.size() - 1, threads, interrupt, [&] { return Worker(counting); });
    close(counting.shards);
    const auto numbers =
        columns == 0 ? numbered(counting.shards, counts, threads) : columns_of(counting.shards, threads);
    gather(counting.shards, numbers, columns == 0 ? counts.ends.size() - 1 : columns, classes, counts, threads);
    return counts;
}

}  // namespace suffice
