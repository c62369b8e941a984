// Bits of a word.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>

namespace cutsdf::inline v0::bits {

#if !CUTSDF_DEVICE_PASS
/// Counts of a word's nibbles. Where the target has no instruction for it, std::popcount is a call.
inline std::uint32_t nibble_counts(std::uint32_t word)
{
  word -= word >> 1 & 0x55555555u;
  return (word & 0x33333333u) + (word >> 2 & 0x33333333u);
}

/// Their sum, where none is above 15.
inline int sum_of_nibbles(std::uint32_t counts)
{
  return static_cast<int>(((counts & 0x0f0f0f0fu) + (counts >> 4 & 0x0f0f0f0fu)) * 0x01010101u >> 24);
}
#endif

/// How many are set.
CUTSDF_HD inline int count(std::uint32_t word)
{
#if CUTSDF_DEVICE_PASS
  return __popc(word);
#else
  return sum_of_nibbles(nibble_counts(word));
#endif
}

/// How many are set in three words.
CUTSDF_HD inline int count(std::uint32_t a, std::uint32_t b, std::uint32_t c)
{
#if CUTSDF_DEVICE_PASS
  return __popc(a) + __popc(b) + __popc(c);
#else
  return sum_of_nibbles(nibble_counts(a) + nibble_counts(b) + nibble_counts(c));
#endif
}

/// Position of the lowest that is set; one is.
CUTSDF_HD inline int lowest(std::uint32_t word)
{
#if CUTSDF_DEVICE_PASS
  return __ffs(static_cast<int>(word)) - 1;
#else
  return __builtin_ctz(word);
#endif
}

}  // namespace cutsdf::inline v0::bits
