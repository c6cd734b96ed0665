// The module suffice._core: checks shapes, releases the GIL, calls the core and returns the results without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "arrow.hpp"
#include "documents.hpp"
#include "lines.hpp"
#include "shared_dictionary.hpp"
#include "suffice/bins.hpp"
#include "suffice/counts.hpp"
#include "suffice/kernels.hpp"
#include "suffice/moments.hpp"
#include "suffice/parallel.hpp"
#include "cells.hpp"
#include "count_logs.hpp"
#include "scores.hpp"
#include "suffice/scatter.hpp"
#include "tokens.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Moments4 = std::tuple<Out2, Out2, Out2, Out2>;
using Counts2 = std::tuple<Out2, Out2>;

void same_rows(std::size_t rows, const RowLabels& y) {
    if (y.codes.shape(0) != rows) throw std::invalid_argument("x and codes have different numbers of rows");
}

Moments4 moments_out(MomentTable&& m, std::size_t classes, std::size_t cols) {
    return {hand_over<Out2>(std::move(m.weight), {classes, cols}), hand_over<Out2>(std::move(m.mean), {classes, cols}),
            hand_over<Out2>(std::move(m.mean_low), {classes, cols}), hand_over<Out2>(std::move(m.dp), {classes, cols})};
}

Counts2 counts_out(CountTable&& t, std::size_t classes, std::size_t cols) {
    return {hand_over<Out2>(std::move(t.values), {classes, cols}),
            hand_over<Out2>(std::move(t.observed), {classes, t.by_column ? cols : std::size_t{1}})};
}

template <class X>
Moments4 moments_of(const X& x, const RowLabels& y, std::size_t threads) {
    same_rows(view(x).rows, y);
    auto m = without_gil([&](const Interrupt& i) { return moments(view(x), y.labels, threads, i); });
    return moments_out(std::move(m), y.labels.classes, view(x).cols);
}

template <class X>
Counts2 sums_of(const X& x, const RowLabels& y, std::size_t threads) {
    same_rows(view(x).rows, y);
    auto t = without_gil([&](const Interrupt& i) { return sums(view(x), y.labels, threads, i); });
    return counts_out(std::move(t), y.labels.classes, view(x).cols);
}

template <class X>
Counts2 presence_of(const X& x, const RowLabels& y, double threshold, std::size_t threads) {
    same_rows(view(x).rows, y);
    auto t = without_gil([&](const Interrupt& i) { return presence(view(x), y.labels, threshold, threads, i); });
    return counts_out(std::move(t), y.labels.classes, view(x).cols);
}

template <class X>
Out2 levels_of(const X& x, const RowLabels& y, const std::vector<std::size_t>& sizes, std::size_t threads) {
    const Table& table = view(x);
    same_rows(table.rows, y);
    if (sizes.size() != table.cols) throw std::invalid_argument("sizes must have one entry per column");
    for (std::size_t j = 0; j < table.cols; ++j)
        if (const Dtype type = table.column(j).dtype; type == Dtype::f64 || type == Dtype::f32)
            throw std::invalid_argument("level codes must be integers");
    auto values = without_gil([&](const Interrupt& i) { return levels(table, y.labels, sizes, threads, i); });
    const std::size_t classes = y.labels.classes, width = classes == 0 ? 0 : values.size() / classes;
    return hand_over<Out2>(std::move(values), {classes, width});
}

// (shift, offsets, keys, counts, below, above): the bins of column j are offsets[j] … offsets[j + 1].
using Bins6 = std::tuple<OutInts, OutInts, OutKeys, Out2, Out2, Out2>;

Bins6 bins_out(std::vector<ColumnBins>&& columns, std::size_t classes) {
    const std::size_t cols = columns.size();
    std::vector<std::int64_t> shift, offsets{0};
    for (const ColumnBins& c : columns) {
        shift.push_back(c.shift);
        offsets.push_back(offsets.back() + static_cast<std::int64_t>(c.keys.size()));
    }
    const auto total = static_cast<std::size_t>(offsets.back());
    std::vector<std::uint64_t> keys;
    keys.reserve(total);
    std::vector<double> counts(classes * total), below(classes * cols), above(classes * cols);
    for (std::size_t j = 0; j < cols; ++j) {
        const ColumnBins column = std::move(columns[j]);  // freed after its iteration
        keys.insert(keys.end(), column.keys.begin(), column.keys.end());
        for (std::size_t c = 0; c < classes; ++c) {
            for (std::size_t k = 0; k < column.keys.size(); ++k)
                counts[c * total + static_cast<std::size_t>(offsets[j]) + k] = column.counts[k * classes + c];
            below[c * cols + j] = column.below[c];
            above[c * cols + j] = column.above[c];
        }
    }
    return {hand_over<OutInts>(std::move(shift), {cols}),          hand_over<OutInts>(std::move(offsets), {cols + 1}),
            hand_over<OutKeys>(std::move(keys), {total}),          hand_over<Out2>(std::move(counts), {classes, total}),
            hand_over<Out2>(std::move(below), {classes, cols}), hand_over<Out2>(std::move(above), {classes, cols})};
}

