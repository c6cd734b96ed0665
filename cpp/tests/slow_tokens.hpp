// The tokenizer by definition, slowly: the text becomes characters, the characters are rewritten, and the tokens are
// cut out of them one at a time. Only the character properties (flags, lower case, decomposition) come from the core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "suffice/tokens.hpp"

namespace slow {

using suffice::TokenizerOptions;
using Characters = std::u32string;

// The UTF-8 encodings of characters (Unicode, table 3-7), and as the last one a lone surrogate: the range of each byte.
struct Spelling {
    std::size_t bytes;
    unsigned char low[4], high[4];
};
inline constexpr Spelling spellings[] = {
    {1, {0x00}, {0x7F}},
    {2, {0xC2, 0x80}, {0xDF, 0xBF}},
    {3, {0xE0, 0xA0, 0x80}, {0xE0, 0xBF, 0xBF}},
    {3, {0xE1, 0x80, 0x80}, {0xEC, 0xBF, 0xBF}},
    {3, {0xED, 0x80, 0x80}, {0xED, 0x9F, 0xBF}},
    {3, {0xEE, 0x80, 0x80}, {0xEF, 0xBF, 0xBF}},
    {4, {0xF0, 0x90, 0x80, 0x80}, {0xF0, 0xBF, 0xBF, 0xBF}},
    {4, {0xF1, 0x80, 0x80, 0x80}, {0xF3, 0xBF, 0xBF, 0xBF}},
    {4, {0xF4, 0x80, 0x80, 0x80}, {0xF4, 0x8F, 0xBF, 0xBF}},
    {3, {0xED, 0xA0, 0x80}, {0xED, 0xBF, 0xBF}},
};

// The first character of a text and the bytes that it takes: U+FFFD for the longest prefix of an encoding that does not
// continue as one, at least one byte.
inline std::pair<char32_t, std::size_t> front(std::string_view text) {
    std::size_t longest = 1;
    for (const Spelling& spelling : spellings) {
        std::size_t fits = 0;
        while (fits < spelling.bytes && fits < text.size() &&
               static_cast<unsigned char>(text[fits]) >= spelling.low[fits] &&
               static_cast<unsigned char>(text[fits]) <= spelling.high[fits])
            ++fits;
        longest = std::max(longest, fits);
        if (fits < spelling.bytes) continue;
        char32_t c = static_cast<unsigned char>(text[0]);
        if (spelling.bytes > 1) c &= (1u << (7 - spelling.bytes)) - 1;
        for (std::size_t k = 1; k < spelling.bytes; ++k) c = c * 64 + (static_cast<unsigned char>(text[k]) - 0x80);
        return {c >= 0xD800 && c <= 0xDFFF ? char32_t{0xFFFD} : c, spelling.bytes};
    }
    return {0xFFFD, longest};
}

inline Characters decoded(std::string_view text) {
    Characters characters;
    while (!text.empty()) {
        const auto [c, bytes] = front(text);
        characters.push_back(c);
        text.remove_prefix(bytes);
    }
    return characters;
}

inline std::string spelled(const Characters& characters) {
    std::string bytes;
    for (const char32_t c : characters) suffice::unicode::append(bytes, c);
    return bytes;
}

inline bool has(char32_t c, suffice::unicode::Flag flag) {
    return (suffice::unicode::Characters::known().flags(c) & flag) != 0;
}

// A sigma is final when the nearest preceding character that is not ignorable is cased, and the nearest following one
// is not.
inline bool is_final(const Characters& text, std::size_t at) {
    namespace unicode = suffice::unicode;
    std::size_t before = at;
    while (before > 0 && has(text[before - 1], unicode::ignorable)) --before;
    if (before == 0 || !has(text[before - 1], unicode::cased)) return false;
    std::size_t after = at + 1;
    while (after < text.size() && has(text[after], unicode::ignorable)) ++after;
    return after == text.size() || !has(text[after], unicode::cased);
}

inline Characters small(const Characters& text) {
    Characters out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char32_t c = text[at];
        if (c == 0x130) out += U"i\u0307";
        else if (c == 0x3A3) out += is_final(text, at) ? U'ς' : U'σ';
        else out += has(c, suffice::unicode::has_lower) ? suffice::unicode::Characters::known().lower(c) : c;
    }
    return out;
}

inline Characters plain(const Characters& text) {
    Characters out;
    for (const char32_t c : text) {
        if (c >= 0xAC00 && c <= 0xD7A3) {
            const char32_t s = c - 0xAC00;
            out += {char32_t{0x1100} + s / (21 * 28), char32_t{0x1161} + s / 28 % 21};
            if (s % 28 != 0) out += char32_t{0x11A7} + s % 28;
        } else if (has(c, suffice::unicode::has_plain)) {
            const auto left = suffice::unicode::Characters::known().plain(c);
            out.append(left.begin(), left.end());
        } else {
            out += c;
        }
    }
    return out;
}

template <class Belongs>
std::vector<Characters> runs(const Characters& text, Belongs&& belongs) {
    std::vector<Characters> runs(1);
    for (const char32_t c : text) {
        if (belongs(c)) runs.back() += c;
        else if (!runs.back().empty()) runs.emplace_back();
    }
    if (runs.back().empty()) runs.pop_back();
    return runs;
}

// The group of a character, or nothing.
inline Characters group_of(const TokenizerOptions& options, char32_t c) {
    for (const Characters& group : options.characters)
        if (group.find(c) != Characters::npos) return group;
    return {};
}

