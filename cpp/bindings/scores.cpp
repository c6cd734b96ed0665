// The tables of a reading, and the scores of rows under them.
#include "scores.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "suffice/kept_tables.hpp"
#include "suffice/pool.hpp"
#include "suffice/score_parts.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles3 = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = std::vector<std::size_t>;

std::vector<double> copy(const Doubles& array, std::size_t size, const char* what) {
    if (array.shape(0) != size) throw std::invalid_argument(std::string(what) + " has the wrong length");
    return {array.data(), array.data() + size};
}

std::vector<double> copy(const Doubles2& array, std::size_t rows, std::size_t classes, const char* what) {
    if (array.shape(0) != rows || array.shape(1) != classes) throw std::invalid_argument(std::string(what) + " has the wrong shape");
    return {array.data(), array.data() + rows * classes};
}

void add_quadratic(KeptTables& kept, Indices columns, const Doubles& centre, const Doubles& scale, const Doubles2& m,
                   const Doubles2& s, const Doubles2& c) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes();
    t.add(QuadraticTerms{std::move(columns), copy(centre, d, "centre"), copy(scale, d, "scale"), copy(m, d, classes, "m"),
                           copy(s, d, classes, "s"), copy(c, d, classes, "c")});
}

void add_student(KeptTables& kept, Indices columns, const Doubles& centre, const Doubles& scale, const Doubles2& m,
                 const Doubles2& s, const Doubles2& c, const Doubles& e) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes();
    t.add(StudentTerms{std::move(columns), copy(centre, d, "centre"), copy(scale, d, "scale"), copy(m, d, classes, "m"),
                         copy(s, d, classes, "s"), copy(c, d, classes, "c"), copy(e, classes, "e")});
}

void add_uniform(KeptTables& kept, Indices columns, const Doubles2& m, const Doubles2& c, const Doubles2& e) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes();
    t.add(UniformTerms{std::move(columns), copy(m, d, classes, "m"), copy(c, d, classes, "c"), copy(e, d, classes, "e")});
}

void add_levels(KeptTables& kept, Indices columns, Indices levels, const Doubles2& table) {
    ScoreTables& t = kept.change();
    if (levels.size() != columns.size()) throw std::invalid_argument("one number of levels for each column");
    std::size_t total = 0;
    for (const std::size_t size : levels) total += size;
    if (total > UINT32_MAX - levels.size()) throw std::invalid_argument("too many levels");
    t.add(LevelTerms{std::move(columns), std::move(levels), copy(table, total, t.classes(), "table")});
}

void add_presence(KeptTables& kept, Indices columns, double threshold, const Doubles2& present, const Doubles2& absent) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes();
    t.add(PresenceTerms{std::move(columns), threshold, copy(present, d, classes, "present"), copy(absent, d, classes, "absent")});
}

void add_linear(KeptTables& kept, Indices columns, const Doubles2& weight, bool distribution) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size();
    t.add(LinearTerms{std::move(columns), copy(weight, d, t.classes(), "weight"), distribution});
}

// A part that the term does not have comes without columns.
std::vector<double> part(const Doubles2& array, std::size_t rows, std::size_t classes, const char* what) {
    if (array.shape(0) == 0) return {};
    return copy(array, rows, classes, what);
}

void add_counts(KeptTables& kept, Indices columns, const Doubles2& start, const Doubles2& slope, const Doubles2& base,
                bool factorials, bool whole_row) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes();
    if (whole_row && start.shape(0) == 0 && d > 0) throw std::invalid_argument("a whole row needs start");
    t.add(CountTerms{std::move(columns), part(start, d, classes, "start"), part(slope, d, classes, "slope"),
                     part(base, d, classes, "base"), factorials, whole_row});
}

void add_coefficient(KeptTables& kept, Indices columns) { kept.change().add(CoefficientTerms{std::move(columns)}); }

void add_steps(KeptTables& kept, Indices columns, Indices edge_counts, const Doubles& edges, const Doubles2& table) {
    ScoreTables& t = kept.change();
    if (edge_counts.size() != columns.size()) throw std::invalid_argument("one number of edges for each column");
    std::size_t total = 0;
    for (const std::size_t count : edge_counts) {
        if (count > UINT32_MAX / 4 || (total += count) > UINT32_MAX / 4) throw std::invalid_argument("too many edges");
    }
    const std::size_t cells = total + columns.size();
    t.add(StepTerms{std::move(columns), std::move(edge_counts), copy(edges, total, "edges"), copy(table, cells, t.classes(), "table")});
}

