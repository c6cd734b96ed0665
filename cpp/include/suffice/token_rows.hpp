// Documents as rows over the columns of an index, either counted or scored directly.
//
//   counted   a CSR matrix, columns increasing within a row
//   scored    start_c + Σ_k x_k weight_kc, with x_k as given by `TokenValues`, or 1 for each token that is present
//
// Every row is summed in the order of its tokens, so the bits are the same for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suffice/token_index.hpp"

namespace suffice {

struct TokenMatrix {
    std::vector<std::int64_t> starts;  // rows + 1
    std::vector<std::int32_t> columns;
    std::vector<double> values;
};

TokenMatrix token_matrix(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents,
                         const TokenValues& values, std::size_t threads, const Interrupt& interrupt);

struct TokenWeights {
    std::size_t classes;
    const double* table;  // columns × classes
    bool presence;        // count each token at most once per document
};

// Adds the scores to `out`, rows × classes. A missing document contributes nothing. `lengths`, if not null, receives Σ
// x of each row.
void score_tokens(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents, const TokenValues& values,
                  const TokenWeights& weights, double* out, double* lengths, std::size_t threads,
                  const Interrupt& interrupt);

}  // namespace suffice
