// Bits of a word.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>

namespace cutsdf::inline v0::bits {

/// How many are set.
CUTSDF_HD inline int count(std::uint32_t word)
{
#if CUTSDF_DEVICE_PASS
  return __popc(word);
#else
  return __builtin_popcount(word);
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
