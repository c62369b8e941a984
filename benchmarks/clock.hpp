// Moments in the order of a space's work, and the milliseconds between them.
#pragma once

#include <cutsdf/cutsdf.hpp>

#include <chrono>
#include <vector>

namespace bench {

/// Moments on the host's clock.
class host_clock {
 public:
  explicit host_clock(cutsdf::space::host::stream_type) {}
  void mark() { moments_.push_back(std::chrono::steady_clock::now()); }
  /// Milliseconds between each two marks; forgets them.
  std::vector<double> intervals()
  {
    std::vector<double> ms;
    for (std::size_t i = 1; i < moments_.size(); ++i) {
      ms.push_back(std::chrono::duration<double, std::milli>(moments_[i] - moments_[i - 1]).count());
    }
    moments_.clear();
    return ms;
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> moments_;
};

#if CUTSDF_HAS_CUDA
/// Moments on a stream: a mark is enqueued, and nothing waits before intervals() does.
class stream_clock {
 public:
  explicit stream_clock(cutsdf::space::device::stream_type stream) : stream_(stream) {}
  stream_clock(const stream_clock&)            = delete;
  stream_clock& operator=(const stream_clock&) = delete;
  ~stream_clock()
  {
    for (cudaEvent_t event : events_) {
      static_cast<void>(cudaEventDestroy(event));
    }
  }

  void mark()
  {
    if (used_ == events_.size()) {
      cudaEvent_t event{};
      cutsdf::detail::check_cuda(cudaEventCreate(&event), "cudaEventCreate");
      events_.push_back(event);
    }
    cutsdf::detail::check_cuda(cudaEventRecord(events_[used_++], stream_.get()), "cudaEventRecord");
  }

  /// Milliseconds between each two marks; forgets them. Waits.
  std::vector<double> intervals()
  {
    stream_.wait();
    std::vector<double> ms;
    for (std::size_t i = 1; i < used_; ++i) {
      float between = 0.0f;
      cutsdf::detail::check_cuda(cudaEventElapsedTime(&between, events_[i - 1], events_[i]), "cudaEventElapsedTime");
      ms.push_back(between);
    }
    used_ = 0;
    return ms;
  }

 private:
  cutsdf::space::device::stream_type stream_;
  std::vector<cudaEvent_t> events_;  // made once, recorded again and again
  std::size_t used_{0};
};
#endif

}  // namespace bench
