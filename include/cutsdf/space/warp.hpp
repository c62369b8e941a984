// Threads of a warp that ask for the same thing at the same time: one of them asks, all get the answer. On the CPU
// every thread is on its own.
#pragma once

#include <cutsdf/space/config.hpp>

#include <bit>
#include <cstdint>

namespace cutsdf::inline v0::warp {

/// Those of the threads running together that hold the same word.
class peers {
 public:
  template <class Word>
  CUTSDF_HD explicit peers([[maybe_unused]] Word word)
  {
#if CUTSDF_DEVICE_PASS
    static_assert(sizeof(Word) == 4 || sizeof(Word) == 8);
    if constexpr (sizeof(Word) == 8) {
      mask_ = __match_any_sync(__activemask(), static_cast<unsigned long long>(word));
    } else {
      mask_ = __match_any_sync(__activemask(), static_cast<unsigned>(word));
    }
#endif
  }

  [[nodiscard]] CUTSDF_HD int size() const
  {
#if CUTSDF_DEVICE_PASS
    return __popc(mask_);
#else
    return 1;
#endif
  }

  /// Position of this thread among them; the one at 0 is to speak for all.
  [[nodiscard]] CUTSDF_HD int rank() const
  {
#if CUTSDF_DEVICE_PASS
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    return __popc(mask_ & below);
#else
    return 0;
#endif
  }

  /// What the thread at rank 0 passes.
  template <class Word>
  [[nodiscard]] CUTSDF_HD Word first(Word value) const
  {
#if CUTSDF_DEVICE_PASS
    return __shfl_sync(mask_, value, __ffs(static_cast<int>(mask_)) - 1);
#else
    return value;
#endif
  }

 private:
#if CUTSDF_DEVICE_PASS
  unsigned mask_;
#endif
};

/// Number of bits that are set.
CUTSDF_HD inline std::uint32_t count_bits(std::uint32_t bits)
{
#if CUTSDF_DEVICE_PASS
  return static_cast<std::uint32_t>(__popc(bits));
#else
  return static_cast<std::uint32_t>(std::popcount(bits));
#endif
}

/// Sum of `value` over the threads of the warp before this one, and over all of them; every thread that runs must call
/// this, and those that do are the first so many of the warp.
struct running_total {
  std::uint32_t before;
  std::uint32_t all;
};
CUTSDF_HD inline running_total add_up([[maybe_unused]] std::uint32_t value)
{
#if CUTSDF_DEVICE_PASS
  const unsigned mask = __activemask();
  const auto lane     = threadIdx.x & 31u;
  std::uint32_t sum   = value;
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(mask, sum, step);
    if (lane >= step) { sum += other; }
  }
  return {sum - value, __shfl_sync(mask, sum, __popc(mask) - 1)};
#else
  return {0, value};
#endif
}

}  // namespace cutsdf::inline v0::warp
