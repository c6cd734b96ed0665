#include <atomic>
#include <numeric>
#include <stdexcept>

#include "check.hpp"
#include "suffice/parallel.hpp"

using namespace suffice;

namespace {

struct Recorder {
    std::vector<std::size_t>& merged;
    std::atomic<int>& busy;
    void work(std::size_t unit, Checkpoint& checkpoint) {
        checkpoint();
        std::this_thread::sleep_for(std::chrono::microseconds(unit % 7 * 10));
    }
    void merge(std::size_t unit) {
        CHECK_EQUAL(++busy, 1);  // one at a time
        merged.push_back(unit);
        --busy;
    }
};

}  // namespace

TEST(units_are_merged_in_order_on_any_number_of_threads) {
    for (const std::size_t threads : {1, 2, 3, 7, 16}) {
        std::vector<std::size_t> merged, expected(500);
        std::atomic<int> busy{0};
        std::iota(expected.begin(), expected.end(), std::size_t{0});
        run_in_order(500, threads, {}, [&] { return Recorder{merged, busy}; });
        CHECK(merged == expected);
    }
}

TEST(no_units_do_no_work) {
    std::vector<std::size_t> merged;
    std::atomic<int> busy{0};
    run_in_order(0, 4, {}, [&] { return Recorder{merged, busy}; });
    CHECK_EQUAL(merged.size(), 0u);
}

TEST(the_failure_of_the_earliest_unit_is_thrown) {
    struct Failing {
        void work(std::size_t unit, Checkpoint&) {
            if (unit >= 5) throw std::runtime_error(std::to_string(unit));
        }
        void merge(std::size_t) {}
    };
    for (int again = 0; again < 50; ++again) {
        std::string what;
        try {
            run_in_order(100, 4, {}, [] { return Failing{}; });
        } catch (const std::runtime_error& error) {
            what = error.what();
        }
        CHECK_EQUAL(what, std::string("5"));
    }
}

TEST(an_interrupt_ends_the_work) {
    struct Slow {
        std::atomic<std::size_t>& done;
        void work(std::size_t, Checkpoint&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ++done;
        }
        void merge(std::size_t) {}
    };
    for (const std::size_t threads : {1, 3}) {
        std::atomic<std::size_t> done{0};
        const auto start = std::chrono::steady_clock::now();
        bool interrupted = false;
        try {
            run_in_order(
                100000, threads,
                [&] { return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(60); },
                [&] { return Slow{done}; });
        } catch (const Interrupted&) {
            interrupted = true;
        }
        CHECK(interrupted);
        CHECK(done < 10000);
    }
}

TEST(many_callers_at_once) {
    std::vector<std::thread> callers;
    std::atomic<int> right{0};
    for (int k = 0; k < 8; ++k)
        callers.emplace_back([&] {
            std::vector<std::size_t> merged;
            std::atomic<int> busy{0};
            run_in_order(200, 3, {}, [&] { return Recorder{merged, busy}; });
            if (merged.size() == 200) ++right;
        });
    for (auto& caller : callers) caller.join();
    CHECK_EQUAL(right.load(), 8);
}

TEST(small_inputs_stay_on_one_thread) {
    CHECK_EQUAL(threads_for(1000, 8), 1u);
    CHECK_EQUAL(threads_for(cells_worth_a_thread, 8), 8u);
    CHECK_EQUAL(threads_for(cells_worth_a_thread, 0), 1u);
}
