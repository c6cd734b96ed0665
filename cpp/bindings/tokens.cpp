// Tokenizer, count_tokens, TokenIndex, and documents as rows of counts or scores.
#include "tokens.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "documents.hpp"
#include "suffice/token_index.hpp"
#include "suffice/token_rows.hpp"
#include "suffice/token_union.hpp"
#include "suffice/tokens.hpp"
#include "suffice/unicode.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;

using InBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InEnds = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InBools = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InFloats = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using InTable = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutBytes = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>, nb::c_contig>;
using OutTokens = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>, nb::c_contig>;

constexpr std::size_t bytes_worth_a_thread = std::size_t{1} << 18;

std::string_view bytes_of(const InBytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

OutBytes hand_over_bytes(std::vector<char>&& bytes) {
    auto* kept = new std::vector<char>(std::move(bytes));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<char>*>(p); });
    return OutBytes(kept->data(), {kept->size()}, owner);
}

template <class Out, class T, class Allocator>
Out array_of(std::vector<T, Allocator>&& values) {
    const std::size_t size = values.size();
    return hand_over<Out>(std::move(values), {size});
}

std::size_t threads_for_documents(Documents documents, std::size_t asked) {
    std::size_t bytes = 0;
    for (const std::string_view text : documents)
        if ((bytes += text.size() + 16) >= bytes_worth_a_thread) return asked;
    return 1;
}

TokenizerOptions::Unit unit_of(const std::string& unit) {
    if (unit == "words") return TokenizerOptions::Unit::words;
    if (unit == "chars") return TokenizerOptions::Unit::chars;
    if (unit == "chars_in_words") return TokenizerOptions::Unit::chars_in_words;
    throw std::invalid_argument("unit must be words, chars or chars_in_words: got " + unit + ".");
}

std::u32string characters_of(std::string_view text) {
    std::u32string characters;
    for (std::size_t at = 0; at < text.size();) {
        const unicode::Decoded decoded = unicode::decode(text, at);
        characters.push_back(decoded.character);
        at += decoded.bytes;
    }
    return characters;
}

void create(Tokenizer* self, const std::string& unit, std::uint32_t least_ngram, std::uint32_t most_ngram,
            std::uint32_t least_length, std::uint32_t most_length, bool lowercase, bool strip_accents,
            const std::vector<std::string>& characters, std::vector<std::string> stop_words) {
    TokenizerOptions options{unit_of(unit), least_ngram,   most_ngram, least_length,         most_length,
                             lowercase,     strip_accents, {},         std::move(stop_words)};
    for (const std::string& group : characters) options.characters.push_back(characters_of(group));
    new (self) Tokenizer(std::move(options));
}

nb::typed<nb::list, nb::bytes> tokens_of(const Tokenizer& tokenizer, const HeldDocuments& documents, std::size_t row) {
    if (row >= documents.texts.size() || is_missing(documents.texts[row]))
        throw nb::index_error("the row is out of range or missing");
    TokenScratch scratch;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places;
    tokenizer(documents.texts[row], scratch,
              [&](std::uint32_t start, std::uint32_t length) { places.emplace_back(start, length); });
    nb::list tokens;
    for (const auto& [start, length] : places) tokens.append(nb::bytes(scratch.bytes.data() + start, length));
    return nb::borrow<nb::typed<nb::list, nb::bytes>>(tokens);
}

void require_length(const char* what, std::size_t got, std::size_t expected) {
    if (got != expected)
        throw std::invalid_argument(std::string(what) + " must have " + std::to_string(expected) + " entries: got " +
                                    std::to_string(got) + ".");
}

std::tuple<OutBytes, OutInts, OutInts, OutTokens, Out1, Out1, Out1> count(
    const Tokenizer& tokenizer, const HeldDocuments& documents, const InEnds& codes,
    const std::optional<InFloats>& weights, std::size_t classes, bool log, bool unit_length, std::size_t columns,
    std::size_t threads) {
    require_length("codes", codes.size(), documents.texts.size());
    if (weights) require_length("weights", weights->size(), documents.texts.size());
    if (columns != 0 && (!std::has_single_bit(columns) || columns < 16 || columns > (std::size_t{1} << 30)))
        throw std::invalid_argument("columns must be a power of two from 2⁴ to 2³⁰: got " + std::to_string(columns) +
                                    ".");
    for (std::size_t row = 0; row < codes.size(); ++row)
        if (codes.data()[row] >= static_cast<std::int64_t>(classes))
            throw std::invalid_argument("codes must be below the number of classes, " + std::to_string(classes) +
                                        ": row " + std::to_string(row) + " has " + std::to_string(codes.data()[row]) +
                                        ".");
    TokenCounts counts = without_gil([&](const Interrupt& interrupt) {
        return count_tokens(tokenizer, documents.view(), codes.data(), weights ? weights->data() : nullptr, classes,
                            {log, unit_length}, columns, threads_for_documents(documents.view(), threads), interrupt);
    });
    return {hand_over_bytes(std::move(counts.bytes)),    array_of<OutInts>(std::move(counts.ends)),
            array_of<OutInts>(std::move(counts.starts)), array_of<OutTokens>(std::move(counts.tokens)),
            array_of<Out1>(std::move(counts.counts)),    array_of<Out1>(std::move(counts.documents)),
            array_of<Out1>(std::move(counts.weights))};
}