void require_limit(std::size_t limit) {
    if (limit < 2 || limit > (std::size_t{1} << 30)) throw std::invalid_argument("limit must lie between 2 and 2**30");
}

template <class X>
Bins6 bins_of(const X& x, const RowLabels& y, std::size_t limit, std::size_t threads) {
    same_rows(view(x).rows, y);
    require_limit(limit);
    return bins_out(without_gil([&](const Interrupt& i) { return bins(view(x), y.labels, limit, threads, i); }), y.labels.classes);
}

template <class X>
std::tuple<Moments4, Bins6> moments_and_bins_of(const X& x, const RowLabels& y, std::size_t limit, std::size_t threads) {
    same_rows(view(x).rows, y);
    require_limit(limit);
    auto both = without_gil([&](const Interrupt& i) { return moments_and_bins(view(x), y.labels, limit, threads, i); });
    return {moments_out(std::move(both.moments), y.labels.classes, view(x).cols), bins_out(std::move(both.bins), y.labels.classes)};
}

using Scatter5 = std::tuple<Out1, Out2, Out2, Out3, Out1>;

template <class X>
Scatter5 scatter_of(const X& x, const RowLabels& y, std::size_t threads) {
    const std::size_t classes = y.labels.classes, cols = view(x).cols;
    same_rows(view(x).rows, y);
    auto s = without_gil([&](const Interrupt& i) { return scatter(view(x), y.labels, threads, i); });
    return {hand_over<Out1>(std::move(s.weight), {classes}), hand_over<Out2>(std::move(s.mean), {classes, cols}),
            hand_over<Out2>(std::move(s.mean_low), {classes, cols}),
            hand_over<Out3>(std::move(s.scatter), {classes, cols, cols}), hand_over<Out1>(std::move(s.left_out), {classes})};
}

Out1 tally_of(const RowLabels& y, std::size_t threads) {
    auto weight = without_gil([&](const Interrupt& i) { return tally(y.codes.shape(0), y.labels, threads, i); });
    return hand_over<Out1>(std::move(weight), {y.labels.classes});
}

double read_sum(const Doubles& x, std::size_t threads) {
    static constexpr std::size_t part = std::size_t{1} << 17;
    const std::size_t count = x.shape(0);
    const double* data = x.data();
    double total = 0;
    struct Worker {
        const double* data;
        std::size_t count;
        double& total;
        double sum = 0;
        void work(std::size_t unit, Checkpoint&) {
            sum = kernels().sum(data + unit * part, std::min(part, count - unit * part));
        }
        void merge(std::size_t) { total += sum; }
    };
    without_gil([&](const Interrupt& i) {
        run_in_order((count + part - 1) / part, threads, i, [&] { return Worker{data, count, total}; });
        return 0;
    });
    return total;
}

const char* name_of(InvalidInput::Kind kind) {
    switch (kind) {
        case InvalidInput::Kind::class_out_of_range: return "class_out_of_range";
        case InvalidInput::Kind::bad_weight: return "bad_weight";
        case InvalidInput::Kind::infinite: return "infinite";
        case InvalidInput::Kind::overflow: return "overflow";
        case InvalidInput::Kind::weight_overflow: return "weight_overflow";
        case InvalidInput::Kind::negative: return "negative";
        case InvalidInput::Kind::level_out_of_range: return "level_out_of_range";
        case InvalidInput::Kind::bad_index: return "bad_index";
        case InvalidInput::Kind::bad_starts: return "bad_starts";
        case InvalidInput::Kind::bad_count: return "bad_count";
        case InvalidInput::Kind::not_whole: return "not_whole";
        case InvalidInput::Kind::undefined: return "undefined";
    }
    return "unknown";
}

