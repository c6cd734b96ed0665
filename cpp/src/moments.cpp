#include "suffice/moments.hpp"

#include "moment_strip.hpp"

namespace suffice {

MomentTable moments(const Table& x, const Labels& labels, std::size_t threads, const Interrupt& interrupt) {
    CollectedMoments all = collect<MomentStrip, CollectedMoments>(
        x, labels.classes, threads, interrupt,
        [&](std::size_t first_col, std::size_t cols) { return MomentStrip(x, labels, first_col, cols); },
        [&](std::size_t, std::size_t cols) { return CollectedMoments{cols, MomentTable(labels.classes * cols)}; });
    all.throw_if_overflown();
    return std::move(all.table);
}

}  // namespace suffice
