// Shared by all bindings: array types, calls without the GIL, and results that become arrays without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "suffice/parallel.hpp"
#include "views.hpp"

namespace suffice::bindings {

using Out1 = nb::ndarray<nb::numpy, double, nb::ndim<1>, nb::c_contig>;
using Out2 = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig>;
using Out3 = nb::ndarray<nb::numpy, double, nb::ndim<3>, nb::c_contig>;
using OutInts = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>, nb::c_contig>;
using OutKeys = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>, nb::c_contig>;
// The vector becomes the array's memory.
template <class Out, class T, class Allocator>
Out hand_over(std::vector<T, Allocator>&& values, std::initializer_list<std::size_t> shape) {
    using Vector = std::vector<T, Allocator>;
    auto* kept = new Vector(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Vector*>(p); });
    return Out(kept->data(), shape, owner);
}

// Runs the core without the GIL. Ctrl-C is checked between blocks and raised here.
template <class Call>
auto without_gil(Call&& call) {
    std::optional<nb::python_error> pressed;
    const Interrupt interrupt = [&pressed] {
        nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() == 0) return false;
        pressed.emplace();
        return true;
    };
    try {
        nb::gil_scoped_release released;
        return call(interrupt);
    } catch (const Interrupted&) {
        if (pressed) throw nb::python_error(*pressed);
        throw;
    }
}

inline const Table& view(const Matrix& x) { return x.table; }
inline const Table& view(const Columns& x) { return x.table; }
inline const Csr& view(const Sparse& x) { return x.csr; }

}  // namespace suffice::bindings
