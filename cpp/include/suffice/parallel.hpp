// Threads over units of fixed size, results merged in a fixed order.
//
// The unit boundaries are a function of the input's shape, never of the number of threads, and
// `merge(0), merge(1), …` run one at a time in that order. So the bits are the same for 1, 2 or 16 threads.
//
// Threads live for one call. Nothing outlives it, so a process may fork between calls and many callers
// may run at once; starting a thread costs tens of microseconds, which is why small inputs stay on one.
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

// Answers whether the caller has asked to stop (Ctrl-C). Called on the calling thread only.
using Interrupt = std::function<bool()>;

struct Interrupted {};

// Fewer cells than this are not worth a second thread.
inline constexpr std::size_t cells_worth_a_thread = std::size_t{1} << 18;

inline std::size_t threads_for(std::size_t cells, std::size_t asked) {
    return cells < cells_worth_a_thread || asked == 0 ? 1 : asked;
}

namespace detail {

// What the threads of one call share.
class Crew {
  public:
    Crew(std::size_t units, const Interrupt& interrupt) : units_(units), interrupt_(interrupt) {}

    // The next unit to work on, or `units` when none is left.
    std::size_t take() { return stopped() ? units_ : next_.fetch_add(1, std::memory_order_relaxed); }
    std::size_t units() const { return units_; }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }

    // Waits until every earlier unit has been merged, with an eye on the interrupt if this is the calling thread.
    // False when the call is stopping instead. Units take about as long as each other, so a wait is short: to look
    // again for a while costs less than to sleep and be woken.
    bool wait_for_turn(std::size_t unit, bool calling_thread) {
        using namespace std::chrono_literals;
        const auto patience = std::chrono::steady_clock::now() + 100us;
        while (turn_.load(std::memory_order_acquire) != unit && !stopped() && std::chrono::steady_clock::now() < patience) pause();
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
    // Keeps the failure of the earliest unit: it alone is reached in turn, so the answer does not depend on timing.
    void fail(std::exception_ptr failure) {
        {
            std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::move(failure);
            stop_.store(true, std::memory_order_relaxed);
        }
        turn_changed_.notify_all();
    }
    void leave() {
        {
            std::lock_guard lock(mutex_);
            ++left_;
        }
        someone_left_.notify_all();
    }
    void wait_for(std::size_t helpers) {
        using namespace std::chrono_literals;
        std::unique_lock lock(mutex_);
        while (!someone_left_.wait_for(lock, 50ms, [&] { return left_ == helpers; })) {
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
    std::condition_variable turn_changed_, someone_left_;
    std::atomic<std::size_t> turn_{0};
    std::size_t left_ = 0;
    std::exception_ptr failure_;
};

}  // namespace detail

// Handed to the work of a unit, which calls it between blocks: throws Interrupted when the call is to stop.
class Checkpoint {
  public:
    Checkpoint(detail::Crew& crew, bool calling_thread) : crew_(crew), calling_thread_(calling_thread) {}

    void operator()() {
        using clock = std::chrono::steady_clock;
        if (calling_thread_ && clock::now() >= next_poll_) {
            crew_.poll();
            next_poll_ = clock::now() + std::chrono::milliseconds(20);
        }
        if (crew_.stopped()) throw Interrupted{};
    }

  private:
    detail::Crew& crew_;
    bool calling_thread_;
    std::chrono::steady_clock::time_point next_poll_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
};

// Runs work(unit, checkpoint) for unit = 0 … units−1 on up to `threads` threads, and merge(unit) in order.
// `make_worker()` builds each thread's own scratch space: an object with these two members.
// An exception thrown for the earliest unit is thrown again here, after every thread has ended.
template <class MakeWorker>
void run_in_order(std::size_t units, std::size_t threads, const Interrupt& interrupt, MakeWorker&& make_worker) {
    detail::Crew crew(units, interrupt);
    auto labour = [&](bool calling_thread) {
        std::size_t unit = units;
        try {
            auto worker = make_worker();
            Checkpoint checkpoint(crew, calling_thread);
            while ((unit = crew.take()) < units) {
                std::exception_ptr failure;
                try {
                    checkpoint();
                    worker.work(unit, checkpoint);
                } catch (...) {
                    failure = std::current_exception();
                }
                if (!crew.wait_for_turn(unit, calling_thread)) return;
                if (failure) std::rethrow_exception(failure);
                worker.merge(unit);
                crew.pass_turn();
            }
        } catch (...) {
            crew.fail(std::current_exception());
        }
    };

    std::vector<std::thread> helpers;
    const std::size_t wanted = (threads < units ? threads : units);
    for (std::size_t k = 1; k < wanted; ++k) {
        try {
            helpers.emplace_back([&] {
                labour(false);
                crew.leave();
            });
        } catch (const std::system_error&) {
            break;  // the system gives no more threads: those that run will do all the work
        } catch (const std::bad_alloc&) {
            break;
        }
    }
    labour(true);
    crew.wait_for(helpers.size());
    for (auto& helper : helpers) helper.join();
    crew.rethrow();
}

// Runs work(unit) for every unit, in any order: each writes to places of its own, and nobody waits for another.
template <class Work>
void run_apart(std::size_t units, std::size_t threads, const Work& work) {
    struct Worker {
        std::size_t units;
        const Work& each;
        std::atomic<std::size_t>& next;
        void work(std::size_t, Checkpoint& checkpoint) const {
            for (std::size_t unit = 0; (unit = next.fetch_add(1, std::memory_order_relaxed)) < units;) {
                checkpoint();
                each(unit);
            }
        }
        void merge(std::size_t) const {}
    };
    const Interrupt never;
    std::atomic<std::size_t> next{0};
    const std::size_t crews = threads == 0 ? 1 : threads;
    run_in_order(crews < units ? crews : units, threads, never, [&] { return Worker{units, work, next}; });
}

}  // namespace suffice
