// Bits of a word.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>

namespace cutsdf::inline v0::bits {

/// How many are set.
CUTSDF_INLINE int count(std::uint32_t word)
{
#if CUTSDF_DEVICE_PASS
  return __popc(word);
#else
  // What compilers know as a count of bits: an instruction where the target has one, and no call where it has none.
  word -= word >> 1 & 0x55555555u;
  word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
  word = (word + (word >> 4)) & 0x0f0f0f0fu;
  return static_cast<int>(word * 0x01010101u >> 24);
#endif
}

/// How many are set in three words.
CUTSDF_INLINE int count(std::uint32_t a, std::uint32_t b, std::uint32_t c) { return count(a) + count(b) + count(c); }

/// Position of the lowest that is set; one is.
CUTSDF_INLINE int lowest(std::uint32_t word)
{
#if CUTSDF_DEVICE_PASS
  return __ffs(static_cast<int>(word)) - 1;
#else
  return __builtin_ctz(word);
#endif
}

}  // namespace cutsdf::inline v0::bits
