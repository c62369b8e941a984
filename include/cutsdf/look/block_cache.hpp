// What a group of threads that look at the same part of a volume has learnt about its blocks.
#pragma once

#include <cutsdf/volume_ref.hpp>

namespace cutsdf::inline v0::detail {

/// Places of blocks, or that there are none: a lookup in a few instructions, for blocks within 512 of `middle`; others
/// are looked up in the table. Lies in the scratch memory of a group, whose threads read and replace entries without
/// waiting for each other: an entry is one word, so whatever they see is whole.
struct block_cache {
  static constexpr int slots = 128;
  static constexpr int reach = 512;  // blocks

  volatile std::uint64_t entries[slots];  // 30 bits that name a block, 32 for its place; all ones: nothing

  CUTSDF_HD void clear(int slot) { entries[slot] = ~std::uint64_t{0}; }

  /// As volume.find(block).
  template <class Volume>
  CUTSDF_HD std::uint32_t find(const Volume& volume, vec3i block, vec3i middle)
  {
    const auto x      = static_cast<std::uint32_t>(block.x - middle.x) + reach;
    const auto y      = static_cast<std::uint32_t>(block.y - middle.y) + reach;
    const auto z      = static_cast<std::uint32_t>(block.z - middle.z) + reach;
    const bool within = (x | y | z) < 2 * reach;
    const auto name   = x << 20 | y << 10 | z;
    // Neighbours, and runs along any axis, get different slots.
    const auto slot          = (x + 5 * y + 27 * z) % slots;
    const std::uint64_t word = entries[slot];
    if (within && static_cast<std::uint32_t>(word >> 32) == name) { return static_cast<std::uint32_t>(word); }
    const std::uint32_t place = volume.find(block);
    if (within) { entries[slot] = std::uint64_t{name} << 32 | place; }
    return place;
  }
};

}  // namespace cutsdf::inline v0::detail
