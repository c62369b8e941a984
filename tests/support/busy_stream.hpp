// A stream that is kept busy, so that whoever waits for it is found out.
#pragma once

#include <cutsdf/space/device.hpp>

namespace cutsdf_test {

/// Runs until the host lets go, or until it has waited for too long: then somebody was waiting for it.
static __global__ void hold(volatile int* let_go, volatile int* gave_up, long long most_nanoseconds)
{
  long long start;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  for (;;) {
    if (*let_go != 0) { return; }
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - start > most_nanoseconds) {
      *gave_up = 1;
      __threadfence_system();
      return;
    }
  }
}

/// While it lives, work for a stream has to wait: for the legacy default stream if none is named.
class busy_stream {
 public:
  explicit busy_stream(cudaStream_t stream = nullptr)
  {
    cutsdf::detail::check_cuda(cudaMallocHost(&flags_, 2 * sizeof(int)), "cudaMallocHost");
    flags_[0] = 0;
    flags_[1] = 0;
    hold<<<1, 1, 0, stream>>>(flags_, flags_ + 1, 3'000'000'000ll);
    cutsdf::detail::check_cuda(cudaGetLastError(), "hold");
  }
  busy_stream(const busy_stream&)            = delete;
  busy_stream& operator=(const busy_stream&) = delete;
  ~busy_stream()
  {
    flags_[0] = 1;
    static_cast<void>(cudaDeviceSynchronize());
    static_cast<void>(cudaFreeHost(flags_));
  }
  /// Whether the stream was held until now.
  [[nodiscard]] bool still_busy() const { return static_cast<volatile int*>(flags_)[1] == 0; }

 private:
  int* flags_{nullptr};
};

}  // namespace cutsdf_test
