// Documents in memory: bytes that should be UTF-8, with a null pointer for a missing document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace suffice {

using Documents = std::span<const std::string_view>;

inline bool is_missing(std::string_view document) { return document.data() == nullptr; }

// Boundaries of the units of work, which depend only on the document lengths. The last entry is the number of
// documents.
std::vector<std::size_t> document_units(Documents documents);
// The same for a subset of the documents, in the given order.
std::vector<std::size_t> document_units(Documents documents, std::span<const std::uint32_t> order);

}  // namespace suffice
