// What threads of a warp can do for each other: one asks for all that ask the same, one adds what all of a row have. On
// the CPU every thread is on its own.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>

namespace cutsdf::inline v0::warp {

inline constexpr unsigned everyone = 0xffffffffu;

/// Of the threads of the warp, those for which `flag` holds, thread l as bit l; all must come here together.
CUTSDF_HD inline std::uint32_t those(bool flag)
{
#if CUTSDF_DEVICE_PASS
  return __ballot_sync(everyone, flag);
#else
  return flag ? 1u : 0u;
#endif
}

/// How many of `threads`, as those() gives them, come before this one.
CUTSDF_HD inline std::uint32_t before_this([[maybe_unused]] std::uint32_t threads)
{
#if CUTSDF_DEVICE_PASS
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  return static_cast<std::uint32_t>(__popc(threads & below));
#else
  return 0;
#endif
}

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

  /// Position of this thread among them; the one at 0 is to speak for all.
  [[nodiscard]] CUTSDF_HD int rank() const
  {
#if CUTSDF_DEVICE_PASS
    return static_cast<int>(before_this(mask_));
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

/// Threads of a warp whose word is that of the thread before them, in rows. All threads of the warp must come here
/// together, and to sum().
class rows {
 public:
  CUTSDF_HD explicit rows([[maybe_unused]] std::uint32_t word)
  {
#if CUTSDF_DEVICE_PASS
    const unsigned lane       = threadIdx.x & 31u;
    const std::uint32_t other = __shfl_up_sync(everyone, word, 1);
    const unsigned beginnings = __ballot_sync(everyone, lane == 0 || other != word);
    first_                    = 31 - __clz(static_cast<int>(beginnings & (everyone >> (31 - lane))));
    last_                     = lane == 31 || (beginnings >> (lane + 1) & 1u) != 0;
    any_                      = beginnings != everyone;
    // Is there a row of more than eight? Its beginnings are that far apart.
    unsigned reached = beginnings | beginnings >> 1 | 1u << 31;
    reached |= reached >> 2 | 3u << 30;
    reached |= reached >> 4 | 15u << 28;
    long_ = reached != everyone;
#endif
  }

  /// Sum of the row's values, in its last thread.
  [[nodiscard]] CUTSDF_HD std::uint32_t sum(std::uint32_t value) const
  {
#if CUTSDF_DEVICE_PASS
    const int lane = static_cast<int>(threadIdx.x & 31u);
    const auto add = [&](int step) {
      const std::uint32_t other = __shfl_up_sync(everyone, value, static_cast<unsigned>(step));
      if (lane - step >= first_) { value += other; }
    };
    if (any_) {
      add(1);
      add(2);
      add(4);
      if (long_) {
        add(8);
        add(16);
      }
    }
#endif
    return value;
  }

  /// Whether this is the last thread of its row.
  [[nodiscard]] CUTSDF_HD bool last() const
  {
#if CUTSDF_DEVICE_PASS
    return last_;
#else
    return true;
#endif
  }

 private:
#if CUTSDF_DEVICE_PASS
  int first_;
  bool last_;
  bool any_;   // whether there is a row of more than one
  bool long_;  // of more than eight
#endif
};

/// Whether `flag` holds in any thread of the warp; all must come here together.
CUTSDF_HD inline bool any(bool flag)
{
#if CUTSDF_DEVICE_PASS
  return __any_sync(everyone, flag) != 0;
#else
  return flag;
#endif
}

/// Bits that are set in any thread of the warp's words; all must come here together.
CUTSDF_HD inline std::uint32_t any_of(std::uint32_t bits)
{
#if CUTSDF_DEVICE_PASS && __CUDA_ARCH__ >= 800
  return __reduce_or_sync(everyone, bits);
#elif CUTSDF_DEVICE_PASS
  for (int step = 16; step > 0; step /= 2) {
    bits |= __shfl_xor_sync(everyone, bits, step);
  }
#endif
  return bits;
}

/// What `take()` returns to the first thread of the warp, which alone calls it; all must come here together.
template <class Take>
CUTSDF_HD std::uint32_t once(const Take& take)
{
#if CUTSDF_DEVICE_PASS
  std::uint32_t taken = 0;
  if ((threadIdx.x & 31u) == 0) { taken = take(); }
  return __shfl_sync(everyone, taken, 0);
#else
  return take();
#endif
}

/// A count of threads that fills whole warps.
CUTSDF_HD constexpr std::int64_t whole(std::int64_t threads) { return (threads + 31) / 32 * 32; }

}  // namespace cutsdf::inline v0::warp
