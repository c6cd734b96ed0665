// Kept tables give the same scores as freshly compiled ones, on many threads at once, and are recompiled when a term is
// added.
#include <thread>

#include "check.hpp"
#include "random_rows.hpp"
#include "suffice/kept_tables.hpp"

using namespace suffice;
using rows::Random;

namespace {

ScoreTables weights() {
    ScoreTables t;
    t.log_prior = {-0.5, -1.0, -2.0};
    t.add(LinearTerms{{0, 1}, {-1, -2, -3, -2, -1, -0.5}, true});
    return t;
}

}  // namespace

TEST(kept_tables_score_as_new_ones) {
    const Random from(300, 2, 1, 3, 0, 0, true);
    const KeptTables kept(weights());
    const Unset expected = score(weights(), from.table(), Wanted::posterior, 1, {}).values;
    CHECK(kept.compiled(1) == kept.compiled(300));
    std::vector<std::thread> threads;
    std::vector<Unset> scores(4);
    for (Unset& values : scores)
        threads.emplace_back([&] { values = score(kept, from.table(), Wanted::posterior, 2, {}).values; });
    for (std::thread& thread : threads) thread.join();
    for (const Unset& values : scores) CHECK(values == expected);
}

TEST(an_added_term_counts) {
    const Random from(20, 2, 1, 3, 0, 0, true);
    const PresenceTerms more{{1}, 40, {-1, -2, -3}, {-3, -2, -1}};
    KeptTables kept(weights());
    ScoreTables all = weights();
    all.add(more);
    CHECK(score(kept, from.table(), Wanted::joint, 1, {}).values ==
          score(weights(), from.table(), Wanted::joint, 1, {}).values);
    kept.change().add(more);
    CHECK(score(kept, from.table(), Wanted::joint, 1, {}).values ==
          score(all, from.table(), Wanted::joint, 1, {}).values);
}

TEST(tables_of_counts_follow_the_rows_that_use_them) {
    const Random from(500, 1, 1, 3, 0, 0, true);
    ScoreTables t;
    t.log_prior = {-0.5, -1.0};
    t.add(CountTerms{{0}, {0.5, 2.0}, {}, {}, true, false});
    const KeptTables kept(t);
    CHECK(kept.compiled(1) != kept.compiled(1));
    CHECK(score(kept, from.table(), Wanted::joint, 1, {}).values ==
          score(t, from.table(), Wanted::joint, 1, {}).values);
}
