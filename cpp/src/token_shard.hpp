// The tokens of one shard and their counts by class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "suffice/token_table.hpp"
#include "token_cells.hpp"
#include "unit_counts.hpp"

namespace suffice {

inline constexpr std::size_t token_shards = 16;

// Aligned to separate cache lines, because threads work on adjacent shards.
class alignas(128) TokenShard final {
  public:
    // Adds some tokens of a unit, in order; classes never decrease, across calls as well. `weights` are those of the
    // documents, or null.
    void add(std::span<const std::uint32_t> places, const UnitCounts& unit, const double* weights);

    const TokenTable& words() const { return words_; }
    std::size_t pairs() const { return words_.size() + before_.size(); }

    // Frees everything that is needed for adding: only the counts stay.
    void close() {
        words_.forget_slots();
        tokens_ = {};
    }

    // Calls visit(token, class, count, documents) for every count.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::size_t k = 0; k < words_.size(); ++k)
            visit(static_cast<std::uint32_t>(k), words_[k].code, words_[k].count, words_[k].documents);
        for (std::size_t k = 0; k < before_.size(); ++k)
            visit(before_[k].token, before_[k].code, before_[k].count, before_[k].documents);
    }

  private:
    TokenTable words_;                   // with the counts of the last class in which each token occurred
    TokenCells before_;                  // the counts of earlier classes
    std::vector<std::uint32_t> tokens_;  // tokens that are being added
};

// The shard of a token. Uses other bits than those that select its slot in the shard.
inline std::size_t shard_of(std::uint64_t hash) { return hash >> 60; }

}  // namespace suffice
