#include "suffice/documents.hpp"

namespace suffice {
namespace {

template <class Size>
std::vector<std::size_t> units(std::size_t documents, const Size& size) {
    constexpr std::size_t bytes_each = std::size_t{1} << 19, most_documents = std::size_t{1} << 13;
    std::vector<std::size_t> starts{0};
    std::size_t bytes = 0;
    for (std::size_t k = 0; k < documents; ++k) {
        bytes += size(k);
        if (bytes < bytes_each && k + 1 - starts.back() < most_documents) continue;
        starts.push_back(k + 1);
        bytes = 0;
    }
    if (starts.back() != documents) starts.push_back(documents);
    return starts;
}

}  // namespace

std::vector<std::size_t> document_units(Documents documents) {
    return units(documents.size(), [&](std::size_t k) { return documents[k].size(); });
}

std::vector<std::size_t> document_units(Documents documents, std::span<const std::uint32_t> order) {
    return units(order.size(), [&](std::size_t k) { return documents[order[k]].size(); });
}

}  // namespace suffice
