#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "slow_tokens.hpp"
#include "suffice/token_index.hpp"
#include "suffice/token_rows.hpp"
#include "suffice/token_union.hpp"
#include "suffice/tokens.hpp"
#include "token_order.hpp"

using namespace suffice;

namespace {

struct Corpus {
    std::vector<std::string> texts;
    std::vector<std::string_view> documents;  // some of them missing
    std::vector<std::int64_t> codes;          // some of them excluded
    std::vector<double> weights;              // some of them 0
    std::size_t classes;

    Corpus(std::size_t rows, std::size_t longest, std::size_t words, std::size_t of_classes, bool whole, unsigned seed)
        : classes(of_classes) {
        std::mt19937_64 random(seed);
        for (std::size_t row = 0; row < rows; ++row) {
            std::string text;
            for (std::size_t left = random() % (longest + 1); left > 0; --left) {
                const double share = static_cast<double>(random() % 1'000'000) / 1e6;
                const auto word = static_cast<std::size_t>(static_cast<double>(words) * share * share * share);
                text += (word % 7 == 0 ? "é" : "") + std::to_string(word) + "w" + (random() % 5 == 0 ? ", " : " ");
            }
            texts.push_back(std::move(text));
            codes.push_back(static_cast<std::int64_t>(random() % (classes + 1)) - 1);
            weights.push_back(static_cast<double>(random() % 5) * (whole ? 1.0 : 0.37));
        }
        for (const std::string& text : texts)
            documents.push_back(random() % 23 == 0 ? std::string_view() : std::string_view(text));
    }
    TokenCounts count(const TokenizerOptions& options, const TokenValues& values, std::size_t columns,
                      std::size_t threads) const {
        return count_tokens(Tokenizer(options), documents, codes.data(), weights.data(), classes, values, columns,
                            threads, {});
    }
};

bool same(const TokenCounts& a, const TokenCounts& b) {
    return a.bytes == b.bytes && a.ends == b.ends && a.starts == b.starts && a.tokens == b.tokens &&
           a.counts == b.counts && a.documents == b.documents && a.weights == b.weights;
}

template <class T>
std::vector<T> listed(const UnsetOf<T>& values) {
    return {values.begin(), values.end()};
}

std::vector<std::string> tokens_of(const std::vector<char>& bytes, const std::vector<std::int64_t>& ends) {
    std::vector<std::string> out;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k)
        out.emplace_back(bytes.begin() + ends[k], bytes.begin() + ends[k + 1]);
    return out;
}

struct Laid {
    std::string bytes;
    std::vector<std::int64_t> ends{0};
    explicit Laid(const std::vector<std::string>& tokens) {
        for (const std::string& token : tokens) {
            bytes += token;
            ends.push_back(static_cast<std::int64_t>(bytes.size()));
        }
    }
    SortedTokens sorted() const { return {bytes, ends}; }
};

template <class Call>
std::string refusal(Call&& call) {
    try {
        call();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "no error";
}

const std::vector<TokenValues> every_value = {{false, false}, {true, false}, {false, true}, {true, true}};

TokenizerOptions pairs_of_words() {
    TokenizerOptions options;
    options.most_ngram = 2;
    return options;
}

}  // namespace

TEST(counts_are_those_of_a_map_of_classes_and_tokens) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        const Corpus corpus(400, 12, 300, 3, true, seed);
        TokenizerOptions chars;
        chars.unit = TokenizerOptions::Unit::chars_in_words;
        chars.most_ngram = 3;
        for (const TokenizerOptions& options : {TokenizerOptions{}, pairs_of_words(), chars}) {
            const TokenCounts counts = corpus.count(options, {}, 0, 2);
            CHECK(slow::laid_out(counts) == slow::counts(options, corpus.documents, corpus.codes, corpus.weights));
            const auto tokens = tokens_of(counts.bytes, counts.ends);
            CHECK(std::is_sorted(tokens.begin(), tokens.end()) &&
                  std::set<std::string>(tokens.begin(), tokens.end()).size() == tokens.size());
            for (std::size_t c = 0; c < corpus.classes; ++c) {
                double weight = 0.0;
                for (std::size_t row = 0; row < corpus.codes.size(); ++row)
                    if (corpus.codes[row] == static_cast<std::int64_t>(c) && corpus.documents[row].data() != nullptr)
                        weight += corpus.weights[row];
                CHECK_EQUAL(counts.weights[c], weight);
                CHECK(std::is_sorted(counts.tokens.begin() + counts.starts[c],
                                     counts.tokens.begin() + counts.starts[c + 1]));
            }
        }
    }
}