void add_observed(KeptTables& kept, Indices columns, const Doubles2& present, const Doubles2& absent) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes();
    t.add(ObservedTerms{std::move(columns), copy(present, d, classes, "present"), copy(absent, d, classes, "absent")});
}

using Doubles3 = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

std::vector<double> copy(const Doubles3& array, std::size_t matrices, std::size_t size, const char* what) {
    if (array.shape(0) != matrices || array.shape(1) != size || array.shape(2) != size)
        throw std::invalid_argument(std::string(what) + " has the wrong shape");
    return {array.data(), array.data() + matrices * size * size};
}

void add_ellipse(KeptTables& kept, Indices columns, const Doubles& centre, const Doubles& scale, const Doubles& log_scale,
                 const Doubles2& mean, const Doubles3& matrix, const Doubles3& whitening, const Doubles& log_determinant,
                 const Doubles& rank, double least, bool drop, const Doubles& degrees, const Doubles2& norming, bool linear) {
    ScoreTables& t = kept.change();
    const std::size_t d = columns.size(), classes = t.classes(), matrices = matrix.shape(0);
    if (matrices != classes && matrices != 1) throw std::invalid_argument("one matrix for each class, or one");
    const bool student = degrees.shape(0) > 0;
    if (linear && (matrices != 1 || student)) throw std::invalid_argument("linear is of one matrix, and normal");
    if (!(least >= 0)) throw std::invalid_argument("least must be at least 0");
    t.add(EllipseTerms{std::move(columns), copy(centre, d, "centre"), copy(scale, d, "scale"), copy(log_scale, d, "log_scale"),
                         copy(mean, classes, d, "mean"), copy(matrix, matrices, d, "matrix"), copy(whitening, matrices, d, "whitening"),
                         copy(log_determinant, matrices, "log_determinant"), copy(rank, matrices, "rank"), least, drop,
                         copy(degrees, student ? classes : 0, "degrees"), copy(norming, student ? d + 1 : 0, student ? classes : norming.shape(1), "norming"),
                         linear});
}

Wanted wanted_of(const std::string& name) {
    if (name == "joint") return Wanted::joint;
    if (name == "log_posterior") return Wanted::log_posterior;
    if (name == "posterior") return Wanted::posterior;
    if (name == "density") return Wanted::density;
    if (name == "likelihood") return Wanted::likelihood;
    throw std::invalid_argument("wanted must be joint, log_posterior, posterior, density or likelihood");
}

void require_fit(const ScoreTables& t, std::size_t cols) {
    for (const Term& term : t.terms)
        for (const std::size_t column : columns_of(term))
            if (column >= cols) throw std::invalid_argument("a term names a column that x does not have");
    if (t.classes() == 0) throw std::invalid_argument("there are no classes");
}

bool has_codes(const ScoreTables& t) { return std::any_of(t.terms.begin(), t.terms.end(), takes_codes); }

void require_codes(const ScoreTables& t, const Table& x) {
    for (const Term& term : t.terms)
        if (takes_codes(term))
            for (const std::size_t column : columns_of(term))
                if (const Dtype type = x.column(column).dtype; type == Dtype::f64 || type == Dtype::f32)
                    throw std::invalid_argument("level codes must be integers");
}

void require_codes(const ScoreTables& t, const Csr&) {
    if (has_codes(t)) throw std::invalid_argument("level codes cannot be sparse");
}

auto answer(Scores&& s, std::size_t rows, std::size_t width) {
    const std::size_t impossible = s.impossible;
    const bool infinite = s.infinite;
    return std::make_tuple(hand_over<Out2>(std::move(s.values), {rows, width}), impossible, infinite);
}

Asked asked_of(const std::string& wanted, const Calibration* calibration, std::size_t classes) {
    if (calibration != nullptr && calibration->offsets.size() != classes)
        throw std::invalid_argument("a calibration needs one offset for each class");
    return {wanted_of(wanted), calibration};
}