void create_index(TokenIndex* self, const InBytes& bytes, const InEnds& ends, const std::optional<InBools>& kept) {
    if (kept) require_length("kept", kept->size(), ends.size() == 0 ? 0 : ends.size() - 1);
    new (self) TokenIndex(bytes_of(bytes), {ends.data(), ends.size()}, kept ? kept->data() : nullptr);
}

TokenIndex hashed_index(std::size_t columns, const std::optional<InEnds>& kept) {
    if (!std::has_single_bit(columns) || columns > (std::size_t{1} << 30))
        throw std::invalid_argument("columns must be a power of two up to 2³⁰: got " + std::to_string(columns) + ".");
    return kept ? TokenIndex(columns, {kept->data(), kept->size()}) : TokenIndex(columns);
}

std::tuple<OutInts, OutTokens, Out1> matrix(const Tokenizer& tokenizer, const TokenIndex& index,
                                            const HeldDocuments& documents, bool log, bool unit_length,
                                            std::size_t threads) {
    TokenMatrix rows = without_gil([&](const Interrupt& interrupt) {
        return token_matrix(tokenizer, index, documents.view(), {log, unit_length},
                            threads_for_documents(documents.view(), threads), interrupt);
    });
    return {array_of<OutInts>(std::move(rows.starts)), array_of<OutTokens>(std::move(rows.columns)),
            array_of<Out1>(std::move(rows.values))};
}

Out2 score(const Tokenizer& tokenizer, const TokenIndex& index, const HeldDocuments& documents, bool log,
           bool unit_length, const InTable& table, const InFloats& start, bool presence, std::size_t threads) {
    const std::size_t classes = table.shape(1), rows = documents.texts.size();
    require_length("table", table.shape(0), index.columns());
    require_length("start", start.size(), classes);
    std::vector<double> out(rows * classes);
    without_gil([&](const Interrupt& interrupt) {
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t c = 0; c < classes; ++c)
                out[row * classes + c] = is_missing(documents.texts[row]) ? 0.0 : start.data()[c];
        score_tokens(tokenizer, index, documents.view(), {log, unit_length}, {classes, table.data(), presence},
                     out.data(), nullptr, threads_for_documents(documents.view(), threads), interrupt);
        return 0;
    });
    return hand_over<Out2>(std::move(out), {rows, classes});
}

std::tuple<OutBytes, OutInts, OutInts, OutInts> unite(const InBytes& left, const InEnds& left_ends,
                                                      const InBytes& right, const InEnds& right_ends) {
    TokenUnion united = without_gil([&](const Interrupt&) {
        return unite_tokens({bytes_of(left), {left_ends.data(), left_ends.size()}},
                            {bytes_of(right), {right_ends.data(), right_ends.size()}});
    });
    return {hand_over_bytes(std::move(united.bytes)), array_of<OutInts>(std::move(united.ends)),
            array_of<OutInts>(std::move(united.left)), array_of<OutInts>(std::move(united.right))};
}

}  // namespace

void define_tokens(nb::module_& m) {
    nb::class_<Tokenizer>(m, "Tokenizer", "How documents are split into tokens.")
        .def("__init__", &create, "unit"_a, "least_ngram"_a, "most_ngram"_a, "least_length"_a, "most_length"_a,
             "lowercase"_a, "strip_accents"_a, "characters"_a, "stop_words"_a)
        .def("tokens", &tokens_of, "documents"_a, "row"_a, "The tokens of one document, as UTF-8, in order.");
    m.def("unicode_version", &unicode::version, "The Unicode version of the tokenizer's tables.");
    m.def("count_tokens", &count, "tokenizer"_a, "documents"_a, "codes"_a, "weights"_a.none(), "classes"_a, "log"_a,
          "unit_length"_a, "columns"_a, "threads"_a,
          "(bytes, ends, starts, tokens, counts, documents, weights): counts by class, tokens sorted by their bytes.");
    nb::class_<TokenIndex>(m, "TokenIndex", "The column of each kept token.")
        .def("__init__", &create_index, "bytes"_a, "ends"_a, "kept"_a.none())
        .def("__len__", &TokenIndex::columns)
        .def_static("hashed", &hashed_index, "columns"_a, "kept"_a.none(),
                    "Hashed columns: all, or those in kept, which must be increasing.");
    m.def("token_matrix", &matrix, "tokenizer"_a, "index"_a, "documents"_a, "log"_a, "unit_length"_a, "threads"_a,
          "(starts, columns, values): the CSR matrix of token counts.");
    m.def("score_tokens", &score, "tokenizer"_a, "index"_a, "documents"_a, "log"_a, "unit_length"_a, "table"_a,
          "start"_a, "presence"_a, "threads"_a,
          "start + Σ x weight for every document and class; a missing document contributes nothing.");
    m.def("unite_tokens", &unite, "left"_a, "left_ends"_a, "right"_a, "right_ends"_a,
          "(bytes, ends, positions of the left tokens, positions of the right tokens): the union of two sorted "
          "vocabularies.");
}

}  // namespace suffice::bindings
