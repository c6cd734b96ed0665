// Which columns of a table the terms need as numbers, and where each stands in a tile.
#pragma once

#include <vector>

#include "suffice/score.hpp"

namespace suffice {

struct NeededColumns {
    std::vector<std::size_t> columns, place;
    std::vector<bool> wanted;

    NeededColumns(const ScoreTables& t, std::size_t cols) : place(cols), wanted(cols) {
        const auto want = [&](const auto& blocks) {
            for (const auto& block : blocks)
                for (const std::size_t j : block.columns) wanted[j] = true;
        };
        want(t.quadratic), want(t.student), want(t.presence), want(t.linear), want(t.count), want(t.coefficient);
        want(t.step), want(t.observed), want(t.ellipse);
        find_places();
    }
    // Every column, whatever the terms: one tile for several tables.
    explicit NeededColumns(std::size_t cols) : place(cols), wanted(cols, true) { find_places(); }

  private:
    void find_places() {
        for (std::size_t j = 0; j < wanted.size(); ++j)
            if (wanted[j]) {
                place[j] = columns.size();
                columns.push_back(j);
            }
    }
};

}  // namespace suffice
