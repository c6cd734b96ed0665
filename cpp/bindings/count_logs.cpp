// Bindings of the log-factorial sums by class, and of the rising factorial that they use.
#include "count_logs.hpp"

#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

#include "suffice/count_logs.hpp"
#include "suffice/kernels.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class X>
Out2 count_logs_of(const X& x, const RowLabels& y, const std::string& kind, std::size_t threads) {
    if (y.codes.shape(0) != view(x).rows) throw std::invalid_argument("x and codes have different numbers of rows");
    if (kind != "cells" && kind != "rows") throw std::invalid_argument("kind must be cells or rows");
    const CountLogs of = kind == "cells" ? CountLogs::cells : CountLogs::rows;
    auto values = without_gil([&](const Interrupt& i) { return count_logs(view(x), y.labels, of, threads, i); });
    return hand_over<Out2>(std::move(values), {y.labels.classes, 2});
}

Out1 log_rising_of(const Doubles& a, const Doubles& x) {
    const std::size_t count = a.shape(0);
    if (x.shape(0) != count) throw std::invalid_argument("a and x have different lengths");
    std::vector<double> out(count);
    double start[lanes], log[lanes];
    for (std::size_t k = 0; k < count; ++k) {
        for (double& each : start) each = a.data()[k];
        kernels().log_rising(start, lanes, x.data()[k], log);
        out[k] = log[0];
    }
    return hand_over<Out1>(std::move(out), {count});
}

}  // namespace

void define_count_logs(nb::module_& m) {
    m.def("count_logs", &count_logs_of<Matrix>, "x"_a, "labels"_a, "kind"_a, "threads"_a,
          "classes × (coarse, fine): Σ w ln x! for cells, Σ w ln(n!/Π x!) for rows.");
    m.def("count_logs", &count_logs_of<Columns>, "x"_a, "labels"_a, "kind"_a, "threads"_a,
          "The same for separate columns.");
    m.def("count_logs", &count_logs_of<Sparse>, "x"_a, "labels"_a, "kind"_a, "threads"_a, "The same for sparse rows.");
    m.def("log_rising", &log_rising_of, "a"_a, "x"_a,
          "ln Γ(a + x) − ln Γ(a), elementwise, for a > 0 and x ≥ 0 (for tests).");
}

}  // namespace suffice::bindings
