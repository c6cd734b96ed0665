// Documents as they lie in memory: bytes that should be UTF-8, null where a document is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace suffice {

using Documents = std::span<const std::string_view>;

inline bool is_missing(std::string_view document) { return document.data() == nullptr; }

// Where documents are cut into units of work: a function of their lengths alone. The last entry is their number.
std::vector<std::size_t> document_units(Documents documents);
// The same of some documents, in this order.
std::vector<std::size_t> document_units(Documents documents, std::span<const std::uint32_t> order);

}  // namespace suffice
