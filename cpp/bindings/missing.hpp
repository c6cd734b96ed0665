// Which Python objects represent a missing value.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>

namespace suffice::bindings {

namespace nb = nanobind;

inline bool is_named(PyObject* type, const char* name) {
    const nb::object own = nb::steal(PyType_GetName(reinterpret_cast<PyTypeObject*>(type)));
    if (!own.is_valid()) throw nb::python_error();
    return PyUnicode_CompareWithASCIIString(own.ptr(), name) == 0;
}

// None, a float NaN, pandas.NA or NaT, recognised by the name of the type, so that pandas need not be installed.
inline bool is_missing(PyObject* item) {
    if (item == nullptr || item == Py_None) return true;
    if (PyFloat_Check(item)) return std::isnan(PyFloat_AsDouble(item));
    auto* type = reinterpret_cast<PyObject*>(Py_TYPE(item));
    return is_named(type, "NAType") || is_named(type, "NaTType");
}

}  // namespace suffice::bindings
