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
        for (std::size_t j = 0; j < cols; ++j)
            if (wanted[j]) {
                place[j] = columns.size();
                columns.push_back(j);
            }
    }
};

}  // namespace suffice
