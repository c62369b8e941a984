// Reading the voxels around a position, all at once: the blocks that they lie in are looked up first, so that the loads
// do not wait for each other.
#pragma once

#include <cutsdf/look/block_cache.hpp>
#include <cutsdf/space/warp.hpp>

namespace cutsdf::inline v0::detail {

/// A position as voxel_cube::offset() gives it, as one that can be read: without a branch, which would keep reads from
/// waiting together, the pool's first voxel is read for nothing.
CUTSDF_HD inline std::int64_t readable(std::int64_t offset) { return offset < 0 ? 0 : offset; }

/// A voxel's distance, to a few units in the last place, or `unseen` where its weight is not above min_weight.
template <class Voxel>
CUTSDF_HD float distance_of(const stored_value<Voxel>& value, float min_weight)
{
  return value.stored.weight > min_weight ? value.approx_distance() : unseen;
}

/// A cube of Side^3 voxels, Side at most 8, and the blocks it lies in.
template <int Side, class Voxel, class Policies>
class voxel_cube {
 public:
  using ref_type = volume_ref<Voxel, Policies>;

  /// The cube whose voxel of least coordinates is `lowest`. Looks up the blocks in `cache`, which is about `middle`;
  /// `team` are the threads that do so together.
  CUTSDF_HD voxel_cube(const ref_type& volume, vec3i lowest, block_cache& cache, vec3i middle, const warp::team& team)
  {
    constexpr int mask = block_side - 1;
    const vec3i block  = block_of(lowest);
    const vec3i inside{lowest.x & mask, lowest.y & mask, lowest.z & mask};
    const auto over = [](int from) { return from + Side > block_side ? 1 : 0; };
    lowest_         = inside;
    // Every block that the cube reaches on one axis or several, this one last.
    const int reach = over(inside.x) | over(inside.y) << 1 | over(inside.z) << 2;
    int n           = reach;
    all_stored_     = true;
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      places_[i] = 0;
    }
    CUTSDF_ROLLED
    for (;;) {
      const std::uint32_t found = cache.find(volume, block + vec3i{n & 1, n >> 1 & 1, n >> 2}, middle);
      all_stored_               = all_stored_ && ref_type::stored(found);
      CUTSDF_UNROLLED
      for (int i = 0; i < 8; ++i) {
        places_[i] = i == n ? found : places_[i];
      }
      if (n == 0) { break; }
      n = (n - 1) & reach;
    }
    team.meet();
  }

  /// Whether every block that the cube touches has voxels.
  [[nodiscard]] CUTSDF_HD bool all_stored() const { return all_stored_; }

  /// Position of voxel (x, y, z) of the cube in the voxel policy's arrays; -1 where there is no block.
  [[nodiscard]] CUTSDF_HD std::int64_t offset(int x, int y, int z) const
  {
    const vec3i at            = lowest_ + vec3i{x, y, z};
    const std::uint32_t on_x  = x != 0 ? beyond(at.x) : 0;
    const std::uint32_t on_y  = y != 0 ? beyond(at.y) : 0;
    const std::uint32_t on_z  = z != 0 ? beyond(at.z) : 0;
    const auto row            = [&](int i) { return either(on_x, places_[i + 1], places_[i]); };
    const auto layer          = [&](int i) { return either(on_y, row(i + 2), row(i)); };
    const std::uint32_t place = either(on_z, layer(4), layer(0));
    return ref_type::stored(place) ? ref_type::offset(place, index_in_block(at)) : -1;
  }

 private:
  /// All ones in the next block, else zero.
  CUTSDF_HD static std::uint32_t beyond(std::int32_t at) { return 0u - static_cast<std::uint32_t>(at >> 3 & 1); }
  /// Bit by bit: a choice that is no branch, so that the reads that follow may wait together.
  CUTSDF_HD static std::uint32_t either(std::uint32_t mask, std::uint32_t a, std::uint32_t b)
  {
    return (a & mask) | (b & ~mask);
  }

  vec3i lowest_;  // inside its block
  std::uint32_t places_[8];
  bool all_stored_;
};

CUTSDF_HD inline float mix(float a, float b, float t) { return a + (b - a) * t; }

/// The trilinear field of a cell: eight distances, x fastest.
struct trilinear {
  float d[8];

  [[nodiscard]] CUTSDF_HD float at(vec3f t) const
  {
    return mix(mix(mix(d[0], d[1], t.x), mix(d[2], d[3], t.x), t.y),
               mix(mix(d[4], d[5], t.x), mix(d[6], d[7], t.x), t.y), t.z);
  }

  /// The same, and its derivatives.
  CUTSDF_HD float at(vec3f t, vec3f& slope) const
  {
    const float x[4] = {mix(d[0], d[1], t.x), mix(d[2], d[3], t.x), mix(d[4], d[5], t.x), mix(d[6], d[7], t.x)};
    const float y[2] = {mix(x[0], x[1], t.y), mix(x[2], x[3], t.y)};
    slope            = {mix(mix(d[1] - d[0], d[3] - d[2], t.y), mix(d[5] - d[4], d[7] - d[6], t.y), t.z),
                        mix(x[1] - x[0], x[3] - x[2], t.z), y[1] - y[0]};
    return mix(y[0], y[1], t.z);
  }

  [[nodiscard]] CUTSDF_HD bool seen() const
  {
    bool all = true;
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      all = all && is_seen(d[i]);
    }
    return all;
  }
};

}  // namespace cutsdf::inline v0::detail
