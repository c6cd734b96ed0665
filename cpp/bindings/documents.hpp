// Documents that Python holds: views of their bytes, and whoever owns those.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>
#include <vector>

#include "door.hpp"
#include "suffice/documents.hpp"

namespace suffice::door {

struct HeldDocuments {
    std::vector<std::string_view> texts;  // null where a document is missing
    std::vector<nb::object> owners;

    Documents view() const { return texts; }
};

void define_documents(nb::module_& m);

}  // namespace suffice::door