template <class X>
auto score_of(const KeptTables& kept, const X& x, const std::string& wanted, std::size_t threads, const Calibration* calibration) {
    const ScoreTables& t = kept.tables();
    require_fit(t, view(x).cols);
    require_codes(t, view(x));
    const Asked asked = asked_of(wanted, calibration, t.classes());
    return answer(without_gil([&](const Interrupt& i) { return score(kept, view(x), asked, threads, i); }), view(x).rows,
                  asked.per_row(t.classes()));
}

auto finish_of(const Doubles2& likelihood, const Doubles& log_prior, const std::string& wanted, std::size_t threads,
               const Calibration* calibration) {
    const std::size_t rows = likelihood.shape(0), classes = log_prior.shape(0);
    if (classes == 0) throw std::invalid_argument("there are no classes");
    if (likelihood.shape(1) != classes) throw std::invalid_argument("likelihood has the wrong shape");
    const std::vector<double> prior = copy(log_prior, classes, "log_prior");
    const Asked asked = asked_of(wanted, calibration, classes);
    return answer(without_gil([&](const Interrupt& i) { return finish(likelihood.data(), rows, prior, asked, threads, i); }), rows,
                  asked.per_row(classes));
}

using Parts = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

auto score_parts_of(const std::vector<const KeptTables*>& kept, const Matrix& x, const Parts& parts, const std::string& wanted,
                    std::size_t threads) {
    const Table& rows = view(x);
    if (kept.empty()) throw std::invalid_argument("there are no tables");
    for (const KeptTables* each : kept) {
        require_fit(each->tables(), rows.cols);
        if (each->tables().classes() != kept[0]->tables().classes()) throw std::invalid_argument("the tables have different classes");
        if (has_codes(each->tables())) throw std::invalid_argument("tables of parts cannot have levels");
    }
    if (rows.col_stride != static_cast<std::ptrdiff_t>(size_of(rows.dtype)))
        throw std::invalid_argument("the cells of a row must lie side by side");
    if (parts.shape(0) != rows.rows) throw std::invalid_argument("parts must have a number for each row");
    for (std::size_t r = 0; r < rows.rows; ++r)
        if (parts.data()[r] < 0 || static_cast<std::size_t>(parts.data()[r]) >= kept.size()) throw std::invalid_argument("a part that has no tables");
    const Asked asked = wanted_of(wanted);
    return answer(without_gil([&](const Interrupt& i) { return score_parts(kept, rows, parts.data(), asked, threads, i); }), rows.rows,
                  asked.per_row(kept[0]->tables().classes()));
}

Pool pool_of(const Doubles3& z) {
    if (z.shape(2) == 0) throw std::invalid_argument("there are no classes");
    return {z.data(), z.shape(0), z.shape(1), z.shape(2)};
}

Out2 pool_scores_of(const Doubles3& z, const Doubles& weights, std::size_t threads) {
    const Pool pool = pool_of(z);
    if (weights.shape(0) != pool.units) throw std::invalid_argument("weights has the wrong length");
    Unset out;
    out.resize(pool.rows * pool.classes);
    without_gil([&](const Interrupt& i) { pool_scores(pool, weights.data(), out.data(), threads, i); });
    return hand_over<Out2>(std::move(out), {pool.rows, pool.classes});
}

auto pool_derivatives_of(const Doubles3& z, const Doubles2& posterior, const Codes& codes, const Doubles& shares, std::size_t threads) {
    const Pool pool = pool_of(z);
    if (posterior.shape(0) != pool.rows || posterior.shape(1) != pool.classes) throw std::invalid_argument("posterior has the wrong shape");
    if (codes.shape(0) != pool.rows || shares.shape(0) != pool.rows) throw std::invalid_argument("codes and shares must have a number for each row");
    for (std::size_t r = 0; r < pool.rows; ++r)
        if (codes.data()[r] < 0 || static_cast<std::size_t>(codes.data()[r]) >= pool.classes) throw std::invalid_argument("a code that is not a class");
    const std::size_t size = pool.units + pool.classes;
    PoolDerivatives found = without_gil(
        [&](const Interrupt& i) { return pool_derivatives(pool, posterior.data(), codes.data(), shares.data(), threads, i); });
    return std::make_tuple(hand_over<Out1>(std::move(found.slope), {size}), hand_over<Out2>(std::move(found.curvature), {size, size}));
}

}  // namespace

