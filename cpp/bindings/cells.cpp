// Bindings of the cells that are chosen for the class.
#include "cells.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "suffice/cells.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;
using Table2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

ClassCounts checked(const Table2& counts) {
    for (std::size_t k = 0; k < counts.size(); ++k)
        if (!(counts.data()[k] >= 0) || std::isinf(counts.data()[k])) throw std::invalid_argument("counts must be finite and at least 0");
    return {counts.data(), counts.shape(0), counts.shape(1)};
}

CellKind kind_of(const std::string& kind) {
    if (kind != "intervals" && kind != "groups") throw std::invalid_argument("kind must be intervals or groups");
    return kind == "intervals" ? CellKind::intervals : CellKind::groups;
}

std::pair<OutInts, OutInts> choose_cells_of(const std::string& kind, const Table2& counts, const Ints& offsets, std::size_t threads) {
    const ClassCounts table = checked(counts);
    const std::span<const std::int64_t> ends(offsets.data(), offsets.shape(0));
    if (ends.empty() || ends.front() != 0 || ends.back() != static_cast<std::int64_t>(table.bins))
        throw std::invalid_argument("offsets must go from 0 to the number of rows of counts");
    for (std::size_t k = 1; k < ends.size(); ++k)
        if (ends[k] < ends[k - 1]) throw std::invalid_argument("offsets must not fall");
    const CellKind of = kind_of(kind);
    const auto chosen = without_gil([&](const Interrupt& i) { return choose_cells(of, table, ends, threads, i); });
    std::vector<std::int64_t> cells, starts{0};
    for (const auto& column : chosen) {
        cells.insert(cells.end(), column.begin(), column.end());
        starts.push_back(static_cast<std::int64_t>(cells.size()));
    }
    const std::size_t number = cells.size(), columns = starts.size();
    return {hand_over<OutInts>(std::move(cells), {number}), hand_over<OutInts>(std::move(starts), {columns})};
}

double cell_cost_of(const std::string& kind, const Table2& counts, const Ints& cells) {
    const ClassCounts table = checked(counts);
    const std::span<const std::int64_t> given(cells.data(), cells.shape(0));
    const auto end = static_cast<std::int64_t>(table.bins);
    if (kind_of(kind) == CellKind::groups) {
        if (given.size() != table.bins) throw std::invalid_argument("there must be a group for each level");
        for (const std::int64_t group : given)
            if (group < 0 || group >= end) throw std::invalid_argument("groups must be numbers below the number of levels");
        return group_cost(table, given);
    }
    std::int64_t before = -1;
    for (const std::int64_t start : given) {
        if (start <= before || start >= end || (before < 0 && start != 0)) throw std::invalid_argument("starts must rise from 0");
        before = start;
    }
    return interval_cost(table, given);
}

}  // namespace

void define_cells(nb::module_& m) {
    m.def("choose_cells", &choose_cells_of, "kind"_a, "counts"_a, "offsets"_a, "threads"_a,
          "(cells, starts): for intervals the first bin of each, for groups the group of each level, column after column; "
          "those of column j are starts[j] … starts[j + 1]. The bins of column j are the rows offsets[j] … offsets[j + 1] "
          "of counts, bins × classes.");
    m.def("cell_cost", &cell_cost_of, "kind"_a, "counts"_a, "cells"_a, "The cost of the cells of one column (for tests).");
}

}  // namespace suffice::bindings
