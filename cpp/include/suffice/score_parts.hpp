// Scores of rows that belong to several parts, each part with tables of its own: the folds of a validation, each scored by
// the model of the others. Rows stay where they are, and the scores of each stand in its place.
#pragma once

#include <cstdint>
#include <vector>

#include "suffice/kept_tables.hpp"

namespace suffice {

// `parts` has the number of each row's tables. `x` is a matrix in which the cells of a row lie side by side, the tables have
// the same number of classes and no levels.
Scores score_parts(const std::vector<const KeptTables*>& tables, const Table& x, const std::int32_t* parts, const Asked& asked,
                   std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
