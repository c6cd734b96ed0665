#include "suffice/kept_tables.hpp"

#include "compiled_tables.hpp"

namespace suffice {

ScoreTables& KeptTables::change() {
    const std::lock_guard lock(mutex_);
    compiled_.reset();
    return tables_;
}

std::shared_ptr<const CompiledTables> KeptTables::compiled(std::size_t dense_rows) const {
    if (depend_on_rows(tables_)) return std::make_shared<const CompiledTables>(tables_, dense_rows);
    const std::lock_guard lock(mutex_);
    if (!compiled_) compiled_ = std::make_shared<const CompiledTables>(tables_, dense_rows);
    return compiled_;
}

}  // namespace suffice
