// Streams of one's own and the time that passes on them.
#pragma once

#include "partition.hpp"

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

namespace study {

template <class Space>
class stopwatch;

template <>
class stopwatch<cutsdf::space::host> {
 public:
  stopwatch(int /*streams*/, int units)
  {
    if (units != 0) { throw cutsdf::error("the CPU is not split into parts"); }
  }
  [[nodiscard]] cutsdf::space::host::stream_type stream(int) const { return {}; }
  void wait() const {}
  [[nodiscard]] std::size_t free_bytes() const
  {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  [[nodiscard]] static int all_units() { return static_cast<int>(std::thread::hardware_concurrency()); }
  template <class Work>
  double milliseconds(const Work& work)
  {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
};

#if CUTSDF_HAS_CUDA
template <>
class stopwatch<cutsdf::space::device> {
  using device = cutsdf::space::device;

 public:
  /// On `units` multiprocessors; 0: all of them.
  stopwatch(int streams, int units) : part_(units == 0 ? nullptr : std::make_unique<partition>(units))
  {
    for (int i = 0; i < streams; ++i) {
      streams_.push_back(make_stream());
      joins_.push_back(make_event());
    }
    start_ = make_event();
    stop_  = make_event();
  }
  stopwatch(const stopwatch&)            = delete;
  stopwatch& operator=(const stopwatch&) = delete;
  ~stopwatch()
  {
    joins_.push_back(start_);
    joins_.push_back(stop_);
    for (cudaEvent_t e : joins_) {
      static_cast<void>(cudaEventDestroy(e));
    }
    for (cudaStream_t s : streams_) {
      static_cast<void>(cudaStreamDestroy(s));
    }
  }

  [[nodiscard]] device::stream_type stream(int i) const
  {
    return streams_[static_cast<std::size_t>(i) % streams_.size()];
  }
  void wait() const
  {
    for (cudaStream_t s : streams_) {
      device::stream_type(s).wait();
    }
  }

  [[nodiscard]] std::size_t free_bytes() const
  {
    wait();
    std::size_t available = 0;
    std::size_t all       = 0;
    check(cudaMemGetInfo(&available, &all));
    return available;
  }
  [[nodiscard]] static int all_units() { return cutsdf::detail::multiprocessors(); }

  /// Time from before the first to after the last thing that `work` enqueues on any of the streams.
  template <class Work>
  double milliseconds(const Work& work)
  {
    check(cudaEventRecord(start_, streams_[0]));
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      check(cudaStreamWaitEvent(streams_[i], start_));
    }
    work();
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      check(cudaEventRecord(joins_[i], streams_[i]));
      check(cudaStreamWaitEvent(streams_[0], joins_[i]));
    }
    check(cudaEventRecord(stop_, streams_[0]));
    check(cudaEventSynchronize(stop_));
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, start_, stop_));
    return static_cast<double>(ms);
  }

 private:
  static void check(cudaError_t result) { cutsdf::detail::check_cuda(result, "a stopwatch's call"); }
  static cudaEvent_t make_event()
  {
    cudaEvent_t event{};
    check(cudaEventCreate(&event));
    return event;
  }
  [[nodiscard]] cudaStream_t make_stream() const
  {
    if (part_ != nullptr) { return part_->make_stream(); }
    cudaStream_t stream{};
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
  }

  std::unique_ptr<partition> part_;
  std::vector<cudaStream_t> streams_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  std::vector<cudaEvent_t> joins_;
};
#endif

}  // namespace study
