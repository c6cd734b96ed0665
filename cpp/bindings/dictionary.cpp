// Dictionary: codes for texts from Python objects and NumPy str arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "missing.hpp"
#include "shared_dictionary.hpp"

namespace suffice::bindings {
namespace {

using nb::literals::operator""_a;

constexpr std::size_t items_between_signals = std::size_t{1} << 18;

// A view of the memory of a one-dimensional NumPy array, released on destruction.
class Buffer final {
  public:
    Buffer(nb::handle array, const char* expected) {
        if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_FULL_RO) != 0) {
            PyErr_Clear();
            refuse(expected, "a " + std::string(nb::str(array.type().attr("__name__")).c_str()));
        }
        if (view_.ndim != 1) {
            const std::string got = "an array of " + std::to_string(view_.ndim) + " dimensions";
            PyBuffer_Release(&view_);
            refuse(expected, got);
        }
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view_); }

    [[noreturn]] static void refuse(const char* expected, const std::string& got) {
        throw nb::type_error(
            (std::string("array must be a one-dimensional NumPy array of ") + expected + ": got " + got + ".").c_str());
    }
    std::string_view format() const { return view_.format == nullptr ? "B" : view_.format; }
    std::size_t rows() const { return static_cast<std::size_t>(view_.shape[0]); }
    std::ptrdiff_t stride() const { return view_.strides[0]; }
    std::size_t item_bytes() const { return static_cast<std::size_t>(view_.itemsize); }
    const std::byte* data() const { return static_cast<const std::byte*>(view_.buf); }

  private:
    Py_buffer view_{};
};

// The UTF-8 encoding of a str. Python caches it inside the str when it is not ASCII.
std::string_view utf8_of(PyObject* text, const char* what, std::size_t number) {
    Py_ssize_t length = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(length)};
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
    PyErr_Clear();
    for (Py_ssize_t at = 0, end = PyUnicode_GetLength(text); at < end; ++at)
        if (const Py_UCS4 character = PyUnicode_ReadChar(text, at); character >= 0xd800 && character < 0xe000)
            refuse_character(std::string(what) + " " + std::to_string(number), character);
    throw std::invalid_argument(std::string(what) + " " + std::to_string(number) +
                                " holds a text that UTF-8 cannot encode.");
}

// Caches the code of an object by its address. The array keeps the objects alive.
class Addresses final {
  public:
    struct Place {
        PyObject* item = nullptr;
        std::int32_t code = 0;
    };
    Place& of(PyObject* item) {
        return places_[((std::bit_cast<std::uintptr_t>(item) >> 4) * 0x9e3779b97f4a7c15u) >> (64 - bits)];
    }
    void forget() { std::fill(std::begin(places_), std::end(places_), Place{}); }

  private:
    static constexpr int bits = 10;
    Place places_[std::size_t{1} << bits];
};

std::optional<OutCodes> encode_objects(SharedDictionary& dictionary, nb::handle array, bool grow) {
    const Buffer buffer(array, "objects");
    if (buffer.format() != "O") Buffer::refuse("objects", "items of format '" + std::string(buffer.format()) + "'");
    const std::size_t rows = buffer.rows();
    const auto item_at = [&](std::size_t row) {
        return load<PyObject*>(buffer.data() + static_cast<std::ptrdiff_t>(row) * buffer.stride(), 0);
    };
    constexpr std::size_t ahead = 16;  // the objects are scattered in memory: prefetch them

    Codes codes(rows);
    const Held held(dictionary, grow);
    Attempt attempt(dictionary.texts);
    Addresses addresses;
    for (std::size_t row = 0; row < rows; ++row) {
        if (row % items_between_signals == items_between_signals - 1) {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            addresses.forget();  // other Python code has run and may have changed the array
        }
        if (row + ahead < rows) __builtin_prefetch(item_at(row + ahead));
        PyObject* item = item_at(row);
        Addresses::Place& place = addresses.of(item);
        if (place.item != item || item == nullptr) {
            if (item != nullptr && PyUnicode_Check(item))
                place = {item, dictionary.texts.code(utf8_of(item, "row", row), grow)};
            else if (is_missing(item)) place = {item, missing_code};
            else return std::nullopt;
        }
        codes.data()[row] = place.code;
    }
    attempt.keep();
    return codes.hand_over();
}

