// Supervised discretisation of a column: intervals of ordered bins (Boullé 2006, MODL) and groups of unordered levels
// (Boullé 2005).
//
//   N rows, J classes with weight, I cells; N_i rows in cell i, N_ij of them of class j; counts may be fractional
//   F            = Σ_i [ ln C(N_i + J − 1, J − 1) + ln(N_i! / Π_j N_ij!) ]
//                = Σ_i [ ln Γ(N_i + J) − ln Γ(J) − Σ_j ln N_ij! ]
//   intervals      ln N + ln C(N + I − 1, I − 1) + F
//   groups         ln V + ln B(V, I) + F,  V levels with weight, B(V, I) = Σ_{k ≤ I} S(V, k), S Stirling's second kind
//
// Intervals: neighbouring bins of the same single class are joined, which does not exclude any optimal partition. From
// these, neighbours are merged down to one interval, always the pair whose merge increases F least, and the best of
// these partitions is improved: the best of all splits, merges, moves of one edge, and merges of three intervals into
// two is applied as long as it lowers the cost.
//
// Groups: the levels are ordered by class distribution (J = 2: by the fraction of the larger class, otherwise by the
// class of the greatest lift and its fraction) and merged with their neighbours until at most `most_groups` remain,
// then pair by pair down to one group. The best of these partitions is improved by moving single levels, also into new
// groups, and by merging pairs of groups, until no step lowers the cost. Levels without weight join the group with the
// greatest weight.
//
// Costs depend only on the partition, and ties go to the first candidate, so the result is the same on every
// instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suffice/parallel.hpp"

namespace suffice {

inline constexpr std::size_t most_groups = 256;  // compared pair by pair

// Counts, bins × classes: finite and at least 0.
struct ClassCounts {
    const double* values;
    std::size_t bins, classes;
};

// The first bin of each interval; empty if there are no bins.
std::vector<std::int64_t> choose_intervals(const ClassCounts& counts);
double interval_cost(const ClassCounts& counts, std::span<const std::int64_t> starts);

// The group of each level, numbered in the order of their first levels.
std::vector<std::int64_t> choose_groups(const ClassCounts& counts);
double group_cost(const ClassCounts& counts, std::span<const std::int64_t> groups);

// The same for several columns: the bins of column j are offsets[j] … offsets[j + 1]. One result per column.
enum class CellKind { intervals, groups };
std::vector<std::vector<std::int64_t>> choose_cells(CellKind kind, const ClassCounts& counts,
                                                    std::span<const std::int64_t> offsets, std::size_t threads,
                                                    const Interrupt& interrupt);

}  // namespace suffice
