// Reading the voxels around a cell, all at once: which blocks they lie in is known, so that no load waits for another.
#pragma once

#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0::detail {

/// A voxel's distance, to a few units in the last place, or `unseen` where its weight is not above min_weight.
template <class Voxel>
CUTSDF_HD float distance_of(const voxel_value& sums, float min_weight)
{
  return sums.weight > min_weight ? stored_value<Voxel>::approx_distance(sums) : unseen;
}

/// The 4^3 voxels around a cell, those of the cell in the middle, and the blocks that they lie in.
template <class Voxel, class Policies>
class voxel_cube {
 public:
  using ref_type = volume_ref<Voxel, Policies>;

  /// The cell whose lowest voxel has the coordinates `inside` in its block; `neighbours` are those of that block.
  CUTSDF_HD voxel_cube(const block_neighbours& neighbours, vec3i inside) : inside_(inside)
  {
    // On each axis the voxels lie in this block and at most one other.
    const auto other = [](int i) { return i == 0 ? -1 : i + 2 >= block_side ? 1 : 0; };
    const vec3i step{other(inside.x), other(inside.y), other(inside.z)};
    CUTSDF_UNROLLED
    for (int n = 0; n < 8; ++n) {
      places_[n] = neighbours.places[block_neighbours::index((n & 1) != 0 ? step.x : 0, (n & 2) != 0 ? step.y : 0,
                                                             (n & 4) != 0 ? step.z : 0)];
    }
  }

  /// Where to read a voxel, (x, y, z) steps of -1 to 2 from the cell's lowest. Where there is no block `exists` is
  /// false and another voxel is there: without a branch, which would keep reads from waiting together.
  struct spot {
    bool exists;
    std::int64_t offset;
  };
  [[nodiscard]] CUTSDF_HD spot at(int x, int y, int z) const
  {
    const vec3i voxel         = inside_ + vec3i{x, y, z};
    const std::uint32_t on_x  = beyond(voxel.x);
    const std::uint32_t on_y  = beyond(voxel.y);
    const std::uint32_t on_z  = beyond(voxel.z);
    const auto row            = [&](int i) { return either(on_x, places_[i + 1], places_[i]); };
    const auto layer          = [&](int i) { return either(on_y, row(i + 2), row(i)); };
    const std::uint32_t place = either(on_z, layer(4), layer(0));
    const bool exists         = ref_type::stored(place);
    return {exists, ref_type::offset(place & (0u - (exists ? 1u : 0u)), index_in_block(voxel))};
  }

 private:
  /// All ones in the other block, else zero.
  CUTSDF_HD static std::uint32_t beyond(std::int32_t at) { return 0u - static_cast<std::uint32_t>(at >> 3 & 1); }
  /// Bit by bit: a choice that is no branch, so that the reads that follow may wait together.
  CUTSDF_HD static std::uint32_t either(std::uint32_t mask, std::uint32_t a, std::uint32_t b)
  {
    return (a & mask) | (b & ~mask);
  }

  vec3i inside_;
  std::uint32_t places_[8];
};

/// Whether all eight were measured.
CUTSDF_HD inline bool all_seen(const trilinear& cell)
{
  bool all = true;
  CUTSDF_UNROLLED
  for (int i = 0; i < 8; ++i) {
    all = all && is_seen(cell.d[i]);
  }
  return all;
}

}  // namespace cutsdf::inline v0::detail
