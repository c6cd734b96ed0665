// Runs units of fixed size on several threads and merges their results in a fixed order.
//
// The unit boundaries are a function of the input's shape, never of the number of threads, and
// `merge(0), merge(1), …` run one at a time in that order. So the bits are the same for 1, 2 or 16 threads.
//
// Threads live for one call and nothing outlives it, so a process may fork between calls, and calls may run
// concurrently. Starting a thread costs tens of microseconds, so small inputs run on the calling thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace suffice {

// Returns true when the caller has asked to stop (Ctrl-C). Called on the calling thread only.
using Interrupt = std::function<bool()>;

struct Interrupted {};

// Inputs with fewer cells than this run on one thread.
inline constexpr std::size_t cells_worth_a_thread = std::size_t{1} << 18;

inline std::size_t threads_for(std::size_t cells, std::size_t asked) {
    return cells < cells_worth_a_thread || asked == 0 ? 1 : asked;
}

namespace detail {

// The units still to be done, whose turn it is to merge, and the first failure: the state shared by the threads of one
// call.
class WorkQueue {
  public:
    WorkQueue(std::size_t units, const Interrupt& interrupt) : units_(units), interrupt_(interrupt) {}

    // The next unit to work on, or `units` when none is left.
    std::size_t take() { return stopped() ? units_ : next_.fetch_add(1, std::memory_order_relaxed); }
    std::size_t units() const { return units_; }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }

    // Waits until every earlier unit has been merged; the calling thread also polls the interrupt meanwhile. Returns
    // false when the call is stopping instead. Units take similar time, so a wait is short, and spinning for a while
    // costs less than sleeping and being woken.
    bool wait_for_turn(std::size_t unit, bool calling_thread) {
        using namespace std::chrono_literals;
        const auto spin_until = std::chrono::steady_clock::now() + 100us;
        while (turn_.load(std::memory_order_acquire) != unit && !stopped() &&
               std::chrono::steady_clock::now() < spin_until)
            pause();
        std::unique_lock lock(mutex_);
        while (!turn_changed_.wait_for(lock, 50ms, [&] { return stopped() || turn_ == unit; })) {
            lock.unlock();
            if (calling_thread) poll();
            lock.lock();
        }
        return turn_ == unit && !stopped();
    }
    void pass_turn() {
        {
            std::lock_guard lock(mutex_);
            turn_.store(turn_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        }
        turn_changed_.notify_all();
    }
    // Keeps the failure of the earliest unit. Only that one is reached in turn, so the result does not depend on
    // timing.
    void fail(std::exception_ptr failure) {
        {
            std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::move(failure);
            stop_.store(true, std::memory_order_relaxed);
        }
        turn_changed_.notify_all();
    }
    void finish_thread() {
        {
            std::lock_guard lock(mutex_);
            ++finished_;
        }
        thread_finished_.notify_all();
    }
    void wait_for(std::size_t helpers) {
        using namespace std::chrono_literals;
        std::unique_lock lock(mutex_);
        while (!thread_finished_.wait_for(lock, 50ms, [&] { return finished_ == helpers; })) {
            lock.unlock();
            poll();
            lock.lock();
        }
    }
    void poll() {
        if (!stopped() && interrupt_ && interrupt_()) fail(std::make_exception_ptr(Interrupted{}));
    }
    void rethrow() {
        if (failure_) std::rethrow_exception(failure_);
    }

  private:
    static void pause() {
#if defined(__x86_64__)
        for (int k = 0; k < 16; ++k) __builtin_ia32_pause();
#else
        std::this_thread::yield();
#endif
    }

    std::size_t units_;
    const Interrupt& interrupt_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> stop_{false};
    std::mutex mutex_;
    std::condition_variable turn_changed_, thread_finished_;
    std::atomic<std::size_t> turn_{0};
    std::size_t finished_ = 0;
    std::exception_ptr failure_;
};

}  // namespace detail

// Passed to the work of a unit, which calls it between blocks. Throws Interrupted when the call has to stop.
class Checkpoint {
  public:
    Checkpoint(detail::WorkQueue& queue, bool calling_thread) : queue_(queue), calling_thread_(calling_thread) {}

    void operator()() {
        using clock = std::chrono::steady_clock;
        if (calling_thread_ && clock::now() >= next_poll_) {
            queue_.poll();
            next_poll_ = clock::now() + std::chrono::milliseconds(20);
        }
        if (queue_.stopped()) throw Interrupted{};
    }

  private:
    detail::WorkQueue& queue_;
    bool calling_thread_;
    std::chrono::steady_clock::time_point next_poll_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
};

// Runs work(unit, checkpoint) for unit = 0 … units−1 on up to `threads` threads, and merge(unit) in order.
// `make_worker()` builds each thread's own scratch space: an object with these two members.
// An exception thrown for the earliest unit is rethrown here, after every thread has ended.
template <class MakeWorker>
void run_in_order(std::size_t units, std::size_t threads, const Interrupt& interrupt, MakeWorker&& make_worker) {
    detail::WorkQueue queue(units, interrupt);
    auto run = [&](bool calling_thread) {
        std::size_t unit = units;
        try {
            auto worker = make_worker();
            Checkpoint checkpoint(queue, calling_thread);
            while ((unit = queue.take()) < units) {
                std::exception_ptr failure;
                try {
                    checkpoint();
                    worker.work(unit, checkpoint);
                } catch (...) {
                    failure = std::current_exception();
                }
                if (!queue.wait_for_turn(unit, calling_thread)) return;
                if (failure) std::rethrow_exception(failure);
                worker.merge(unit);
                queue.pass_turn();
            }
        } catch (...) {
            queue.fail(std::current_exception());
        }
    };

    std::vector<std::thread> helpers;
    const std::size_t n_threads = (threads < units ? threads : units);
    for (std::size_t k = 1; k < n_threads; ++k) {
        try {
            helpers.emplace_back([&] {
                run(false);
                queue.finish_thread();
            });
        } catch (const std::system_error&) {
            break;  // no more threads are available: those already running do all the work
        } catch (const std::bad_alloc&) {
            break;
        }
    }
    run(true);
    queue.wait_for(helpers.size());
    for (auto& helper : helpers) helper.join();
    queue.rethrow();
}

// Runs work(unit) for every unit in any order and without waiting: each unit writes to a disjoint part of the result.
template <class Work>
void run_in_any_order(std::size_t units, std::size_t threads, const Work& work) {
    struct Worker {
        std::size_t units;
        const Work& run_unit;
        std::atomic<std::size_t>& next;
        void work(std::size_t, Checkpoint& checkpoint) const {
            for (std::size_t unit = 0; (unit = next.fetch_add(1, std::memory_order_relaxed)) < units;) {
                checkpoint();
                run_unit(unit);
            }
        }
        void merge(std::size_t) const {}
    };
    const Interrupt never;
    std::atomic<std::size_t> next{0};
    const std::size_t workers = threads == 0 ? 1 : threads;
    run_in_order(workers < units ? workers : units, threads, never, [&] { return Worker{units, work, next}; });
}

}  // namespace suffice