TEST(without_weights_a_document_weighs_one) {
    const std::vector<std::string_view> documents = {"aa aa bb", "", "bb", {}};
    const std::vector<std::int64_t> codes = {0, 0, 1, 1};
    const TokenCounts counts = count_tokens(Tokenizer({}), documents, codes.data(), nullptr, 3, {}, 0, 1, {});
    CHECK(tokens_of(counts.bytes, counts.ends) == std::vector<std::string>({"aa", "bb"}));
    CHECK(counts.starts == std::vector<std::int64_t>({0, 2, 3, 3}) &&
          listed(counts.tokens) == std::vector<std::int32_t>({0, 1, 1}));
    CHECK(listed(counts.counts) == std::vector<double>({2, 1, 1}) &&
          listed(counts.documents) == std::vector<double>({1, 1, 1}));
    CHECK(counts.weights == std::vector<double>({2, 1, 0}));
}

TEST(no_documents_and_no_tokens_have_no_counts) {
    for (const std::size_t columns : {std::size_t{0}, std::size_t{16}}) {
        const TokenCounts none = count_tokens(Tokenizer({}), {}, nullptr, nullptr, 2, {}, columns, 3, {});
        CHECK(none.tokens.empty() && none.starts == std::vector<std::int64_t>({0, 0, 0}) &&
              none.weights == std::vector<double>({0, 0}));
        const std::vector<std::string_view> empty(20'000, "");
        const std::vector<std::int64_t> codes(20'000, 1);
        const TokenCounts counts = count_tokens(Tokenizer({}), empty, codes.data(), nullptr, 2, {}, columns, 3, {});
        CHECK(counts.tokens.empty() && counts.weights == std::vector<double>({0, 20'000}));
    }
}

TEST(counts_have_the_same_bits_on_any_number_of_threads) {
    const Corpus corpus(40'000, 14, 5000, 4, false, 11);
    for (const TokenValues& values : every_value)
        for (const std::size_t columns : {std::size_t{0}, std::size_t{1024}}) {
            const TokenCounts one = corpus.count({}, values, columns, 1);
            CHECK(!one.tokens.empty());
            for (const std::size_t threads : {2, 3, 7}) CHECK(same(corpus.count({}, values, columns, threads), one));
        }
}

TEST(a_document_longer_than_the_buffer_is_counted_whole_and_once) {
    // Every token twice, the second time long after the first was added; before and after it, some of them again.
    std::string text, every_second;
    constexpr std::size_t tokens = 300'000;
    for (std::size_t k = 0; k < 2 * tokens; ++k) text += "w" + std::to_string(k % tokens) + " ";
    for (std::size_t k = 0; k < tokens; k += 2) every_second += "w" + std::to_string(k) + " ";
    const std::vector<std::string_view> documents = {every_second, text, every_second};
    const std::vector<std::int64_t> codes = {0, 0, 0};
    const std::vector<double> weights = {0.5, 0.25, 2.0};
    for (const std::size_t threads : {1, 3})
        for (const std::size_t columns : {std::size_t{0}, std::size_t{1} << 24}) {
            const TokenCounts counts =
                count_tokens(Tokenizer({}), documents, codes.data(), weights.data(), 1, {}, columns, threads, {});
            double occurrences = 0, present = 0;
            for (const double count : counts.counts) occurrences += count;
            for (const double weight : counts.documents) present += weight;
            CHECK_CLOSE(occurrences, tokens * 0.5 + tokens / 2 * 2.5, 1e-12);
            if (columns == 0) CHECK_CLOSE(present, tokens * 0.25 + tokens / 2 * 2.5, 1e-12);
            if (columns != 0) continue;
            CHECK_EQUAL(counts.tokens.size(), tokens);
            bool once = true;
            for (const double weight : counts.documents) once = once && (weight == 0.25 || weight == 2.75);
            CHECK(once);
        }
}

TEST(a_long_document_of_few_tokens_is_counted_whole_and_once) {
    std::string text;
    for (std::size_t k = 0; k < 1'500'000; ++k) text += k % 3 == 0 ? "aa " : "bb ";
    const std::vector<std::string_view> documents = {"bb", text, "aa"};
    const std::vector<std::int64_t> codes = {0, 0, 0};
    for (const std::size_t threads : {1, 3}) {
        const TokenCounts counts = count_tokens(Tokenizer({}), documents, codes.data(), nullptr, 1, {}, 0, threads, {});
        CHECK(listed(counts.counts) == std::vector<double>({500'001, 1'000'001}) &&
              listed(counts.documents) == std::vector<double>({2, 2}));
    }
}

TEST(texts_are_sorted_by_their_bytes) {
    std::mt19937_64 random(3);
    std::set<std::string> texts{std::string(), std::string(1, '\0'), std::string(8, '\0'), std::string(9, '\0'),
                                "\xff",        "prefix 8",           "prefix 8!"};
    while (texts.size() < 50'000) {  // many with equal first eight bytes, and some with embedded NULs
        std::string text = random() % 2 == 0 ? "the same " : "";
        for (std::size_t left = random() % 12; left > 0; --left)
            text += static_cast<char>(random() % 4 == 0 ? random() % 256 : 'a' + random() % 3);
        texts.insert(text);
    }
    const std::vector<std::string> sorted(texts.begin(), texts.end());
    std::vector<std::size_t> order(sorted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{300}, sorted.size()})
        for (const std::size_t threads : {1, 3}) {
            OrderedTexts given(size);
            std::vector<std::string> expected;
            for (std::size_t k = 0; k < size; ++k) {
                expected.push_back(sorted[order[k]]);
                given[k] = {prefix_of(sorted[order[k]]), sorted[order[k]], 0, static_cast<std::uint32_t>(k)};
            }
            std::sort(expected.begin(), expected.end());
            sort_texts(given, threads);
            CHECK(std::ranges::equal(given, expected, {}, &OrderedText::text));
            CHECK(std::ranges::all_of(
                given, [&](const OrderedText& text) { return sorted[order[text.number]] == text.text; }));
        }
}

TEST(values_are_logs_and_of_unit_length_as_requested) {
    const std::vector<std::string_view> documents = {"aa bb aa aa cc", "bb"};
    const std::vector<std::int64_t> codes = {0, 0};
    const std::vector<double> weights = {0.5, 2.0};
    for (const TokenValues& values : every_value) {
        double x[] = {3, 1, 1}, squares = 0;
        for (double& each : x) {
            if (values.log) each = 1 + std::log(each);
            squares += each * each;
        }
        if (values.unit_length)
            for (double& each : x) each /= std::sqrt(squares);
        const TokenCounts counts =
            count_tokens(Tokenizer({}), documents, codes.data(), weights.data(), 1, values, 0, 1, {});
        CHECK_CLOSE(counts.counts.at(0), 0.5 * x[0], 1e-15);
        CHECK_CLOSE(counts.counts.at(1), 0.5 * x[1] + 2.0, 1e-15);
        CHECK_CLOSE(counts.counts.at(2), 0.5 * x[2], 1e-15);
        CHECK(listed(counts.documents) == std::vector<double>({0.5, 2.5, 0.5}));
    }
}

TEST(a_hashed_column_counts_the_tokens_whose_hash_it_is) {
    const Corpus corpus(3000, 12, 900, 3, true, 5);
    const TextHash hash = TextHash::fixed();
    for (const std::size_t columns : {std::size_t{16}, std::size_t{1} << 12, std::size_t{1} << 22}) {
        const TokenCounts exact = corpus.count({}, {}, 0, 2), hashed = corpus.count({}, {}, columns, 2);
        CHECK(hashed.bytes.empty() && hashed.weights == exact.weights);
        std::map<std::pair<std::size_t, std::int32_t>, slow::Cell> sums, got;
        const auto tokens = tokens_of(exact.bytes, exact.ends);
        for (std::size_t c = 0; c < 3; ++c) {
            for (auto at = static_cast<std::size_t>(exact.starts[c]);
                 at < static_cast<std::size_t>(exact.starts[c + 1]); ++at) {
                const auto column = static_cast<std::int32_t>(
                    hashed_column(hash(tokens[static_cast<std::size_t>(exact.tokens[at])]), columns));
                sums[{c, column}].count += exact.counts[at];
                sums[{c, column}].documents += exact.documents[at];
            }
            for (auto at = static_cast<std::size_t>(hashed.starts[c]);
                 at < static_cast<std::size_t>(hashed.starts[c + 1]); ++at)
                got[{c, hashed.tokens[at]}] = {hashed.counts[at], hashed.documents[at]};
        }
        CHECK_EQUAL(got.size(), sums.size());
        bool alike = true;
        const bool collide = columns < std::size_t{1} << 22;
        for (const auto& [key, cell] : sums) {
            // Two tokens of one document that share a column count as one document.
            alike = alike && got[key].count == cell.count &&
                    (collide ? got[key].documents <= cell.documents : got[key].documents == cell.documents);
        }
        CHECK(alike);
    }
}

TEST(the_hash_stored_in_models_never_changes) {
    const TextHash hash = TextHash::fixed();
    const std::vector<std::pair<std::string, std::uint64_t>> known = {
        {"", 14852822519277225375u},
        {"a", 17576791850512173658u},
        {"ab", 14635701114024702562u},
        {"abc", 18056873969798687567u},
        {"abcd", 11927253824739615765u},
        {"buy now", 3745571485980494276u},
        {"sixteen letters!", 2504951705155832641u},
        {"seventeen letters", 14080255498593165873u},
        {"a token of more than thirty-two bytes", 16968274859253733740u}};
    for (const auto& [text, number] : known) CHECK_EQUAL(hash(text), number);
}

TEST(the_hash_ignores_the_bytes_after_the_text) {
    const TextHash hash = TextHash::fixed();
    for (const char beyond : {'\0', 'x'})
        for (std::size_t length = 0; length <= 40; ++length) {
            std::string text;
            for (std::size_t k = 0; k < length; ++k) text += static_cast<char>(k * 37 + length);
            const std::string room = text + std::string(InlineText::most, beyond);
            CHECK_EQUAL(hash.ahead(room.data(), length), hash(text));
        }
}

TEST(an_index_finds_the_kept_tokens) {
    const Laid laid({"aa", "bb", "cc", "dd é"});
    const bool kept[] = {true, false, true, true};
    const TokenIndex all(laid.bytes, laid.ends, nullptr), subset(laid.bytes, laid.ends, kept);
    const auto find = [](const TokenIndex& index, std::string_view token) {
        // The bytes beyond do not matter
        const std::string room = std::string(token) + std::string(InlineText::most, '?');
        return index.find(room.data(), static_cast<std::uint32_t>(token.size()),
                          index.hash(room.data(), static_cast<std::uint32_t>(token.size())));
    };
    CHECK(all.columns() == 4 && !all.hashed() && find(all, "aa") == 0 && find(all, "bb") == 1 &&
          find(all, "dd é") == 3);
    CHECK(find(all, "a") < 0 && find(all, "") < 0 && find(all, "ee") < 0);
    CHECK(subset.columns() == 3 && find(subset, "aa") == 0 && find(subset, "bb") < 0 && find(subset, "cc") == 1 &&
          find(subset, "dd é") == 2);
    const TokenIndex nothing("", std::span<const std::int64_t>(), nullptr);
    CHECK(nothing.columns() == 0 && find(nothing, "aa") < 0);
    const TokenIndex hashed(16);
    CHECK(hashed.columns() == 16 && hashed.hashed());
    const auto column = static_cast<std::int32_t>(hashed_column(TextHash::fixed()("aa"), 16));
    CHECK_EQUAL(find(hashed, "aa"), column);
    std::vector<std::int64_t> others;
    for (std::int32_t k = 0; k < 16; ++k)
        if (k != column) others.push_back(k);
    CHECK(find(TokenIndex(16, others), "aa") < 0 && TokenIndex(16, others).columns() == 15);
    const std::vector<std::int64_t> none;
    CHECK(find(TokenIndex(16, none), "aa") < 0 && TokenIndex(16, none).columns() == 0);
}

// Among very many columns only those that are kept take memory.
TEST(an_index_of_few_among_many_hashed_columns) {
    constexpr std::size_t columns = std::size_t{1} << 30;
    const auto find = [](const TokenIndex& index, std::string_view token) {
        const std::string room = std::string(token) + std::string(InlineText::most, '?');
        return index.find(room.data(), static_cast<std::uint32_t>(token.size()),
                          index.hash(room.data(), static_cast<std::uint32_t>(token.size())));
    };
    std::vector<std::int64_t> kept;
    for (const char* token : {"aa", "bb", "cc"}) kept.push_back(hashed_column(TextHash::fixed()(token), columns));
    const std::vector<std::int64_t> given = kept;
    std::sort(kept.begin(), kept.end());
    const TokenIndex index(columns, kept);
    CHECK_EQUAL(index.columns(), 3u);
    const std::vector<std::string_view> tokens = {"aa", "bb", "cc"};
    for (std::size_t k = 0; k < 3; ++k)
        CHECK_EQUAL(find(index, tokens[k]), std::lower_bound(kept.begin(), kept.end(), given[k]) - kept.begin());
    CHECK(find(index, "dd") < 0);
    const std::vector<std::int64_t> none, falling = {3, 2}, twice = {2, 2}, negative = {-1}, beyond = {16};
    CHECK(find(TokenIndex(columns, none), "aa") < 0);
    for (const std::vector<std::int64_t>& wrong : {falling, twice, negative, beyond})
        CHECK(!refusal([&] { TokenIndex made(16, wrong); }).empty());
}

TEST(an_index_of_malformed_or_repeated_tokens_is_rejected) {
    const std::vector<std::int64_t> falling = {0, 2, 1}, beyond = {0, 9}, negative = {-1, 2}, twice = {0, 2, 4};
    const auto refused = [](std::string_view bytes, const std::vector<std::int64_t>& ends) {
        return refusal([&] { TokenIndex index(bytes, ends, nullptr); });
    };
    CHECK_EQUAL(refused("aabb", falling),
                "ends must increase from 0 to the number of bytes, 4: token 1 runs from 2 to 1.");
    CHECK_EQUAL(refused("aabb", beyond),
                "ends must increase from 0 to the number of bytes, 4: token 0 runs from 0 to 9.");
    CHECK_EQUAL(refused("aabb", negative),
                "ends must increase from 0 to the number of bytes, 4: token 0 runs from -1 to 2.");
    CHECK_EQUAL(refused("aaaa", twice), "tokens must be distinct: token 1 is a duplicate.");
    CHECK_EQUAL(refused("aabb", twice), "no error");
}

TEST(the_union_of_vocabularies_is_the_union_of_sets) {
    std::mt19937 random(3);
    for (std::size_t k = 0; k < 300; ++k) {
        std::set<std::string> sides[2], both;
        for (auto& side : sides)
            for (std::size_t left = random() % 30; left > 0; --left) {
                const std::string token =
                    std::string(random() % 3, static_cast<char>(random() % 256)) + std::to_string(random() % 40);
                side.insert(token);
                both.insert(token);
            }
        const Laid left({sides[0].begin(), sides[0].end()}), right({sides[1].begin(), sides[1].end()});
        const TokenUnion united = unite_tokens(left.sorted(), right.sorted());
        const auto tokens = tokens_of(united.bytes, united.ends);
        CHECK(tokens == std::vector<std::string>(both.begin(), both.end()));
        for (const auto& [places, side] : {std::pair(&united.left, &sides[0]), std::pair(&united.right, &sides[1])}) {
            CHECK_EQUAL(places->size(), side->size());
            std::size_t at = 0;
            for (const std::string& token : *side)
                CHECK_EQUAL(tokens.at(static_cast<std::size_t>(places->at(at++))), token);
        }
    }
}

TEST(unsorted_vocabularies_are_rejected) {
    const Laid good({"aa", "bb"}), falling({"bb", "aa"}), twice({"aa", "aa"});
    CHECK_EQUAL(refusal([&] { unite_tokens(falling.sorted(), good.sorted()); }),
                "the tokens of the left side must increase: token 1 does not.");
    CHECK_EQUAL(refusal([&] { unite_tokens(good.sorted(), twice.sorted()); }),
                "the tokens of the right side must increase: token 1 does not.");
    const std::vector<std::int64_t> beyond = {0, 2, 9}, falls = {0, 2, 1};
    const std::string text =
        "the ends of the right side must increase from 0 to the number of bytes: token 1 does not end there.";
    CHECK_EQUAL(refusal([&] { unite_tokens(good.sorted(), {"aabb", beyond}); }), text);
    CHECK_EQUAL(refusal([&] { unite_tokens(good.sorted(), {"aabb", falls}); }), text);
    CHECK_EQUAL(unite_tokens({"", {}}, good.sorted()).right.size(), std::size_t{2});
}

TEST(scores_are_the_rows_of_the_matrix_times_the_weights) {
    const Corpus corpus(12'000, 12, 400, 3, true, 9);
    const Tokenizer tokenizer(pairs_of_words());
    const TokenCounts counts = corpus.count(pairs_of_words(), {}, 0, 2);
    const std::size_t words = counts.ends.size() - 1;
    const auto kept = std::make_unique<bool[]>(words);
    for (std::size_t k = 0; k < words; ++k) kept[k] = k % 3 != 0;
    const TokenIndex exact({counts.bytes.data(), counts.bytes.size()}, counts.ends, kept.get()), hashed(256);
    std::mt19937_64 random(2);
    for (const TokenIndex* index : {&exact, &hashed})
        for (const TokenValues& values : every_value)
            for (const bool presence : {false, true}) {
                constexpr std::size_t classes = 5;
                std::vector<double> table(index->columns() * classes);
                for (double& each : table) each = static_cast<double>(random() % 1000) / 64.0 - 8.0;
                const TokenMatrix matrix = token_matrix(tokenizer, *index, corpus.documents, values, 1, {});
                CHECK_EQUAL(matrix.starts.size(), corpus.documents.size() + 1);
                for (const std::size_t threads : {2, 3, 7}) {
                    const TokenMatrix again = token_matrix(tokenizer, *index, corpus.documents, values, threads, {});
                    CHECK(again.starts == matrix.starts && again.columns == matrix.columns &&
                          again.values == matrix.values);
                }
                std::vector<double> scores(corpus.documents.size() * classes, 1.5),
                    lengths(corpus.documents.size(), 0.0);
                score_tokens(tokenizer, *index, corpus.documents, values, {classes, table.data(), presence},
                             scores.data(), lengths.data(), 1, {});
                for (const std::size_t threads : {2, 3, 7}) {
                    std::vector<double> again(scores.size(), 1.5);
                    score_tokens(tokenizer, *index, corpus.documents, values, {classes, table.data(), presence},
                                 again.data(), nullptr, threads, {});
                    CHECK(again == scores);
                }
                std::size_t wrong = 0;
                for (std::size_t row = 0; row < corpus.documents.size(); ++row) {
                    double length = 0.0, size = 0.0, expected[classes] = {1.5, 1.5, 1.5, 1.5, 1.5};
                    const auto from = static_cast<std::size_t>(matrix.starts[row]),
                               to = static_cast<std::size_t>(matrix.starts[row + 1]);
                    for (std::size_t at = from; at < to; ++at) {
                        wrong += at > from && matrix.columns[at] <= matrix.columns[at - 1];
                        const double x = presence ? 1.0 : matrix.values[at];
                        length += x;
                        for (std::size_t c = 0; c < classes; ++c) {
                            const double more = x * table[static_cast<std::size_t>(matrix.columns[at]) * classes + c];
                            expected[c] += more;
                            size += std::fabs(more);
                        }
                    }
                    wrong += corpus.documents[row].data() == nullptr && from != to;
                    wrong += std::fabs(lengths[row] - length) > 1e-14 * length;
                    for (std::size_t c = 0; c < classes; ++c)
                        wrong += std::fabs(scores[row * classes + c] - expected[c]) > 1e-14 * (size + 1.5);
                }
                CHECK_EQUAL(wrong, std::size_t{0});
            }
}

TEST(a_matrix_row_counts_the_known_tokens_of_its_document) {
    const Corpus corpus(500, 12, 60, 2, true, 4);
    const Tokenizer tokenizer({});
    const TokenCounts counts = corpus.count({}, {}, 0, 1);
    const TokenIndex index({counts.bytes.data(), counts.bytes.size()}, counts.ends, nullptr);
    const auto words = tokens_of(counts.bytes, counts.ends);
    const TokenMatrix matrix = token_matrix(tokenizer, index, corpus.documents, {}, 1, {});
    for (std::size_t row = 0; row < corpus.documents.size(); ++row) {
        std::map<std::string, double> expected, got;
        if (corpus.documents[row].data() != nullptr)
            for (const std::string& token : slow::tokens({}, corpus.documents[row]))
                if (std::binary_search(words.begin(), words.end(), token)) ++expected[token];
        for (auto at = static_cast<std::size_t>(matrix.starts[row]);
             at < static_cast<std::size_t>(matrix.starts[row + 1]); ++at)
            got[words[static_cast<std::size_t>(matrix.columns[at])]] = matrix.values[at];
        CHECK(got == expected);
    }
}

TEST(counting_stops_on_an_interrupt) {
    const Corpus corpus(40'000, 14, 5000, 4, true, 11);
    for (const std::size_t threads : {1, 3}) {
        bool stopped = false;
        try {
            count_tokens(Tokenizer({}), corpus.documents, corpus.codes.data(), nullptr, 4, {}, 0, threads,
                         [] { return true; });
        } catch (const Interrupted&) {
            stopped = true;
        }
        CHECK(stopped);
    }
}

TEST(units_are_cut_by_lengths_alone_and_cover_all_documents) {
    const std::string large(1 << 19, 'x');
    const std::vector<std::string_view> documents = {"a", large, "", {}, large, large, "b"};
    const auto units = document_units(documents);
    CHECK(units.front() == 0 && units.back() == documents.size() && std::is_sorted(units.begin(), units.end()));
    CHECK(units.size() > 3 && std::adjacent_find(units.begin(), units.end()) == units.end());
    CHECK(document_units({}) == std::vector<std::size_t>({0}));
}
