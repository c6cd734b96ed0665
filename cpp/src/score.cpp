#include "suffice/score.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "aligned.hpp"
#include "blocks.hpp"
#include "log_factorials.hpp"
#include "score_counts.hpp"
#include "sparse.hpp"

namespace suffice {
namespace {

constexpr std::size_t tile_rows = 64, unit_rows = 2048;

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

bool all_finite(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

// The tables as the kernels want them, made once a call and shared by its threads.
class Compiled {
  public:
    // `dense_rows`: see CompiledCounts.
    Compiled(const ScoreTables& tables, std::size_t dense_rows) : tables_(tables), classes_(tables.classes()), width_(padded(classes_)) {
        for (const auto& t : tables.quadratic) {
            Aligned constant(width_);
            for (std::size_t k = 0; k < t.c.size(); ++k) constant[k % classes_] += t.c[k];
            quadratic_.push_back({padded_rows(t.m, classes_), padded_rows(t.s, classes_), padded_rows(t.c, classes_), constant});
        }
        for (const auto& t : tables.student)
            student_.push_back({padded_rows(t.m, classes_), padded_rows(t.s, classes_), padded_rows(t.c, classes_), padded_rows(t.e, classes_)});
        for (const auto& t : tables.level) level_.emplace_back(t, classes_);
        for (const auto& t : tables.presence)
            presence_.push_back(presence_rows(t, classes_));
        for (const auto& t : tables.linear) {
            linear_.push_back(padded_rows(t.weight, classes_));
            finite_.push_back(all_finite(t.weight));
        }
        for (const auto& t : tables.count) count_.emplace_back(t, classes_, dense_rows);
        for (const auto& t : tables.step) step_.emplace_back(t, classes_);
        for (const auto& t : tables.observed) observed_.push_back(observed_rows(t, classes_));
    }

    struct Levels {
        std::vector<std::uint32_t> first;
        std::vector<std::uint64_t> levels;
        Aligned table;  // one slot for what is missing before the levels of each column
        Levels(const LevelTerms& t, std::size_t classes) {
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
    };
    struct Steps {
        std::vector<std::size_t> steps, start;
        std::vector<double> trees;
        Levels levels;
        Steps(const StepTerms& t, std::size_t classes) : levels({t.columns, cells(t), t.table}, classes) {
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
        static std::vector<std::size_t> cells(const StepTerms& t) {
            std::vector<std::size_t> sizes;
            for (const std::size_t count : t.edge_counts) sizes.push_back(count + 1);
            return sizes;
        }
    };
    struct Quadratic {
        Aligned m, s, c, constant;
    };
    struct Student {
        Aligned m, s, c, e;
    };

    const ScoreTables& tables_;
    std::size_t classes_, width_;
    std::vector<Quadratic> quadratic_;
    std::vector<Student> student_;
    std::vector<Levels> level_;
    std::vector<Aligned> presence_;  // rows of 3: missing, absent, present
    std::vector<Aligned> linear_;
    std::vector<bool> finite_;       // of linear: whether every weight is
    std::vector<CompiledCounts> count_;
    std::vector<Steps> step_;
    std::vector<Aligned> observed_;  // rows of 2: missing, known
};

// Scores of one tile of rows.
class TileScorer {
  public:
    explicit TileScorer(const Compiled& compiled)
        : compiled_(compiled), by_class_(std::max<std::size_t>(compiled.classes_, 1) * tile_rows),
          by_row_(compiled.width_ * tile_rows) {
        for (const auto& block : compiled.count_) counts_.emplace_back(block);
    }

    void start() {
        std::fill(by_class_.begin(), by_class_.end(), 0.0);
        std::fill(by_row_.begin(), by_row_.end(), 0.0);
    }

    // The terms of real columns, counts and presences of the `rows` rows from `first`: `x` is columns × tile_rows, and
    // `place[j]` the position of column j in it.
    void add(const double* x, std::size_t columns, const std::vector<std::size_t>& place, std::size_t first, std::size_t rows) {
        const Kernels& k = kernels();
        const ScoreTables& t = compiled_.tables_;
        const std::size_t classes = compiled_.classes_, width = compiled_.width_;
        const bool missing = k.any_missing(x, columns * tile_rows);
        const auto tile_of = [&](const std::vector<std::size_t>& of) {
            where_.clear();
            for (const std::size_t column : of) where_.push_back(place[column]);
            return RowTile{x, tile_rows, where_.data(), missing};
        };
        for (std::size_t b = 0; b < t.quadratic.size(); ++b) {
            const auto& own = compiled_.quadratic_[b];
            const RowTile tile = tile_of(t.quadratic[b].columns);
            const QuadraticTable table{t.quadratic[b].columns.size(), classes, width, t.quadratic[b].centre.data(),
                                       t.quadratic[b].scale.data(), own.m.data(), own.s.data(), own.c.data(), own.constant.data()};
            k.quadratic_terms(&tile, &table, by_class_.data());
        }
        for (std::size_t b = 0; b < t.student.size(); ++b) {
            const auto& own = compiled_.student_[b];
            const RowTile tile = tile_of(t.student[b].columns);
            const StudentTable table{t.student[b].columns.size(), classes, width, t.student[b].centre.data(),
                                     t.student[b].scale.data(), own.m.data(), own.s.data(), own.c.data(), own.e.data()};
            k.student_terms(&tile, &table, by_class_.data());
        }
        for (std::size_t b = 0; b < t.presence.size(); ++b) {
            const RowTile tile = tile_of(t.presence[b].columns);
            slots_.resize(tile_rows * where_.size());
            k.presence_slots(&tile, where_.size(), t.presence[b].threshold, width, slots_.data());
            sums_.resize(tile_rows * width);
            k.tabled_terms(slots_.data(), tile_rows, where_.size(), compiled_.presence_[b].data(), width, sums_.data());
            add_sums(0, rows);
        }
        for (std::size_t b = 0; b < t.linear.size(); ++b) {
            const RowTile tile = tile_of(t.linear[b].columns);
            const LinearTable table{t.linear[b].columns.size(), classes, width, compiled_.linear_[b].data(), compiled_.finite_[b]};
            if (!k.linear_terms(&tile, &table, by_class_.data())) refuse_counts(tile, t.linear[b].columns, first, rows);
            if (missing && t.linear[b].distribution)
                for (std::size_t r = 0; r < tile_rows; ++r) condition_on_observed(t.linear[b], tile, r);
        }
        for (std::size_t b = 0; b < t.count.size(); ++b) counts_[b].add(tile_of(t.count[b].columns), rows, first, by_row_.data());
        for (const auto& block : t.coefficient) add_coefficient(tile_of(block.columns), block, first, rows);
    }

    // Rows of weights, gathered: see gather_terms.
    void add_gathered(const std::vector<const double*>& from, const std::vector<double>& values,
                      const std::vector<std::size_t>& starts, std::size_t r, std::size_t rows) {
        sums_.resize(tile_rows * compiled_.width_);
        kernels().gather_terms(from.data(), values.data(), starts.data(), rows, compiled_.width_, sums_.data());
        add_sums(r, rows);
    }

    CountScorer& counts(std::size_t block) { return counts_[block]; }
    void add_to_every_class(std::size_t r, double value) {
        for (std::size_t c = 0; c < compiled_.width_; ++c) row(r)[c] += value;
    }

    // The terms of histograms, and of whether a cell is known.
    void add_steps(const double* x, const std::vector<std::size_t>& place) {
        const Kernels& k = kernels();
        const ScoreTables& t = compiled_.tables_;
        const auto tile_of = [&](const std::vector<std::size_t>& of) {
            where_.clear();
            for (const std::size_t column : of) where_.push_back(place[column]);
            slots_.resize(tile_rows * where_.size());
            return RowTile{x, tile_rows, where_.data(), true};
        };
        for (std::size_t b = 0; b < t.step.size(); ++b) {
            const auto& own = compiled_.step_[b];
            const RowTile tile = tile_of(t.step[b].columns);
            const StepTable table{where_.size(), own.steps.data(), own.start.data(), own.trees.data(), own.levels.first.data()};
            k.step_slots(&tile, &table, slots_.data());
            k.slot_terms(slots_.data(), tile_rows, where_.size(), own.levels.table.data(), compiled_.width_, by_row_.data());
        }
        for (std::size_t b = 0; b < t.observed.size(); ++b) {
            const RowTile tile = tile_of(t.observed[b].columns);
            k.observed_slots(&tile, where_.size(), slots_.data());
            k.slot_terms(slots_.data(), tile_rows, where_.size(), compiled_.observed_[b].data(), compiled_.width_, by_row_.data());
        }
    }

    void add_levels(std::size_t block, const std::uint32_t* slots, std::size_t rows) {
        const auto& own = compiled_.level_[block];
        kernels().level_terms(slots, rows, own.first.size(), own.table.data(), compiled_.width_, by_row_.data());
    }

    double* row(std::size_t r) { return by_row_.data() + r * compiled_.width_; }

    std::size_t finish(std::size_t rows, Wanted wanted, double* out) {
        const std::size_t classes = compiled_.classes_, width = compiled_.width_;
        for (std::size_t c = 0; c < classes; ++c)
            for (std::size_t r = 0; r < tile_rows; ++r) by_class_[c * tile_rows + r] += by_row_[r * width + c];
        return kernels().finish_rows(by_class_.data(), tile_rows, rows, classes, compiled_.tables_.log_prior.data(),
                                     static_cast<int>(wanted), out);
    }

  private:
    void add_coefficient(const RowTile& tile, const CoefficientTerms& block, std::size_t first, std::size_t rows) {
        double cells[tile_rows], totals[tile_rows];
        std::uint8_t state[tile_rows];
        const LogFactorials& factorials = LogFactorials::shared();
        kernels().tile_logs(&tile, block.columns.size(), factorials.table(), cells, totals, state);
        for (std::size_t r = 0; r < rows; ++r) {
            if (state[r] == 0) {
                add_to_every_class(r, factorials.of(totals[r]) - cells[r]);
                continue;
            }
            RowCoefficient coefficient;
            for (std::size_t j = 0; j < block.columns.size(); ++j)
                coefficient.add_checked(j, tile.x[tile.column[j] * tile_rows + r], first + r, block.columns[j]);
            add_to_every_class(r, coefficient.log());
        }
    }

    void add_sums(std::size_t first, std::size_t rows) {
        double* to = row(first);
        for (std::size_t k = 0; k < rows * compiled_.width_; ++k) to[k] += sums_[k];
    }

    // A negative or infinite count has no probability, and its product with −inf would be no number at all.
    static void refuse_counts(const RowTile& tile, const std::vector<std::size_t>& columns, std::size_t first, std::size_t rows) {
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t j = 0; j < columns.size(); ++j)
                if (const double x = tile.x[tile.column[j] * tile_rows + r]; x < 0 || std::isinf(x))
                    throw Flaw{x < 0 ? Flaw::Kind::negative : Flaw::Kind::infinite, first + r, columns[j], x};
    }

    // Counts of which some are missing say x_j ~ θ_j / Σ_observed θ of the observed total.
    void condition_on_observed(const LinearTerms& terms, const RowTile& tile, std::size_t r) {
        double total = 0;
        bool some = false;
        const auto at = [&](std::size_t j) { return tile.x[tile.column[j] * tile_rows + r]; };
        for (std::size_t j = 0; j < terms.columns.size(); ++j)
            if (std::isnan(at(j))) some = true;
            else total += at(j);
        if (!some || total == 0) return;
        const std::size_t classes = compiled_.classes_;
        for (std::size_t c = 0; c < classes; ++c) {
            double observed = 0;
            for (std::size_t j = 0; j < terms.columns.size(); ++j)
                if (!std::isnan(at(j))) observed += std::exp(terms.weight[j * classes + c]);
            if (observed > 0) row(r)[c] -= total * std::log(observed);
        }
    }

    const Compiled& compiled_;
    Aligned by_class_, by_row_, sums_;
    std::vector<CountScorer> counts_;
    std::vector<std::size_t> where_;
    std::vector<std::uint32_t> slots_;
};

// Which columns of the table the terms need as numbers, and where each stands in a tile.
struct Needed {
    std::vector<std::size_t> columns, place;
    std::vector<bool> wanted;

    Needed(const ScoreTables& t, std::size_t cols) : place(cols), wanted(cols) {
        const auto want = [&](const auto& blocks) {
            for (const auto& block : blocks)
                for (const std::size_t j : block.columns) wanted[j] = true;
        };
        want(t.quadratic), want(t.student), want(t.presence), want(t.linear), want(t.count), want(t.coefficient);
        want(t.step), want(t.observed);
        for (std::size_t j = 0; j < cols; ++j)
            if (wanted[j]) {
                place[j] = columns.size();
                columns.push_back(j);
            }
    }
};

class DenseScorer {
  public:
    DenseScorer(const Compiled& compiled, const Table& x, Wanted wanted, std::size_t per_row, Scores& scores)
        : compiled_(compiled), x_(x), wanted_(wanted), per_row_(per_row), scores_(scores), needed_(compiled.tables_, x.cols),
          scorer_(compiled), tile_(needed_.columns.size() * tile_rows) {}

    void work(std::size_t unit, Checkpoint&) {
        impossible_ = 0;
        const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
        for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
            const std::size_t rows = std::min(tile_rows, end - first);
            scorer_.start();
            if (!needed_.columns.empty()) {
                load(first, rows);
                scorer_.add(tile_.data(), needed_.columns.size(), needed_.place, first, rows);
                scorer_.add_steps(tile_.data(), needed_.place);
            }
            for (std::size_t b = 0; b < compiled_.level_.size(); ++b) {
                load_slots(b, first, rows);
                scorer_.add_levels(b, slots_.data(), rows);
            }
            impossible_ += scorer_.finish(rows, wanted_, scores_.values.data() + first * per_row_);
        }
    }
    void merge(std::size_t) { scores_.impossible += impossible_; }

  private:
    // Columns × tile_rows. Rows beyond the last repeat it; nobody looks at their scores.
    void load(std::size_t first, std::size_t rows) {
        const Kernels& k = kernels();
        const bool row_major = x_.is_matrix() && x_.col_stride == static_cast<std::ptrdiff_t>(size_of(x_.dtype));
        if (row_major && needed_.columns.size() == x_.cols) {
            for (std::size_t r = 0; r < tile_rows; r += lanes) {
                Column eight[lanes];
                for (std::size_t i = 0; i < lanes; ++i)
                    eight[i] = {x_.data + static_cast<std::ptrdiff_t>(first + std::min(r + i, rows - 1)) * x_.row_stride, x_.dtype,
                                x_.col_stride, nullptr, 0};
                k.load_eight_columns(eight, 0, x_.cols, tile_.data() + r, tile_rows);
            }
            return;
        }
        for (std::size_t j = 0; j < needed_.columns.size(); ++j) {
            const Column column = x_.column(needed_.columns[j]);
            double* to = tile_.data() + j * tile_rows;
            k.load_column(&column, first, rows, to, 1);
            std::fill(to + rows, to + tile_rows, to[rows - 1]);
        }
    }

    void load_slots(std::size_t block, std::size_t first, std::size_t rows) {
        const LevelTerms& terms = compiled_.tables_.level[block];
        const auto& own = compiled_.level_[block];
        const std::size_t columns = terms.columns.size();
        slots_.resize(tile_rows * columns);
        const bool row_major = x_.is_matrix() && x_.col_stride == static_cast<std::ptrdiff_t>(size_of(x_.dtype));
        bool consecutive = row_major;
        for (std::size_t j = 1; j < columns; ++j) consecutive &= terms.columns[j] == terms.columns[0] + j;
        bool beyond = false;
        if (consecutive && columns > 0) {
            const Column start = x_.column(terms.columns[0]);
            beyond = kernels().row_slots(start.data + static_cast<std::ptrdiff_t>(first) * start.stride, start.dtype, start.stride,
                                         rows, columns, own.first.data(), own.levels.data(), slots_.data());
        } else {
            std::uint32_t column_slots[tile_rows];
            for (std::size_t j = 0; j < columns; ++j) {
                const Column column = x_.column(terms.columns[j]);
                beyond |= kernels().column_slots(column.data + static_cast<std::ptrdiff_t>(first) * column.stride, column.dtype,
                                                 column.stride, rows, own.first[j], own.levels[j], column_slots);
                for (std::size_t r = 0; r < rows; ++r) {
                    const std::size_t bit = column.validity_offset + first + r;
                    const bool valid = column.validity == nullptr || (column.validity[bit / 8] >> (bit % 8) & 1);
                    slots_[r * columns + j] = valid ? column_slots[r] : own.first[j];
                }
            }
        }
        if (!beyond) return;
        // A code that is no level of its column is missing.
        for (std::size_t k = 0; k < rows * columns; ++k)
            if (slots_[k] == no_slot) slots_[k] = own.first[k % columns];
    }

    const Compiled& compiled_;
    const Table& x_;
    Wanted wanted_;
    std::size_t per_row_;
    Scores& scores_;
    Needed needed_;
    TileScorer scorer_;
    Aligned tile_;
    std::vector<std::uint32_t> slots_;
    std::size_t impossible_ = 0;
};

// Sparse rows. Under counts and presences only the stored cells cost anything; other terms see the row spelled out.
class SparseScorer {
  public:
    SparseScorer(const Compiled& compiled, const Csr& x, const SparseRows& rows, Wanted wanted, std::size_t per_row, Scores& scores)
        : compiled_(compiled), x_(x), rows_(rows), wanted_(wanted), per_row_(per_row), scores_(scores),
          needed_(compiled.tables_, x.cols), scorer_(compiled), row_(x) {
        const ScoreTables& t = compiled.tables_;
        counts_alone_ = t.quadratic.empty() && t.student.empty() && t.level.empty() && t.step.empty() && t.observed.empty();
        for (const auto& block : t.presence) {
            counts_alone_ &= block.threshold >= 0 && all_finite(block.present) && all_finite(block.absent);
            Aligned absent(compiled.width_);
            for (std::size_t k = 0; k < block.absent.size(); ++k) absent[k % compiled.classes_] += block.absent[k];
            all_absent_.push_back(std::move(absent));
        }
        for (const auto& block : t.linear) places_.push_back(places(block.columns));
        for (const auto& block : t.presence) places_.push_back(places(block.columns));
        for (const auto& block : t.count) places_.push_back(places(block.columns));
        for (const auto& block : t.coefficient) places_.push_back(places(block.columns));
    }

    void work(std::size_t unit, Checkpoint& checkpoint) {
        impossible_ = 0;
        const std::size_t end = std::min(x_.rows, (unit + 1) * unit_rows);
        for (std::size_t first = unit * unit_rows; first < end; first += tile_rows) {
            checkpoint();
            const std::size_t rows = std::min(tile_rows, end - first);
            scorer_.start();
            if (!counts_alone_ || !add_stored(first, rows)) add_spelled_out(first, rows);
            impossible_ += scorer_.finish(rows, wanted_, scores_.values.data() + first * per_row_);
        }
    }
    void merge(std::size_t) { scores_.impossible += impossible_; }

  private:
    static constexpr std::uint32_t nowhere = no_slot;
    static constexpr std::size_t rows_at_once = 16;  // what is gathered for them stays in cache

    // The weights of the stored cells of a tile: see gather_terms.
    struct Gathered {
        std::vector<const double*> from;
        std::vector<double> values;
        std::vector<std::size_t> starts;
        void clear() { from.clear(), values.clear(), starts.clear(); }
    };

    // The position of each column of x among a block's own; empty when that is the column itself.
    std::vector<std::uint32_t> places(const std::vector<std::size_t>& columns) const {
        bool all = columns.size() == x_.cols;
        for (std::size_t j = 0; j < columns.size() && all; ++j) all = columns[j] == j;
        if (all) return {};
        std::vector<std::uint32_t> place(x_.cols, nowhere);
        for (std::size_t j = 0; j < columns.size(); ++j) place[columns[j]] = static_cast<std::uint32_t>(j);
        return place;
    }
    std::uint32_t place_of(std::size_t block, std::size_t column) const {
        return places_[block].empty() ? static_cast<std::uint32_t>(column) : places_[block][column];
    }

    // False when a stored cell is missing under weights or presences: the tile is then scored the general way.
    bool add_stored(std::size_t first, std::size_t rows) {
        for (std::size_t r = 0; r < rows; r += rows_at_once) {
            begin_gathering();
            for (std::size_t k = r; k < std::min(rows, r + rows_at_once); ++k) {
                row_.read(rows_, first + k);
                if (!add_present(k) || !gather_weights(first + k)) {
                    scorer_.start();
                    return false;
                }
                add_counts(first + k, k);
            }
            end_gathering(r, std::min(rows_at_once, rows - r));
        }
        return true;
    }

    void begin_gathering() {
        const ScoreTables& t = compiled_.tables_;
        for (std::size_t b = 0; b < t.count.size(); ++b) scorer_.counts(b).begin();
        weights_.resize(t.linear.size());
        for (Gathered& gathered : weights_) gathered.clear();
    }

    void end_gathering(std::size_t r, std::size_t rows) {
        const ScoreTables& t = compiled_.tables_;
        for (std::size_t b = 0; b < t.linear.size(); ++b) {
            Gathered& gathered = weights_[b];
            gathered.starts.push_back(gathered.from.size());
            gathered.from.resize(gathered.from.size() + gathered_ahead, compiled_.linear_[b].data());
            scorer_.add_gathered(gathered.from, gathered.values, gathered.starts, r, rows);
        }
        for (std::size_t b = 0; b < t.count.size(); ++b) scorer_.counts(b).end(scorer_.row(0));
    }

    // The presences of the row that was read, the r-th of the tile. False when a cell is missing.
    bool add_present(std::size_t r) {
        const ScoreTables& t = compiled_.tables_;
        const std::size_t width = compiled_.width_;
        double* to = scorer_.row(r);
        for (const Aligned& absent : all_absent_)
            for (std::size_t c = 0; c < width; ++c) to[c] += absent[c];
        for (std::size_t b = 0; b < t.presence.size(); ++b)
            for (std::size_t k = 0; k < row_.size(); ++k) {
                const double value = row_.value(k);
                if (std::isnan(value)) return false;
                const std::uint32_t at = place_of(t.linear.size() + b, row_.column(k));
                if (at == nowhere || !(value > t.presence[b].threshold)) continue;
                const double* absent = compiled_.presence_[b].data() + (3 * std::size_t{at} + 1) * width;
                for (std::size_t c = 0; c < width; ++c) to[c] += absent[width + c] - absent[c];
            }
        return true;
    }

    // The weights of the row that was read. False when a cell is missing.
    bool gather_weights(std::size_t row) {
        for (std::size_t b = 0; b < weights_.size(); ++b) {
            Gathered& to = weights_[b];
            const double* weights = compiled_.linear_[b].data();
            to.starts.push_back(to.from.size());
            const std::size_t width = compiled_.width_;
            std::size_t size = to.from.size();
            to.from.resize(size + row_.size());
            to.values.resize(size + row_.size());
            for (std::size_t k = 0; k < row_.size(); ++k) {
                const double value = row_.value(k);
                if (std::isnan(value)) return false;
                const std::uint32_t at = place_of(b, row_.column(k));
                if (at == nowhere || value == 0) continue;
                if (value < 0) throw Flaw{Flaw::Kind::negative, row, row_.column(k), value};
                to.from[size] = weights + at * width;
                to.values[size++] = value;
            }
            to.from.resize(size);
            to.values.resize(size);
        }
        return true;
    }

    // The terms of counts in the row that was read, the r-th of the tile.
    void add_counts(std::size_t row, std::size_t r) {
        const ScoreTables& t = compiled_.tables_;
        std::size_t block = t.linear.size() + t.presence.size();
        for (std::size_t b = 0; b < t.count.size(); ++b, ++block)
            scorer_.counts(b).row(r, row_, places_[block], row);
        for (std::size_t b = 0; b < t.coefficient.size(); ++b, ++block) {
            RowCoefficient coefficient;
            for (std::size_t k = 0; k < row_.size(); ++k)
                if (const std::uint32_t at = place_of(block, row_.column(k)); at != nowhere)
                    coefficient.add_checked(at, row_.value(k), row, row_.column(k));
            scorer_.add_to_every_class(r, coefficient.log());
        }
    }

    void add_spelled_out(std::size_t first, std::size_t rows) {
        tile_.assign(needed_.columns.size() * tile_rows, 0.0);
        for (std::size_t r = 0; r < rows; ++r) {
            row_.read(rows_, first + r);
            for (std::size_t k = 0; k < row_.size(); ++k)
                if (const std::size_t j = row_.column(k); needed_.wanted[j]) tile_[needed_.place[j] * tile_rows + r] = row_.value(k);
        }
        scorer_.add(tile_.data(), needed_.columns.size(), needed_.place, first, rows);
        scorer_.add_steps(tile_.data(), needed_.place);
    }

    const Compiled& compiled_;
    const Csr& x_;
    const SparseRows& rows_;
    Wanted wanted_;
    std::size_t per_row_;
    Scores& scores_;
    Needed needed_;
    TileScorer scorer_;
    SparseRow row_;
    bool counts_alone_ = true;
    std::vector<Aligned> all_absent_;
    std::vector<std::vector<std::uint32_t>> places_;
    std::vector<Gathered> weights_;
    Aligned tile_;
    std::size_t impossible_ = 0;
};

template <class Worker, class... Given>
Scores score_rows(const ScoreTables& tables, std::size_t rows, std::size_t dense_rows, std::size_t cells, Wanted wanted, std::size_t threads,
                  const Interrupt& interrupt, const Given&... given) {
    const Compiled compiled(tables, dense_rows);
    const std::size_t per_row = wanted == Wanted::density ? 1 : tables.classes();
    Scores scores;
    scores.values.resize(rows * per_row);
    run_in_order((rows + unit_rows - 1) / unit_rows, threads_for(cells, threads), interrupt,
                 [&] { return Worker(compiled, given..., wanted, per_row, scores); });
    return scores;
}

}  // namespace

Scores score(const ScoreTables& tables, const Table& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    return score_rows<DenseScorer>(tables, x.rows, x.rows, x.rows * (x.cols + tables.classes()), wanted, threads, interrupt, x);
}

Scores score(const ScoreTables& tables, const Csr& x, Wanted wanted, std::size_t threads, const Interrupt& interrupt) {
    const SparseRows rows(x);
    return score_rows<SparseScorer>(tables, x.rows, 0, x.stored + x.rows * tables.classes(), wanted, threads, interrupt, x, rows);
}

}  // namespace suffice
