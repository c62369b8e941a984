// Bits of a word.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>

namespace cutsdf::inline v0::bits {

/// Position of the lowest bit that is set; one is.
CUTSDF_HD inline int lowest(std::uint32_t word)
{
#if CUTSDF_DEVICE_PASS
  return __ffs(static_cast<int>(word)) - 1;
#else
  return __builtin_ctz(word);
#endif
}

}  // namespace cutsdf::inline v0::bits
