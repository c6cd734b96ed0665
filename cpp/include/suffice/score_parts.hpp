// Scores of rows that belong to several parts, each with its own tables: in cross-validation, each fold is scored by
// the model of the others. Rows are not copied, and the scores are in the order of the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "suffice/kept_tables.hpp"

namespace suffice {

// `parts` has the index of the tables of each row. `x` is a matrix with contiguous rows; the tables have the same
// number of classes and no levels.
Scores score_parts(const std::vector<const KeptTables*>& tables, const Table& x, const std::int32_t* parts, const Asked& asked,
                   std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