void check_forced_isa() {
    const char* forced = std::getenv("SUFFICE_ISA");
    if (forced == nullptr || *forced == '\0' || can_run(forced)) return;
    std::string runs = "plain";
    for (const char* name : {"avx2", "avx512"})
        if (can_run(name)) runs += std::string(", ") + name;
    throw nb::import_error(("SUFFICE_ISA is '" + std::string(forced) + "': this machine runs " + runs +
                            ". Set it to one of them, or unset it.").c_str());
}

template <class X>
void define_dense(nb::module_& m) {
    m.def("moments", &moments_of<X>, "x"_a, "labels"_a, "threads"_a, "(weight, mean, mean_low, dp), each classes × columns.");
    m.def("sums", &sums_of<X>, "x"_a, "labels"_a, "threads"_a, "(values, observed); observed is classes × 1 when nothing was missing.");
    m.def("presence", &presence_of<X>, "x"_a, "labels"_a, "threshold"_a, "threads"_a, "(values, observed) for x > threshold.");
    m.def("levels", &levels_of<X>, "x"_a, "labels"_a, "sizes"_a, "threads"_a, "classes × Σ sizes.");
    m.def("bins", &bins_of<X>, "x"_a, "labels"_a, "limit"_a, "threads"_a, "(shift, offsets, keys, counts, below, above): the bins of column j are offsets[j] … offsets[j + 1].");
    m.def("moments_and_bins", &moments_and_bins_of<X>, "x"_a, "labels"_a, "limit"_a, "threads"_a, "What moments and bins return, in one pass over separate columns.");
    m.def("scatter", &scatter_of<X>, "x"_a, "labels"_a, "threads"_a, "(weight, mean, mean_low, scatter, left_out).");
}

NB_MODULE(_core, m) {
    check_forced_isa();
    nb::set_leak_warnings(false);  // a read-ahead thread may hold objects when the interpreter exits, which is harmless
    m.doc() = "The native core of suffice. Private: use suffice.engines.";

    nb::class_<Matrix>(m, "Matrix", "A strided 2-D array, not copied.").def(nb::init<Array2>(), "x"_a);
    nb::class_<Columns>(m, "Columns", "Separate 1-D arrays, each with an Arrow validity bitmap or None.")
        .def(nb::init<std::vector<Array1>, std::vector<std::optional<Bytes1>>, std::size_t>(), "columns"_a, "validity"_a, "rows"_a);
    nb::class_<Sparse>(m, "Sparse", "Compressed sparse rows.")
        .def(nb::init<Array1, Array1, Array1, std::size_t>(), "starts"_a, "indices"_a, "values"_a, "cols"_a);
    nb::class_<RowLabels>(m, "Labels", "The class code of each row (−1: left out) and its weight.")
        .def(nb::init<Array1, std::size_t, std::optional<Array1>>(), "codes"_a, "classes"_a, "weights"_a.none());

    define_dense<Matrix>(m);
    define_dense<Columns>(m);
    m.def("moments", &moments_of<Sparse>, "x"_a, "labels"_a, "threads"_a, "Absent cells are 0; a stored NaN is missing.");
    m.def("sums", &sums_of<Sparse>, "x"_a, "labels"_a, "threads"_a, "Absent cells are 0; a stored NaN is missing.");
    m.def("presence", &presence_of<Sparse>, "x"_a, "labels"_a, "threshold"_a, "threads"_a, "Absent cells are 0; a stored NaN is missing.");
    define_cells(m);
    define_count_logs(m);
    define_scores(m);
    define_dictionary(m);
    define_arrow(m);
    define_lines(m);
    define_documents(m);
    define_tokens(m);
    m.def("tally", &tally_of, "labels"_a, "threads"_a, "The weight of each class.");

    m.def("read_sum", &read_sum, "x"_a, "threads"_a, "The sum of an array, at memory bandwidth: the reference of the benchmarks.");
    m.def("isa", [] { return kernels().name; }, "The instruction set in use: plain, avx2 or avx512.");
    m.def("use_isa", [](const std::string& name) { return use_kernels(name.c_str()); }, "name"_a,
          "Change the instruction set (for tests); False when the machine does not support it.");

    // FlawError(kind, row, column, value): the engines turn it into a message with the names of columns and classes.
    static PyObject* flaw_error = PyErr_NewException("suffice._core.FlawError", PyExc_ValueError, nullptr);
    m.attr("FlawError") = nb::borrow(flaw_error);
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const InvalidInput& invalid) {
            nb::tuple details = nb::make_tuple(name_of(invalid.kind), invalid.row, invalid.column, invalid.value);
            PyErr_SetObject(flaw_error, details.ptr());
        }
    });
}

}  // namespace
}  // namespace suffice::bindings
