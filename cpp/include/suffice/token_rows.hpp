// Documents as rows over the columns of an index: counted, or scored at once.
//
//   counted   a CSR matrix, columns rising within a row
//   scored    start_c + Σ_k x_k weight_kc, x_k as `TokenValues` says, or 1 for each token that is present
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

TokenMatrix token_matrix(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents, const TokenValues& values,
                         std::size_t threads, const Interrupt& interrupt);

struct TokenWeights {
    std::size_t classes;
    const double* table;  // columns × classes
    bool presence;        // a token counts once
};

// Adds the scores to `out`, rows × classes. A missing document adds nothing. `lengths` gets Σ x of each row, where it is
// not null.
void score_tokens(const Tokenizer& tokenizer, const TokenIndex& index, Documents documents, const TokenValues& values,
                  const TokenWeights& weights, double* out, double* lengths, std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
