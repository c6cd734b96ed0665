// Counts of tokens by class, collected from documents in one pass.
//
//   count_ck      Σ w x over the documents of class c: x is the number of occurrences of token k, or a function of
//                 the occurrences of all tokens of the document
//   documents_ck  Σ w over the documents in which token k occurs
//   weight_c      Σ w over the documents of class c that are not missing
//
// Tokens are assigned to shards by their hash. Documents are sorted by class and cut into units. A thread counts the
// tokens of a unit and adds them to one shard after the other, to each shard only after all earlier units. Every count
// is therefore summed in the order of the units, whatever the number of threads, while the shards keep all threads
// busy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suffice/documents.hpp"
#include "suffice/pages.hpp"
#include "suffice/parallel.hpp"
#include "suffice/tokenizer.hpp"

namespace suffice {

// The value of an occurrence count x_k: x_k itself or 1 + ln x_k, optionally divided by the Euclidean norm over the
// document.
struct TokenValues {
    bool log = false, unit_length = false;
    bool plain() const { return !log && !unit_length; }
};

// Counts by class, tokens increasing within a class. Tokens are numbered in the order of their bytes, which are stored
// end to end. In hashed counts the numbers are columns, and there are no bytes.
struct TokenCounts {
    std::vector<char> bytes;
    std::vector<std::int64_t> ends;    // ends of the tokens, preceded by a 0
    std::vector<std::int64_t> starts;  // starts of the classes, C + 1
    UnsetOf<std::int32_t> tokens;
    Unset counts, documents;
    std::vector<double> weights;  // C
};

// `codes` are classes, negative for an excluded document; `weights` may be null. If `columns` > 0, a power of two,
// tokens are counted by hash in that many columns.
TokenCounts count_tokens(const Tokenizer& tokenizer, Documents documents, const std::int64_t* codes,
                         const double* weights, std::size_t classes, const TokenValues& values, std::size_t columns,
                         std::size_t threads, const Interrupt& interrupt);

// The column of a token among 2^k columns.
inline std::uint32_t hashed_column(std::uint64_t hash, std::size_t columns) {
    return static_cast<std::uint32_t>(hash & (columns - 1));
}

}  // namespace suffice
