#include "token_shard.hpp"

namespace suffice {

void TokenShard::add(std::span<const Occurrence> found, std::span<const double> values, const char* bytes, const std::int64_t* codes, const double* weights) {
    constexpr std::size_t ahead = 8;
    const bool exact = columns_ == 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
        const Occurrence& each = found[k];
        if (exact && k + ahead < found.size()) words_.prefetch(found[k + ahead].hash);
        std::uint32_t token;
        if (exact) {
            token = static_cast<std::uint32_t>(words_.add({bytes + each.start, each.length}, each.hash));
            if (token == marks_.size()) marks_.emplace_back();
        } else {
            token = static_cast<std::uint32_t>((each.hash & (columns_ - 1)) / token_shards);
        }
        Mark& mark = marks_[token];
        const double weight = weights == nullptr ? 1.0 : weights[each.row];
        if (mark.row != each.row) {
            mark = {each.row, cells_.of(token, static_cast<std::uint32_t>(codes[each.row]))};
            cells_[mark.cell].documents += weight;
        }
        cells_[mark.cell].count += values.empty() ? weight : weight * values[k];
    }
}

}  // namespace suffice
