// On which side of the surface the voxels lie, as bits: what extraction asks of most voxels, at an eighth of a byte.
//
// Per block of the pool, in the order of its places (416 bytes):
//
//   neighbours    places of the six blocks that share a face: -x +x -y +y -z +z
//   seen          512 bits: voxel observed, with a weight above the least wanted
//   behind        512 bits: and its distance is negative
//   active        512 bits: the cell whose lowest corner this voxel is has triangles
//   crossed       3 x 512 bits: the edge from this voxel along x, y, z carries a vertex
//
// A mask has a word for 32 voxels: bit b of word w is voxel 32 * w + b, so that a word holds four rows of eight along
// x. After the last place comes a block of which nothing was observed: it stands for every neighbour that does not
// exist.
#pragma once

#include <cutsdf/space/bits.hpp>
#include <cutsdf/volume_ref.hpp>

namespace cutsdf::inline v0::detail {

inline constexpr int words_per_block = voxels_per_block / 32;

/// What 32 voxels carry; read at once where numbers are looked up.
struct alignas(16) surface_word {
  std::uint32_t crossed[3];
  std::uint32_t active;
};

struct alignas(16) surface_block {
  std::uint32_t neighbours[6];
  std::uint32_t seen[words_per_block];
  std::uint32_t behind[words_per_block];
  surface_word words[words_per_block];
};

/// The blocks' bits as kernels see them.
struct side_map {
  surface_block* blocks;
  std::uint32_t places;  // also the place of the block that stands for those that do not exist

  [[nodiscard]] CUTSDF_HD bool stored(std::uint32_t place) const { return place < places; }

  /// Place of the block across a face.
  [[nodiscard]] CUTSDF_HD std::uint32_t neighbour(std::uint32_t place, int axis, bool forward) const
  {
    return blocks[place].neighbours[2 * axis + (forward ? 1 : 0)];
  }

  /// Word w of a mask, moved: bit b tells of the voxel that lies Dx, Dy, Dz (-1, 0 or 1) steps from voxel 32 * w + b.
  ///
  /// A diagonal neighbour is found across the faces between, along z, y, x in turn, so it is missed where one of the
  /// blocks between is not stored. What is asked for here never depends on that: a cell with a corner in a block that
  /// is not stored has no triangles.
  template <int Dx, int Dy, int Dz, class Mask>
  [[nodiscard]] CUTSDF_HD std::uint32_t moved(const Mask& mask, std::uint32_t place, int w) const
  {
    static_assert(Dx * Dx <= 1 && Dy * Dy <= 1 && Dz * Dz <= 1);
    if constexpr (Dz != 0) {
      const bool stays = Dz > 0 ? w < words_per_block - 2 : w >= 2;
      place            = stays ? place : neighbour(place, 2, Dz > 0);
      w                = (w + 2 * Dz) & (words_per_block - 1);
    }
    if constexpr (Dy == 0) {
      return moved_along_x<Dx>(mask, place, w);
    } else {
      // Three rows of the word stay in it, one comes from the other half of the layer, here or in the neighbour.
      const bool stays          = (w & 1) == (Dy > 0 ? 0 : 1);
      const std::uint32_t other = stays ? place : neighbour(place, 1, Dy > 0);
      const std::uint32_t rows  = moved_along_x<Dx>(mask, place, w);
      const std::uint32_t row   = moved_along_x<Dx>(mask, other, w ^ 1);
      return Dy > 0 ? rows >> block_side | row << (32 - block_side) : rows << block_side | row >> (32 - block_side);
    }
  }

 private:
  template <int Dx, class Mask>
  [[nodiscard]] CUTSDF_HD std::uint32_t moved_along_x(const Mask& mask, std::uint32_t place, int w) const
  {
    const std::uint32_t own = mask(blocks[place], w);
    if constexpr (Dx == 0) {
      return own;
    } else {
      const std::uint32_t next     = mask(blocks[neighbour(place, 0, Dx > 0)], w);
      constexpr std::uint32_t last = 0x80808080u;
      return Dx > 0 ? (own >> 1 & ~last) | (next << 7 & last) : (own & ~last) << 1 | (next & last) >> 7;
    }
  }
};

// The masks that are moved.
struct seen_mask {
  CUTSDF_HD std::uint32_t operator()(const surface_block& block, int w) const { return block.seen[w]; }
};
struct behind_mask {
  CUTSDF_HD std::uint32_t operator()(const surface_block& block, int w) const { return block.behind[w]; }
};
struct active_mask {
  CUTSDF_HD std::uint32_t operator()(const surface_block& block, int w) const { return block.words[w].active; }
};

/// Six threads a block, those of the block after the last included.
template <class Voxel, class Policies>
struct find_neighbours {
  volume_ref<Voxel, Policies> volume;
  side_map map;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const auto place    = static_cast<std::uint32_t>(i / 6);
    const auto face     = static_cast<int>(i % 6);
    const int axis      = face >> 1;
    const int step      = (face & 1) != 0 ? 1 : -1;
    std::uint32_t found = map.places;
    vec3i block;
    if (place < map.places && volume.block_at(place, block)) {
      found = volume.find(block + vec3i{axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0});
    }
    map.blocks[place].neighbours[face] = map.stored(found) ? found : map.places;
  }
};

/// A group a block: the one time that all voxels are read. A place without a block reads as never observed.
template <class Voxel, class Policies>
struct mark_sides {
  volume_ref<Voxel, Policies> volume;
  side_map map;
  float min_weight;

  struct scratch {};

  static constexpr bool likes_wide_target = true;

  template <class Group>
  CUTSDF_INLINE void operator()(const Group& group, std::int64_t i, scratch&) const
  {
    const auto place     = static_cast<std::uint32_t>(i);
    surface_block& block = map.blocks[place];
    group.mark_both(block.seen, block.behind, voxels_per_block, [&](int index) {
      const auto value      = stored_value<Voxel>::read(volume.voxels, volume.offset(place, index));
      const unsigned seen   = value.is_heavier(min_weight) ? 1u : 0u;
      const unsigned behind = value.is_behind() ? 2u : 0u;
      return seen != 0 ? seen | behind : 0u;
    });
  }
};

}  // namespace cutsdf::inline v0::detail
