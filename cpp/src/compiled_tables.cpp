#include "compiled_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "suffice/kernels.hpp"

namespace suffice {
namespace {

// columns × classes → columns × width, padded with zeros.
Aligned padded_rows(const std::vector<double>& table, std::size_t classes) {
    const std::size_t rows = classes == 0 ? 0 : table.size() / classes, width = padded(classes);
    Aligned out(rows * width);
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(table.begin() + static_cast<std::ptrdiff_t>(r * classes), classes, out.begin() + static_cast<std::ptrdiff_t>(r * width));
    return out;
}

Aligned presence_rows(const PresenceTerms& terms, std::size_t classes) {
    const std::size_t width = padded(classes);
    Aligned out(3 * terms.columns.size() * width);
    for (std::size_t j = 0; j < terms.columns.size(); ++j)
        for (std::size_t c = 0; c < classes; ++c) {
            out[(3 * j + 1) * width + c] = terms.absent[j * classes + c];
            out[(3 * j + 2) * width + c] = terms.present[j * classes + c];
        }
    return out;
}

Aligned observed_rows(const ObservedTerms& terms, std::size_t classes) {
    const std::size_t width = padded(classes);
    Aligned out(2 * terms.columns.size() * width);
    for (std::size_t j = 0; j < terms.columns.size(); ++j)
        for (std::size_t c = 0; c < classes; ++c) {
            out[2 * j * width + c] = terms.absent[j * classes + c];
            out[(2 * j + 1) * width + c] = terms.present[j * classes + c];
        }
    return out;
}

std::vector<std::size_t> cells_of(const StepTerms& t) {
    std::vector<std::size_t> sizes;
    for (const std::size_t count : t.edge_counts) sizes.push_back(count + 1);
    return sizes;
}

}  // namespace

bool all_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

CompiledTables::CompiledTables(const ScoreTables& terms, std::size_t dense_rows)
    : tables(terms), classes(terms.classes()), width(padded(classes)) {
    const auto constant = [&](const std::vector<double>& c) {
        Aligned sum(width);
        for (std::size_t k = 0; k < c.size(); ++k) sum[k % classes] += c[k];
        return sum;
    };
    for (const auto& t : terms.quadratic)
        quadratic.push_back({padded_rows(t.m, classes), padded_rows(t.s, classes), padded_rows(t.c, classes), constant(t.c)});
    for (const auto& t : terms.student)
        student.push_back({padded_rows(t.m, classes), padded_rows(t.s, classes), padded_rows(t.c, classes), padded_rows(t.e, classes),
                           constant(t.c), std::all_of(t.s.begin(), t.s.end(), [](double s) { return s >= 0; })});
    for (const auto& t : terms.level) level.emplace_back(t, classes);
    for (const auto& t : terms.presence)
        presence.push_back(presence_rows(t, classes));
    for (const auto& t : terms.linear) {
        linear.push_back(padded_rows(t.weight, classes));
        finite.push_back(all_finite(t.weight));
    }
    for (const auto& t : terms.count) count.emplace_back(t, classes, dense_rows);
    for (const auto& t : terms.step) step.emplace_back(t, classes);
    for (const auto& t : terms.observed) observed.push_back(observed_rows(t, classes));
    ellipse.reserve(terms.ellipse.size());
    for (const auto& t : terms.ellipse) ellipse.emplace_back(t, classes);
}

CompiledTables::Levels::Levels(const LevelTerms& t, std::size_t classes) {
    std::uint32_t next = 0;
    std::size_t row = 0;
    const std::size_t width = padded(classes);
    for (const std::size_t size : t.levels) {
        first.push_back(next);
        levels.push_back(size);
        next += static_cast<std::uint32_t>(size) + 1;
    }
    table.resize(next * width);
    for (std::size_t j = 0; j < t.levels.size(); ++j)
        for (std::size_t k = 0; k < t.levels[j]; ++k, ++row)
            std::copy_n(t.table.begin() + static_cast<std::ptrdiff_t>(row * classes), classes,
                        table.begin() + static_cast<std::ptrdiff_t>((first[j] + 1 + k) * width));
}

CompiledTables::Steps::Steps(const StepTerms& t, std::size_t classes) : levels({t.columns, cells_of(t), t.table}, classes) {
    const double* edges = t.edges.data();
    for (const std::size_t count : t.edge_counts) {
        steps.push_back(static_cast<std::size_t>(std::bit_width(count)));
        start.push_back(trees.size());
        const std::size_t size = std::size_t{1} << steps.back();
        trees.resize(start.back() + size + lanes, std::numeric_limits<double>::quiet_NaN());
        // Entry i of a level with `span` edges below each: the middle one of its own.
        for (std::size_t i = 1; i < size; ++i) {
            const std::size_t top = std::bit_floor(i), span = size / top, middle = (i - top) * span + span / 2 - 1;
            if (middle < count) trees[start.back() + i] = edges[middle];
        }
        edges += count;
    }
}

}  // namespace suffice
