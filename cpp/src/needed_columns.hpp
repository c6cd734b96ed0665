// Which columns of a table the terms need as numbers, and the position of each in a tile.
#pragma once

#include <vector>

#include "suffice/score.hpp"

namespace suffice {

struct NeededColumns {
    std::vector<std::size_t> columns, place;
    std::vector<bool> wanted;

    NeededColumns(const ScoreTables& t, std::size_t cols) : place(cols), wanted(cols) {
        for (const Term& term : t.terms)
            if (!takes_codes(term))
                for (const std::size_t j : columns_of(term)) wanted[j] = true;
        find_places();
    }
    // All columns, whatever the terms: one tile for several tables.
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
