#include "suffice/documents.hpp"

namespace suffice {

std::vector<std::size_t> document_units(Documents documents) {
    constexpr std::size_t bytes_each = std::size_t{1} << 19, most_documents = std::size_t{1} << 13;
    std::vector<std::size_t> starts{0};
    std::size_t bytes = 0;
    for (std::size_t row = 0; row < documents.size(); ++row) {
        bytes += documents[row].size();
        if (bytes < bytes_each && row + 1 - starts.back() < most_documents) continue;
        starts.push_back(row + 1);
        bytes = 0;
    }
    if (starts.back() != documents.size()) starts.push_back(documents.size());
    return starts;
}

}  // namespace suffice
