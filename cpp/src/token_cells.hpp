// Token counts of finished classes: a list that grows in chunks, which never move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace suffice {

struct TokenCell {
    std::uint32_t token, code;
    double count, documents;
};

class TokenCells final {
  public:
    std::size_t size() const { return size_; }
    const TokenCell& operator[](std::size_t at) const { return chunks_[at / chunk][at % chunk]; }

    void add(const TokenCell& cell) {
        if (size_ == chunks_.size() * chunk) chunks_.push_back(std::make_unique_for_overwrite<TokenCell[]>(chunk));
        chunks_.back()[size_++ % chunk] = cell;
    }

  private:
    static constexpr std::size_t chunk = std::size_t{1} << 12;

    std::vector<std::unique_ptr<TokenCell[]>> chunks_;
    std::size_t size_ = 0;
};

}  // namespace suffice
