// The tables of a reading as the kernels want them: rows of `width` numbers, the classes padded to whole lanes.
#pragma once

#include <cstdint>
#include <vector>

#include "aligned.hpp"
#include "score_counts.hpp"
#include "score_ellipses.hpp"
#include "suffice/score.hpp"

namespace suffice {

// Made once, for a call or for many (suffice/kept_tables.hpp), and shared by all threads.
struct CompiledTables {
    // `dense_rows`: see CompiledCounts.
    CompiledTables(const ScoreTables& tables, std::size_t dense_rows);

    struct Levels {
        std::vector<std::uint32_t> first;
        std::vector<std::uint64_t> levels;
        Aligned table;  // one slot for what is missing before the levels of each column
        Levels(const LevelTerms& terms, std::size_t classes);
    };
    struct Steps {
        std::vector<std::size_t> steps, start;
        std::vector<double> trees;
        Levels levels;
        Steps(const StepTerms& terms, std::size_t classes);
    };
    struct Quadratic {
        Aligned m, s, c, constant;
    };
    struct Student {
        Aligned m, s, c, e, constant;
        bool rising;  // no s is negative
    };

    const ScoreTables& tables;
    std::size_t classes, width;
    std::vector<Quadratic> quadratic;
    std::vector<Student> student;
    std::vector<Levels> level;
    std::vector<Aligned> presence;  // rows of 3: missing, absent, present
    std::vector<Aligned> linear;
    std::vector<bool> finite;       // of linear: whether every weight is
    std::vector<CompiledCounts> count;
    std::vector<Steps> step;
    std::vector<Aligned> observed;  // rows of 2: missing, known
    std::vector<EllipsePattern> ellipse;  // of rows in which every column is known
};

bool all_finite(const std::vector<double>& values);

}  // namespace suffice
