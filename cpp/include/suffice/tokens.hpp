// Documents to counts of tokens by class, in one pass.
//
//   count_ck      Σ w x over the documents of class c: x is how often token k occurs, or a function of how often each
//                 token of the document does
//   documents_ck  Σ w over those in which it occurs
//   weight_c      Σ w over the documents of class c that are there
//
// Tokens are dealt to shards by their hash. A thread takes a unit of documents, which come class after class, counts its
// tokens, and adds them to one shard after the other, when all units before have been added to that shard: every count is
// summed in the order of the units, whatever the number of threads, and the shards keep them all at work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "suffice/documents.hpp"
#include "suffice/pages.hpp"
#include "suffice/parallel.hpp"
#include "suffice/tokenizer.hpp"

namespace suffice {

// What a document's occurrences x_k count: as they are, or 1 + ln x_k; divided by the root of their squares' sum or not.
struct TokenValues {
    bool log = false, unit_length = false;
    bool plain() const { return !log && !unit_length; }
};

// Counts by class, tokens rising within a class. Tokens are numbered in the order of their bytes, and lie end to end; in
// hashed counts they are the numbers of columns, and there are no bytes.
struct TokenCounts {
    std::vector<char> bytes;
    std::vector<std::int64_t> ends;    // of the tokens, after a leading 0
    std::vector<std::int64_t> starts;  // of the classes, C + 1
    UnsetOf<std::int32_t> tokens;
    Unset counts, documents;
    std::vector<double> weights;  // C
};

// `codes` are classes, negative to leave a document out; `weights` may be null. With `columns` > 0, a power of two,
// tokens are counted in as many columns, by their hash.
TokenCounts count_tokens(const Tokenizer& tokenizer, Documents documents, const std::int64_t* codes, const double* weights,
                         std::size_t classes, const TokenValues& values, std::size_t columns, std::size_t threads,
                         const Interrupt& interrupt);

// The column of a token among 2^k.
inline std::uint32_t hashed_column(std::uint64_t hash, std::size_t columns) { return static_cast<std::uint32_t>(hash & (columns - 1)); }

}  // namespace suffice
