// Documents held by Python: views of their bytes, and the objects that own those bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "bindings.hpp"
#include "suffice/documents.hpp"

namespace suffice::bindings {

struct HeldDocuments {
    std::vector<std::string_view> texts;  // null where a document is missing
    std::vector<nb::object> owners;

    Documents view() const { return texts; }
};

void define_documents(nb::module_& m);

}  // namespace suffice::bindings
