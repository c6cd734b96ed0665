// Documents: text columns as views of their bytes, from Arrow chunks or from a list of str.
#include "documents.hpp"

#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <variant>

#include "missing.hpp"
#include "suffice/arrow_chunk.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;

constexpr char nothing[] = "";

// A null pointer means a missing document, so an empty document must not have one.
std::string_view present(std::string_view text) { return text.data() == nullptr ? std::string_view(nothing, 0) : text; }

void add_chunk(HeldDocuments& held, const ArrowChunk& chunk, std::size_t limit) {
    if (chunk.type().kind == ArrowKind::null) {
        held.texts.resize(std::min(limit, held.texts.size() + chunk.rows()));
        return;
    }
    if (chunk.type().kind != ArrowKind::text)
        throw std::invalid_argument(std::string("a chunk of kind '") + name_of(chunk.type().kind) +
                                    "' has no texts. Cast the column to text first.");
    std::visit(
        [&](const auto& texts) {
            for (std::size_t row = 0; row < texts.rows && held.texts.size() < limit; ++row)
                held.texts.push_back(texts.valid(row) ? present(texts.at(row)) : std::string_view());
        },
        chunk.texts());
}

HeldDocuments of_chunks(const nb::typed<nb::sequence, ArrowChunk>& chunks, std::size_t limit) {
    HeldDocuments held;
    for (nb::handle chunk : chunks) {
        add_chunk(held, nb::cast<const ArrowChunk&>(chunk), limit);
        held.owners.push_back(nb::borrow(chunk));
    }
    return held;
}

// The bytes of a str. A lone surrogate has no UTF-8 encoding: such a str is encoded again with three bytes for it,
// which the tokenizer replaces.
std::string_view bytes_of(HeldDocuments& held, nb::handle text) {
    Py_ssize_t length = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &length))
        return {bytes, static_cast<std::size_t>(length)};
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
    PyErr_Clear();
    nb::object spelled = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass"));
    if (!spelled.is_valid()) throw nb::python_error();
    held.owners.push_back(spelled);
    char* bytes = nullptr;
    if (PyBytes_AsStringAndSize(spelled.ptr(), &bytes, &length) != 0) throw nb::python_error();
    return {bytes, static_cast<std::size_t>(length)};
}

HeldDocuments of_texts(const nb::typed<nb::list, nb::object>& texts) {
    HeldDocuments held;
    nb::object kept = nb::steal(PyList_AsTuple(texts.ptr()));  // other code may change the list
    if (!kept.is_valid()) throw nb::python_error();
    held.owners.push_back(kept);
    const Py_ssize_t rows = PyTuple_Size(kept.ptr());
    held.texts.reserve(static_cast<std::size_t>(rows));
    for (Py_ssize_t row = 0; row < rows; ++row) {
        PyObject* item = PyTuple_GetItem(kept.ptr(), row);
        if (PyUnicode_Check(item)) held.texts.push_back(present(bytes_of(held, item)));
        else if (is_missing(item)) held.texts.emplace_back();
        else throw std::invalid_argument("row " + std::to_string(row) + " has " + nb::repr(item).c_str());
    }
    return held;
}

}  // namespace

void define_documents(nb::module_& m) {
    nb::class_<HeldDocuments>(m, "Documents", "Views of texts in memory, some of which may be missing.")
        .def("__len__", [](const HeldDocuments& self) { return self.texts.size(); })
        .def_prop_ro(
            "bytes",
            [](const HeldDocuments& self) {
                std::size_t bytes = 0;
                for (const std::string_view text : self.texts) bytes += text.size();
                return bytes;
            },
            "Total length of the texts in bytes.")
        .def_prop_ro(
            "missing",
            [](const HeldDocuments& self) {
                std::size_t missing = 0;
                for (const std::string_view text : self.texts) missing += suffice::is_missing(text);
                return missing;
            },
            "Number of missing texts.")
        .def(
            "is_missing",
            [](const HeldDocuments& self) {
                auto* flags = new bool[self.texts.size()];
                for (std::size_t row = 0; row < self.texts.size(); ++row)
                    flags[row] = suffice::is_missing(self.texts[row]);
                nb::capsule owner(flags, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
                return nb::ndarray<nb::numpy, bool, nb::ndim<1>, nb::c_contig>(flags, {self.texts.size()}, owner);
            },
            "Mask of missing texts.");
    m.def("documents_of_chunks", &of_chunks, "chunks"_a, "limit"_a, "The first texts of Arrow chunks, not copied.");
    m.def("documents_of_texts", &of_texts, "texts"_a, "The texts of a list of str; None, NaN and NA are missing.");
}

}  // namespace suffice::bindings
