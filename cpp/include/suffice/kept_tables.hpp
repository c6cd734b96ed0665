// The score tables of a model together with their compiled form for the kernels, which is created when rows are first
// scored and cached: for one row of text, compiling would take a thousand times as long as scoring.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "suffice/score.hpp"

namespace suffice {

struct CompiledTables;

class KeptTables final {
  public:
    explicit KeptTables(ScoreTables tables) : tables_(std::move(tables)) {}
    KeptTables(const KeptTables&) = delete;
    KeptTables& operator=(const KeptTables&) = delete;

    const ScoreTables& tables() const { return tables_; }
    // For adding terms; must not run concurrently with scoring.
    ScoreTables& change();
    // Thread-safe. `dense_rows`: see CompiledCounts, whose tables depend on it and are not cached.
    std::shared_ptr<const CompiledTables> compiled(std::size_t dense_rows) const;

  private:
    ScoreTables tables_;
    mutable std::mutex mutex_;
    mutable std::shared_ptr<const CompiledTables> compiled_;
};

Scores score(const KeptTables& tables, const Table& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt);
Scores score(const KeptTables& tables, const Csr& x, const Asked& asked, std::size_t threads, const Interrupt& interrupt);

}  // namespace suffice
