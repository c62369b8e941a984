// The host space's workers: plain threads, a mutex and condition variables, so that ThreadSanitizer sees every
// synchronisation (GCC's OpenMP runtime hides its own).
#pragma once

#include <cutsdf/space/config.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace cutsdf::inline v0 {

/// A fixed set of threads that run one parallel loop at a time; the calling thread works too.
///
/// Loops submitted from several threads run one after the other. A loop body must not start another loop on the same
/// pool, and must not throw.
class thread_pool {
 public:
  /// `threads` counts the caller: 1 means no worker at all. 0 means one per core. Where the system gives fewer, fewer
  /// do the same work.
  explicit thread_pool(unsigned threads = 0)
  {
    if (threads == 0) { threads = std::max(1u, std::thread::hardware_concurrency()); }
    workers_.reserve(threads - 1);
    try {
      for (unsigned i = 1; i < threads; ++i) {
        workers_.emplace_back([this] { work(); });
      }
    } catch (const std::system_error&) {
    }
  }

  thread_pool(const thread_pool&)            = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  ~thread_pool()
  {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) {
      worker.join();
    }
  }

  /// Number of threads that run a loop, the caller included.
  [[nodiscard]] unsigned size() const noexcept { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls `body(begin, end)` for consecutive ranges of at most `grain` that cover [0, count); waits for all of them.
  template <class Body>
  void run(std::int64_t count, std::int64_t grain, const Body& body)
  {
    if (count <= 0) { return; }
    grain = std::max<std::int64_t>(grain, 1);
    if (workers_.empty() || count <= grain) {
      body(std::int64_t{0}, count);
      return;
    }
    const std::lock_guard one_loop_at_a_time(submit_);
    {
      const std::lock_guard lock(mutex_);
      body_   = &body;
      invoke_ = [](const void* b, std::int64_t begin, std::int64_t end) { (*static_cast<const Body*>(b))(begin, end); };
      count_  = count;
      grain_  = grain;
      pending_ = workers_.size();
      next_.store(0, std::memory_order_relaxed);
      ++generation_;
    }
    wake_.notify_all();
    drain(count, grain, invoke_, body_);
    if (soon([this] { return pending_.load(std::memory_order_acquire) == 0; })) { return; }
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return pending_ == 0; });
  }

 private:
  using invoke_type = void (*)(const void*, std::int64_t, std::int64_t);

  /// Waits until `holds()`, but not for long; returns whether it does. A frame is a few loops, one right after the
  /// other, and to be woken takes tens of microseconds.
  template <class Holds>
  static bool soon(const Holds& holds)
  {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    do {
      for (int i = 0; i < 64; ++i) {
        if (holds()) { return true; }
        pause();
      }
    } while (std::chrono::steady_clock::now() < end);
    return false;
  }

  static void pause()
  {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  void drain(std::int64_t count, std::int64_t grain, invoke_type invoke, const void* body)
  {
    for (;;) {
      const std::int64_t begin = next_.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= count) { return; }
      invoke(body, begin, std::min(begin + grain, count));
    }
  }

  void work()
  {
    std::uint64_t seen = 0;
    for (;;) {
      soon([&] { return generation_.load(std::memory_order_acquire) != seen; });
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
      if (stopping_) { return; }
      seen              = generation_;
      const auto count  = count_;
      const auto grain  = grain_;
      const auto invoke = invoke_;
      const auto body   = body_;
      lock.unlock();
      drain(count, grain, invoke, body);
      lock.lock();
      if (--pending_ == 0) { done_.notify_one(); }
    }
  }

  std::vector<std::thread> workers_;
  std::mutex submit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::uint64_t> generation_{0};
  std::atomic<std::size_t> pending_{0};
  bool stopping_{false};
  std::int64_t count_{0};
  std::int64_t grain_{1};
  invoke_type invoke_{nullptr};
  const void* body_{nullptr};
};

}  // namespace cutsdf::inline v0
