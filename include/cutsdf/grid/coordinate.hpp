// Voxels, blocks, and the 64-bit key that names a block.
//
//   voxel v  occupies [v, v+1) * voxel_size on each axis; its centre is (v + 0.5) * voxel_size
//   block b  holds the voxels [8b, 8b+8) on each axis
//   key      63       62..42        41..21        20..0
//            unused   x + 2^20      y + 2^20      z + 2^20        all ones: no block
#pragma once

#include <cutsdf/grid/vec3.hpp>

namespace cutsdf::inline v0 {

inline constexpr int block_side        = 8;
inline constexpr int block_side_log2   = 3;
inline constexpr int voxels_per_block  = block_side * block_side * block_side;
inline constexpr std::int32_t key_bias = 1 << 20;
/// Voxel coordinates lie in [-voxel_limit, voxel_limit).
inline constexpr std::int32_t voxel_limit = key_bias * block_side;

/// The block that holds a voxel; floor division, so right for negatives.
CUTSDF_HD constexpr vec3i block_of(vec3i voxel)
{
  return {voxel.x >> block_side_log2, voxel.y >> block_side_log2, voxel.z >> block_side_log2};
}

/// Index of a voxel inside its block: x + 8 * (y + 8 * z).
CUTSDF_HD constexpr int index_in_block(vec3i voxel)
{
  constexpr int mask = block_side - 1;
  return (voxel.x & mask) + block_side * ((voxel.y & mask) + block_side * (voxel.z & mask));
}

/// Inverse of index_in_block: coordinates in [0, 8).
CUTSDF_HD constexpr vec3i voxel_in_block(int index)
{
  constexpr int mask = block_side - 1;
  return {index & mask, (index >> block_side_log2) & mask, index >> (2 * block_side_log2)};
}

/// The voxel that holds a position given in units of voxels; |position| below 2^31.
template <class F>
CUTSDF_INLINE vec3<integer_of<F>> voxel_at(vec3<F> position_vox)
{
  return {ieee::floor_to_int(position_vox.x), ieee::floor_to_int(position_vox.y), ieee::floor_to_int(position_vox.z)};
}

/// Centre of a voxel in units of voxels.
CUTSDF_HD inline vec3f centre_vox(vec3i voxel) { return to_float(voxel) + vec3f{0.5f, 0.5f, 0.5f}; }

/// Whether a position in units of voxels lies where keys exist. False for NaN.
template <class F>
CUTSDF_INLINE mask_of<F> addressable(vec3<F> position_vox)
{
  const F lower(-static_cast<float>(voxel_limit));
  const F upper(static_cast<float>(voxel_limit));
  const vec3<F>& p = position_vox;
  return (p.x >= lower) & (p.x < upper) & (p.y >= lower) & (p.y < upper) & (p.z >= lower) & (p.z < upper);
}

using block_key = std::uint64_t;

inline constexpr block_key empty_key = ~block_key{0};

/// Whether a word of the table is empty_key. Keys leave the top bit clear, so half of the word tells.
CUTSDF_HD constexpr bool is_empty(block_key key) { return static_cast<std::uint32_t>(key >> 32) == 0xffffffffu; }

/// Whether a block has a key at all; anything else is refused, never wrapped.
CUTSDF_HD constexpr bool has_key(vec3i block)
{
  constexpr std::uint32_t range = 2u * static_cast<std::uint32_t>(key_bias);
  return static_cast<std::uint32_t>(block.x) + key_bias < range &&
         static_cast<std::uint32_t>(block.y) + key_bias < range &&
         static_cast<std::uint32_t>(block.z) + key_bias < range;
}

/// The key of a block for which has_key() holds.
CUTSDF_HD constexpr block_key key_of(vec3i block)
{
  return static_cast<block_key>(static_cast<std::uint32_t>(block.x + key_bias)) << 42 |
         static_cast<block_key>(static_cast<std::uint32_t>(block.y + key_bias)) << 21 |
         static_cast<block_key>(static_cast<std::uint32_t>(block.z + key_bias));
}

/// The block that a key names.
CUTSDF_HD constexpr vec3i block_of_key(block_key key)
{
  constexpr block_key mask = (block_key{1} << 21) - 1;
  return {static_cast<std::int32_t>(key >> 42 & mask) - key_bias,
          static_cast<std::int32_t>(key >> 21 & mask) - key_bias, static_cast<std::int32_t>(key & mask) - key_bias};
}

}  // namespace cutsdf::inline v0
