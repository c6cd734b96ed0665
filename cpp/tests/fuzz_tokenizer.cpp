// Fuzzes the tokenizer and the counter with arbitrary bytes, under the sanitizers, against the definition
// (slow_tokens.hpp) and a std::map.
//
//   fuzz_tokenizer [--seconds N] [--seed N]
//
// Prints the number of rounds and bytes. On a difference it prints the seed, the options and the text, and exits with
// 1.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>

#include "slow_tokens.hpp"
#include "suffice/token_index.hpp"
#include "suffice/token_rows.hpp"

using namespace suffice;

namespace {

class Random final {
  public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    std::size_t below(std::size_t most) { return static_cast<std::size_t>(engine_() % most); }
    bool one_in(std::size_t number) { return below(number) == 0; }
    char byte() { return static_cast<char>(engine_()); }

  private:
    std::mt19937_64 engine_;
};

// Characters at which rules change: case, final sigma, marks, spaces, decompositions, the limits of every encoding
// length.
constexpr char32_t edge_cases[] = {
    U'a',   U'Z',   U'_',   U'0',    U' ',    U'\t',   U'\n',   0x1C,    0x85,    U'.',    U'\'',  U':',   0,
    0x7F,   0x80,   0xA0,   0xAD,    0xB5,    U'ß',    U'é',    U'É',    0x130,   0x131,   0x17F,  0x1C5,  0x2B0,
    0x300,  0x345,  0x3A3,  0x3C2,   0x3C3,   U'Α',    0x7FF,   0x800,   0x9BE,   0x1100,  0x1680, 0x1E9E, 0x1FFC,
    0x200B, 0x2028, 0x212A, 0x2126,  0x24B6,  0x3000,  0xAC00,  0xAC01,  0xD7A3,  0xD7FF,  0xE000, 0xFB01, 0xFDFA,
    0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x10400, 0x1D400, 0x1F600, 0x1F1E6, 0xE0100, 0x10FFFF};

char32_t character(Random& random) {
    if (random.one_in(2)) return edge_cases[random.below(std::size(edge_cases))];
    if (random.one_in(2)) return static_cast<char32_t>(random.below(128));
    const auto c = static_cast<char32_t>(random.below(unicode::last + 1));
    return c >= 0xD800 && c < 0xE000 ? U'σ' : c;
}

std::string text_of(Random& random) {
    std::string text;
    const std::size_t length = random.one_in(8) ? random.below(2000) : random.below(200);
    switch (random.below(5)) {
        case 0:  // arbitrary bytes
            while (text.size() < length) text.push_back(random.byte());
            break;
        case 1:  // plain words that fill whole blocks
            while (text.size() < length)
                text += std::string(random.below(20), static_cast<char>('A' + random.below(60))) +
                        (random.one_in(3) ? "," : " ");
            break;
        case 2:  // plain words with an occasional special character
            while (text.size() < length)
                if (random.one_in(40)) unicode::append(text, character(random));
                else text.push_back(static_cast<char>(' ' + random.below(95)));
            break;
        default:
            while (text.size() < length) unicode::append(text, character(random));
    }
    if (random.one_in(3))
        for (std::size_t spoilt = 1 + random.below(4); spoilt > 0 && !text.empty(); --spoilt) {
            const std::size_t at = random.below(text.size());
            if (random.one_in(3)) text.erase(at, 1 + random.below(3));
            else if (random.one_in(2)) text.insert(at, 1, random.byte());
            else text[at] = random.byte();
        }
    return text;
}

TokenizerOptions options_of(Random& random) {
    TokenizerOptions options;
    options.unit = static_cast<TokenizerOptions::Unit>(random.below(3));
    options.least_ngram = static_cast<std::uint32_t>(1 + random.below(random.one_in(8) ? 64 : 3));
    options.most_ngram = options.least_ngram +
                         static_cast<std::uint32_t>(random.below(std::min<std::size_t>(4, 65 - options.least_ngram)));
    options.least_length = static_cast<std::uint32_t>(1 + random.below(4));
    if (random.one_in(3)) options.most_length = options.least_length + static_cast<std::uint32_t>(random.below(70));
    options.lowercase = !random.one_in(4);
    options.strip_accents = random.one_in(3);
    if (random.one_in(4)) {
        std::u32string known;  // a character is in one group only
        for (std::size_t left = 1 + random.below(40); left > 0; --left) {
            const char32_t c = character(random);
            if (known.find(c) != std::u32string::npos) continue;
            known += c;
            const bool joins = options.unit != TokenizerOptions::Unit::words && random.one_in(2);
            if (joins && !options.characters.empty()) options.characters.back() += c;
            else options.characters.emplace_back(1, c);
        }
    }
    return options;
}

std::vector<std::string> some_of(const std::vector<std::string>& tokens, Random& random) {
    std::vector<std::string> stop_words;
    for (std::size_t left = tokens.empty() ? 0 : random.below(6); left > 0; --left) {
        const std::string& token = tokens[random.below(tokens.size())];
        if (token.find(' ') == std::string::npos) stop_words.push_back(token);
    }
    return stop_words;
}

[[noreturn]] void fail(const char* what, std::uint64_t seed, const TokenizerOptions& options, std::string_view text) {
    std::cerr << what << " differ: seed " << seed << ", unit " << static_cast<int>(options.unit) << ", n-grams "
              << options.least_ngram << " to " << options.most_ngram << ", length " << options.least_length << " to "
              << options.most_length << ", lowercase " << options.lowercase << ", strip_accents "
              << options.strip_accents << ", " << options.characters.size() << " groups of characters, "
              << options.stop_words.size() << " stop words, text\n"
              << std::hex;
    for (const char byte : text) std::cerr << "\\x" << (static_cast<unsigned>(byte) & 0xFF);
    std::cerr << "\n";
    std::exit(1);
}

// A few texts, each in an allocation of its own size so that an overrun is detected. Returns their total number of
// bytes.
std::size_t attack(std::uint64_t seed) {
    Random random(seed);
    TokenizerOptions options = options_of(random);
    std::vector<std::unique_ptr<char[]>> held;
    std::vector<std::string_view> documents;
    std::vector<std::int64_t> codes;
    std::vector<double> weights;
    std::size_t bytes = 0;
    for (std::size_t left = 1 + random.below(6); left > 0; --left) {
        const std::string text = text_of(random);
        held.push_back(std::make_unique<char[]>(text.size()));
        std::memcpy(held.back().get(), text.data(), text.size());
        documents.push_back(random.one_in(20) ? std::string_view() : std::string_view(held.back().get(), text.size()));
        codes.push_back(static_cast<std::int64_t>(random.below(4)) - 1);
        weights.push_back(static_cast<double>(random.below(5)));
        bytes += text.size();
    }
    if (options.unit == TokenizerOptions::Unit::words && random.one_in(2))
        options.stop_words = some_of(slow::tokens(options, documents[0]), random);
    const Tokenizer tokenizer(options);
    for (const std::string_view text : documents)
        if (slow::fast_tokens(tokenizer, text) != slow::tokens(options, text)) fail("tokens", seed, options, text);
    const slow::Cells expected = slow::counts(options, documents, codes, weights);
    const TokenCounts counts =
        count_tokens(tokenizer, documents, codes.data(), weights.data(), 3, {}, 0, 1 + random.below(3), {});
    if (slow::laid_out(counts) != expected) fail("counts", seed, options, documents[0]);

    const TokenIndex index({counts.bytes.data(), counts.bytes.size()}, counts.ends, nullptr);
    const TokenMatrix matrix = token_matrix(tokenizer, index, documents, {}, 1, {});
    std::map<std::int32_t, double> row_sums, token_sums;
    for (std::size_t row = 0; row < documents.size(); ++row)
        for (auto at = static_cast<std::size_t>(matrix.starts[row]);
             at < static_cast<std::size_t>(matrix.starts[row + 1]); ++at)
            if (codes[row] >= 0) row_sums[matrix.columns[at]] += weights[row] * matrix.values[at];
    for (std::size_t at = 0; at < counts.tokens.size(); ++at) token_sums[counts.tokens[at]] += counts.counts[at];
    std::erase_if(row_sums, [](const auto& entry) { return entry.second == 0.0; });
    if (row_sums != token_sums) fail("rows", seed, options, documents[0]);

    const TokenValues values{random.one_in(2), random.one_in(2)};
    const std::size_t columns = std::size_t{16} << random.below(8);
    const TokenCounts hashed =
        count_tokens(tokenizer, documents, codes.data(), weights.data(), 3, values, columns, 2, {});
    double total = 0.0, all = 0.0;
    for (const double entry : hashed.counts) total += entry;
    for (const double entry :
         count_tokens(tokenizer, documents, codes.data(), weights.data(), 3, values, 0, 1, {}).counts)
        all += entry;
    if (!(std::abs(total - all) <= 1e-9 * all)) fail("hashed totals", seed, options, documents[0]);
    return bytes;
}

}  // namespace

int main(int arguments, char** given) {
    double seconds = 10.0;
    std::uint64_t seed = std::random_device{}();
    for (int k = 1; k < arguments; k += 2) {
        const std::string name = given[k];
        if (k + 1 >= arguments || (name != "--seconds" && name != "--seed")) {
            std::cerr << "usage: fuzz_tokenizer [--seconds N] [--seed N]\n";
            return 2;
        }
        if (name == "--seconds") seconds = std::strtod(given[k + 1], nullptr);
        else seed = std::strtoull(given[k + 1], nullptr, 10);
    }
    std::cout << "seed " << seed << std::endl;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::size_t rounds = 0, bytes = 0;
    do {
        bytes += attack(seed++);
        ++rounds;
    } while (std::chrono::steady_clock::now() < end);
    std::cout << rounds << " rounds, " << bytes << " bytes, no difference\n";
    return 0;
}