void define_scores(nb::module_& m) {
    nb::class_<KeptTables>(m, "ScoreTables", "The terms of log p(c, x), compiled from a reading.")
        .def("__init__", [](KeptTables* self, const Doubles& log_prior) {
                new (self) KeptTables(ScoreTables{copy(log_prior, log_prior.shape(0), "log_prior"), {}});
            }, "log_prior"_a)
        .def("add_quadratic", &add_quadratic, "columns"_a, "centre"_a, "scale"_a, "m"_a, "s"_a, "c"_a, "c − s (z − m)², z = (x − centre) · scale.")
        .def("add_student", &add_student, "columns"_a, "centre"_a, "scale"_a, "m"_a, "s"_a, "c"_a, "e"_a, "c − e log(1 + (z − m)² s).")
        .def("add_uniform", &add_uniform, "columns"_a, "m"_a, "c"_a, "e"_a, "0 ≤ x ≤ m ? c : c − e log(x / m); a negative x is impossible.")
        .def("add_levels", &add_levels, "columns"_a, "levels"_a, "table"_a, "table[level]; −1 and codes beyond are missing.")
        .def("add_presence", &add_presence, "columns"_a, "threshold"_a, "present"_a, "absent"_a, "x > threshold ? present : absent.")
        .def("add_linear", &add_linear, "columns"_a, "weight"_a, "distribution"_a, "x · weight, with 0 · (−inf) = 0.")
        .def("add_counts", &add_counts, "columns"_a, "start"_a, "slope"_a, "base"_a, "factorials"_a, "whole_row"_a,
             "base + ln Γ(start + x) − ln Γ(start) + x · slope − ln x!; a part without columns is not there.")
        .def("add_coefficient", &add_coefficient, "columns"_a, "ln n! − Σ ln x!, the same for every class.")
        .def("add_steps", &add_steps, "columns"_a, "edge_counts"_a, "edges"_a, "table"_a, "table[number of inner edges ≤ x]; a missing cell adds nothing.")
        .def("add_observed", &add_observed, "columns"_a, "present"_a, "absent"_a, "x is known ? present : absent.")
        .def("add_ellipse", &add_ellipse, "columns"_a, "centre"_a, "scale"_a, "log_scale"_a, "mean"_a, "matrix"_a, "whitening"_a,
             "log_determinant"_a, "rank"_a, "least"_a, "drop"_a, "degrees"_a, "norming"_a, "linear"_a,
             "The log density of several columns together, normal or Student-t (suffice/score_ellipses.hpp).");
    nb::class_<Calibration>(m, "Calibration", "log π_c + offset_c + scale · log p(x | c) in the place of log p(c, x).")
        .def("__init__", [](Calibration* self, double scale, const Doubles& offsets) {
                new (self) Calibration{scale, copy(offsets, offsets.shape(0), "offsets")};
            }, "scale"_a, "offsets"_a);
    const auto none = nb::none();
    m.def("score", &score_of<Matrix>, "tables"_a, "x"_a, "wanted"_a, "threads"_a, "calibration"_a.none() = none,
          "(scores, impossible rows, whether the presence of an infinite cell was scored); wanted is joint, log_posterior, posterior, density or likelihood.");
    m.def("score", &score_of<Columns>, "tables"_a, "x"_a, "wanted"_a, "threads"_a, "calibration"_a.none() = none, "The same of separate columns.");
    m.def("score", &score_of<Sparse>, "tables"_a, "x"_a, "wanted"_a, "threads"_a, "calibration"_a.none() = none, "The same of sparse rows.");
    m.def("finish", &finish_of, "likelihood"_a, "log_prior"_a, "wanted"_a, "threads"_a, "calibration"_a.none() = none,
          "The same of rows whose log p(x | c) is known, rows × classes.");
    m.def("score_parts", &score_parts_of, "tables"_a, "x"_a, "parts"_a, "wanted"_a, "threads"_a,
          "The same of rows that belong to parts, each with tables of its own.");
    m.def("pool_scores", &pool_scores_of, "z"_a, "weights"_a, "threads"_a, "Σ_t weights[t] z[:, t, :]; z is rows × units × classes.");
    m.def("pool_derivatives", &pool_derivatives_of, "z"_a, "posterior"_a, "codes"_a, "shares"_a, "threads"_a,
          "(slope, curvature) of the mean log loss by the weights of the units and the offsets of the classes (suffice/pool.hpp).");
}

}  // namespace suffice::bindings