// The spelling of each character: that of its group, or its own.
inline std::vector<std::string> symbols(const TokenizerOptions& options, const Characters& text) {
    std::vector<std::string> symbols;
    for (const char32_t c : text) {
        const Characters group = group_of(options, c);
        symbols.push_back(spelled(group.empty() ? Characters(1, c) : group));
    }
    return symbols;
}

inline std::string joined(const std::vector<std::string>& symbols, std::size_t at, std::size_t n) {
    std::string token;
    for (std::size_t k = at; k < std::min(at + n, symbols.size()); ++k) token += symbols[k];
    return token;
}

inline std::vector<std::string> words(const TokenizerOptions& options, const Characters& text) {
    const auto belongs = [&](char32_t c) {
        return options.characters.empty() ? has(c, suffice::unicode::word) : !group_of(options, c).empty();
    };
    std::vector<std::string> kept, tokens;
    for (const Characters& word : runs(text, belongs)) {
        if (word.size() < options.least_length || word.size() > options.most_length) continue;
        const std::string spelling = spelled(word);
        const auto& stop = options.stop_words;
        if (std::find(stop.begin(), stop.end(), spelling) == stop.end()) kept.push_back(spelling);
    }
    for (std::size_t n = options.least_ngram; n <= options.most_ngram; ++n)
        for (std::size_t at = 0; at + n <= kept.size(); ++at) {
            std::string token = kept[at];
            for (std::size_t k = 1; k < n; ++k) token += " " + kept[at + k];
            tokens.push_back(token);
        }
    return tokens;
}

inline std::vector<std::string> chars(const TokenizerOptions& options, const Characters& text) {
    const auto belongs = [&](char32_t c) { return options.characters.empty() || !group_of(options, c).empty(); };
    const auto is_space = [](char32_t c) { return has(c, suffice::unicode::space); };
    std::vector<std::string> tokens;
    for (const Characters& run : runs(text, belongs)) {
        if (options.unit == TokenizerOptions::Unit::chars_in_words) {
            for (const Characters& word : runs(run, [&](char32_t c) { return !is_space(c); })) {
                std::vector<std::string> padded = symbols(options, word);
                padded.insert(padded.begin(), " ");
                padded.push_back(" ");
                for (std::size_t n = options.least_ngram; n <= options.most_ngram; ++n) {
                    for (std::size_t at = 0; at == 0 || at + n <= padded.size(); ++at)
                        tokens.push_back(joined(padded, at, n));
                    if (padded.size() <= n) break;
                }
            }
            continue;
        }
        Characters narrow;
        for (std::size_t at = 0; at < run.size();) {
            std::size_t end = at;
            while (end < run.size() && is_space(run[end])) ++end;
            if (end - at >= 2) narrow += U' ';
            else narrow += run[at];
            at = std::max(end, at + 1);
        }
        const std::vector<std::string> each = symbols(options, narrow);
        for (std::size_t n = options.least_ngram; n <= options.most_ngram; ++n)
            for (std::size_t at = 0; at + n <= each.size(); ++at) tokens.push_back(joined(each, at, n));
    }
    return tokens;
}

// All tokens of a text, sorted: the definition does not specify their order.
inline std::vector<std::string> tokens(const TokenizerOptions& options, std::string_view text) {
    Characters characters = decoded(text);
    if (options.lowercase) characters = small(characters);
    if (options.strip_accents) characters = plain(characters);
    auto tokens =
        options.unit == TokenizerOptions::Unit::words ? words(options, characters) : chars(options, characters);
    std::sort(tokens.begin(), tokens.end());
    return tokens;
}

inline std::vector<std::string> fast_tokens(const suffice::Tokenizer& tokenizer, std::string_view text) {
    suffice::TokenScratch scratch;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    tokenizer(text, scratch, [&](std::uint32_t start, std::uint32_t length) { places.emplace_back(start, length); });
    std::vector<std::string> tokens;
    for (const auto& [start, length] : places) tokens.emplace_back(scratch.bytes.data() + start, length);
    std::sort(tokens.begin(), tokens.end());
    return tokens;
}

// Counts and documents of every class and token that occurs; a document without bytes of its own is missing.
struct Cell {
    double count = 0.0, documents = 0.0;
    bool operator==(const Cell&) const = default;
};
using Cells = std::map<std::pair<std::int64_t, std::string>, Cell>;

inline Cells counts(const TokenizerOptions& options, const std::vector<std::string_view>& documents,
                    const std::vector<std::int64_t>& codes, const std::vector<double>& weights) {
    Cells cells;
    for (std::size_t row = 0; row < documents.size(); ++row) {
        if (documents[row].data() == nullptr || codes[row] < 0 || weights[row] == 0.0) continue;
        std::string before;
        bool first = true;
        for (const std::string& token : tokens(options, documents[row])) {
            Cell& cell = cells[{codes[row], token}];
            cell.count += weights[row];
            if (first || token != before) cell.documents += weights[row];
            before = token;
            first = false;
        }
    }
    return cells;
}

inline Cells laid_out(const suffice::TokenCounts& counts) {
    Cells cells;
    for (std::size_t c = 0; c + 1 < counts.starts.size(); ++c)
        for (auto at = static_cast<std::size_t>(counts.starts[c]); at < static_cast<std::size_t>(counts.starts[c + 1]);
             ++at) {
            const auto token = static_cast<std::size_t>(counts.tokens[at]);
            const auto start = static_cast<std::size_t>(counts.ends[token]),
                       end = static_cast<std::size_t>(counts.ends[token + 1]);
            cells[{static_cast<std::int64_t>(c), std::string(counts.bytes.data() + start, end - start)}] = {
                counts.counts[at], counts.documents[at]};
        }
    return cells;
}

}  // namespace slow