// NumPy describes '<U7' as "7w", and the other byte order with > or < in front of it.
OutCodes encode_fixed(SharedDictionary& dictionary, nb::handle array, bool grow) {
    static constexpr const char* expected = "str";
    const Buffer buffer(array, expected);
    const std::string_view format = buffer.format();
    if (format.empty() || format.back() != 'w')
        Buffer::refuse(expected, "items of format '" + std::string(format) + "'");
    constexpr char foreign = std::endian::native == std::endian::little ? '>' : '<';
    const WideTexts texts{buffer.data(), buffer.rows(), buffer.item_bytes() / 4, buffer.stride(),
                          format.front() == foreign};
    Codes codes(texts.rows);
    const Held held(dictionary, grow);
    without_gil([&](const Interrupt& interrupt) {
        encode(texts, dictionary.texts, grow, codes.data(), interrupt);
        return 0;
    });
    return codes.hand_over();
}

void create(SharedDictionary* self, const nb::typed<nb::sequence, nb::str>& labels) {
    auto dictionary = std::make_unique<SharedDictionary>();
    std::size_t row = 0;
    for (nb::handle label : labels) {
        if (!PyUnicode_Check(label.ptr()))
            throw nb::type_error(("labels must be str: label " + std::to_string(row) + " is a " +
                                  nb::str(label.type().attr("__name__")).c_str() + ".")
                                     .c_str());
        const auto code = static_cast<std::size_t>(dictionary->texts.add(utf8_of(label.ptr(), "label", row)));
        if (code < row)
            throw std::invalid_argument("labels must be distinct: label " + std::to_string(row) +
                                        " is the same as label " + std::to_string(code) + ", " +
                                        nb::repr(label).c_str() + ". Name each once.");
        ++row;
    }
    new (self) SharedDictionary();
    self->texts = std::move(dictionary->texts);
}

nb::typed<nb::list, nb::str> labels_of(SharedDictionary& dictionary) {
    // Creating objects may run other code, which may need the dictionary: copy the texts, release the lock, then create
    // them.
    std::string bytes;
    std::vector<std::size_t> ends;
    {
        const Held held(dictionary, false);
        for (std::size_t code = 0; code < dictionary.texts.size(); ++code) {
            bytes += dictionary.texts.label(code);
            ends.push_back(bytes.size());
        }
    }
    nb::list labels;
    std::size_t start = 0;
    for (std::size_t code = 0; code < ends.size(); start = ends[code++]) {
        nb::object label =
            nb::steal(PyUnicode_DecodeUTF8(bytes.data() + start, static_cast<Py_ssize_t>(ends[code] - start), nullptr));
        if (!label.is_valid()) {
            PyErr_Clear();
            throw std::invalid_argument(
                "label " + std::to_string(code) +
                " is not valid UTF-8. Replace the invalid bytes, or read the column as binary.");
        }
        labels.append(std::move(label));
    }
    return nb::borrow<nb::typed<nb::list, nb::str>>(labels);
}

}  // namespace

void define_dictionary(nb::module_& m) {
    nb::class_<SharedDictionary>(m, "Dictionary",
                                 "Texts numbered in order of first appearance. Safe to share between threads.")
        .def("__init__", &create, "labels"_a = nb::tuple())
        .def("__len__",
             [](SharedDictionary& self) {
                 const Held held(self, false);
                 return self.texts.size();
             })
        .def("labels", &labels_of, "The texts, in the order of their codes.")
        .def("encode_objects", &encode_objects, "array"_a, "grow"_a,
             "Codes of an object array of str: −1 missing, −2 unseen; None, with the dictionary unchanged, when an "
             "item is neither str nor missing.")
        .def("encode_fixed", &encode_fixed, "array"_a, "grow"_a, "Codes of a NumPy array of str: −2 unseen.");
}

}  // namespace suffice::bindings
