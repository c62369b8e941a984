// Numbers that were chosen by measurement. Both spaces have a set; a device of another compute capability gets that of
// 9.0 until somebody measures it (`cutsdf_bench --benchmark_filter=points`).
#pragma once

#include <cutsdf/space/device.hpp>
#include <cutsdf/space/host.hpp>

#include <cstdint>
#include <limits>

namespace cutsdf::inline v0::detail {

template <class Space>
struct tuning;

template <>
struct tuning<space::host> {
  /// Clouds of fewer points insert blocks and fold points in one pass. On a CPU always: nobody waits for a new block's
  /// place, and a second walk costs a quarter (320,000 points: 54 ms against 70).
  static constexpr std::int64_t one_pass_below = std::numeric_limits<std::int64_t>::max();

  /// Threads that share a point's samples.
  static constexpr int shares(std::int64_t) { return 1; }
};

#if CUTSDF_HAS_CUDA
template <>
struct tuning<space::device> {
  /// H200, cold volumes, microseconds in one pass / in two: 80,000 points 20.6 / 25.7; 320,000 of which few are in new
  /// blocks (base) 40 / 49, of which many are (r-1.0) 75 / 55; 5.12 million in 292,096 blocks 2560 / 1180. In one pass
  /// sums wait for places that are being published while the atomics of others keep the memory busy.
  static constexpr std::int64_t one_pass_below = 150000;

  /// H200: small clouds do not fill the device with a thread a point. 20,000 points take 13.0 us with 5 threads each,
  /// 12.3 with 9, that is one for each sample of the default band; 80,000 take 17.3 with 2 and more with more.
  static constexpr int shares(std::int64_t points) { return points < 40000 ? 9 : points < 150000 ? 2 : 1; }
};
#endif

}  // namespace cutsdf::inline v0::detail
