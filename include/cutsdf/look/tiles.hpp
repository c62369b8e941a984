// Where the rays of an image can meet blocks: depths per tile of pixels, so that rays start at the first block before
// them, step over the gaps between blocks, and end behind the last.
//
// Blocks are projected into a pyramid of tiles: each goes into the level at which it covers a few tiles, and a pixel
// asks every level. So a block costs the same however near it is, and one across the camera plane costs no more.
#pragma once

#include <cutsdf/grid/camera.hpp>
#include <cutsdf/table/block_table_ref.hpp>
#include <cutsdf/volume.hpp>

#include <bit>
#include <cmath>

namespace cutsdf::inline v0::detail {

/// The rays of a camera in units of voxels: the pixel's ray at depth z along the camera's axis is origin + z * along().
struct ray_bundle {
  vec3f origin;
  vec3i block;                 // that the origin lies in, where that is in range
  vec3f right, down, forward;  // world frame; right and down a pixel long at depth 1
  float cx, cy;
  int width, height;
  float nearest, farthest;  // depths that are looked at

  [[nodiscard]] CUTSDF_HD vec3f along(int u, int v) const
  {
    const float x = static_cast<float>(u) - cx;
    const float y = static_cast<float>(v) - cy;
    return {forward.x + right.x * x + down.x * y, forward.y + right.y * x + down.y * y,
            forward.z + right.z * x + down.z * y};
  }
};

CUTSDF_HD inline vec3f point_on(vec3f origin, vec3f direction, float t)
{
  return {origin.x + direction.x * t, origin.y + direction.y * t, origin.z + direction.z * t};
}

inline ray_bundle rays_of(const pinhole& camera, const rigid_motion& camera_to_world, float inverse_voxel_size,
                          float min_depth, float max_depth)
{
  const auto& m      = camera_to_world;
  const vec3f origin = m.translation * inverse_voxel_size;
  return {origin,
          addressable(origin) ? block_of(voxel_at(origin)) : vec3i{0, 0, 0},
          vec3f{m.row0.x, m.row1.x, m.row2.x} * (1.0f / camera.fx),
          vec3f{m.row0.y, m.row1.y, m.row2.y} * (1.0f / camera.fy),
          vec3f{m.row0.z, m.row1.z, m.row2.z},
          camera.cx,
          camera.cy,
          camera.width,
          camera.height,
          min_depth * inverse_voxel_size,
          max_depth * inverse_voxel_size};
}

/// The depths up to `limit` (in voxels) cut into 64 slabs: 32 of 8 voxels, then 32 of 16.
struct depth_slabs {
  static constexpr float limit = 767.0f;  // below the last slab's end: depths are rounded before they are sorted

  /// The slab of a depth in [0, limit).
  CUTSDF_HD static int index(float depth) { return (approx::to_bits(depth + bias) >> shift) - first; }
  /// Where slab i begins: the smallest depth whose index is i.
  CUTSDF_HD static float start(int i) { return approx::from_bits((i + first) << shift) - bias; }

 private:
  // Five bits of the mantissa: 32 equal steps between two powers of two.
  static constexpr int shift  = 18;
  static constexpr float bias = 256.0f;
  static constexpr int first  = 0x43800000 >> shift;  // the bits of `bias`
};

/// Depths at which there may be blocks: bit i of `slabs` for slab i, and one range for what is beyond.
struct occupied_depths {
  std::uint64_t slabs{0};
  float beyond_first{3.0e38f};
  float beyond_last{-1.0f};

  CUTSDF_HD void include(const tile_depths& tile)
  {
    slabs |= tile.slabs;
    if (tile.beyond_last != 0) {
      beyond_first = approx::smaller(beyond_first, approx::from_bits(0x7fffffff - tile.beyond_first));
      beyond_last  = approx::larger(beyond_last, approx::from_bits(tile.beyond_last));
    }
  }

  /// The first such depth at or after `depth` (>= 0); above every depth when there is none.
  [[nodiscard]] CUTSDF_HD float next(float depth) const
  {
    if (depth < depth_slabs::limit) {
      const int i                = depth_slabs::index(depth);
      const std::uint64_t behind = slabs >> i;
      if ((behind & 1) != 0) { return depth; }
      if (behind != 0) { return depth_slabs::start(i + lowest_bit(behind)); }
    }
    const float z = approx::larger(depth, beyond_first);
    return z <= beyond_last ? z : 3.0e38f;
  }

 private:
  CUTSDF_HD static int lowest_bit(std::uint64_t word)
  {
#if CUTSDF_DEVICE_PASS
    return __ffsll(static_cast<long long>(word)) - 1;
#else
    return std::countr_zero(word);
#endif
  }
};

/// The pyramid: square tiles of 2^shift pixels at level 0, twice as wide at each further level, up to one for the whole
/// image.
struct tile_pyramid {
  static constexpr int most_levels = 14;

  tile_depths* tiles;
  int shift;
  int columns, rows;  // at level 0
  int levels;
  std::int32_t first[most_levels + 1];  // tile of each level; their number

  /// Tiles of 8 pixels, or as large as it takes to have no more than most_tiles.
  static tile_pyramid over(int width, int height, tile_depths* tiles)
  {
    for (int shift = 3;; ++shift) {
      tile_pyramid p{tiles, shift, ((width - 1) >> shift) + 1, ((height - 1) >> shift) + 1, 0, {}};
      std::int64_t count = 0;
      while (count <= most_tiles && p.levels < most_levels) {
        const auto c = p.columns_at(p.levels);
        const auto r = p.rows_at(p.levels);
        count += std::int64_t{c} * r;
        p.first[++p.levels] = static_cast<std::int32_t>(count);
        if (c == 1 && r == 1) { break; }
      }
      if (count <= most_tiles) { return p; }
    }
  }

  /// Tiles of all levels.
  [[nodiscard]] std::int32_t size() const { return first[levels]; }

  [[nodiscard]] CUTSDF_HD int columns_at(int level) const { return ((columns - 1) >> level) + 1; }
  [[nodiscard]] CUTSDF_HD int rows_at(int level) const { return ((rows - 1) >> level) + 1; }
  [[nodiscard]] CUTSDF_HD tile_depths* at(int level, int x, int y) const
  {
    return tiles + (first[level] + y * columns_at(level) + x);
  }

  /// What is known of a pixel's ray.
  [[nodiscard]] CUTSDF_HD occupied_depths around(int u, int v) const
  {
    occupied_depths d;
    for (int level = 0; level < levels; ++level) {
      d.include(*at(level, u >> (shift + level), v >> (shift + level)));
    }
    return d;
  }
};

/// Enters every block with voxels into the tiles that see it.
template <class Policies>
struct enter_blocks {
  block_table_ref<Policies> table;
  ray_bundle rays;
  tile_pyramid pyramid;
  vec3f right, down;  // unit vectors of the image's axes
  float fx, fy;
  vec3f half;  // of a block's extent along the camera's axes

  static enter_blocks make(const block_table_ref<Policies>& table, const ray_bundle& rays, const tile_pyramid& pyramid,
                           const pinhole& camera, const rigid_motion& m)
  {
    const auto half = [](vec3f axis) {
      return 0.5f * block_side * (std::abs(axis.x) + std::abs(axis.y) + std::abs(axis.z));
    };
    const vec3f right{m.row0.x, m.row1.x, m.row2.x};
    const vec3f down{m.row0.y, m.row1.y, m.row2.y};
    return {table, rays, pyramid, right, down, camera.fx, camera.fy, {half(right), half(down), half(rays.forward)}};
  }

  CUTSDF_HD void operator()(std::int64_t place) const
  {
    if (place >= table.places() || is_empty(table.keys[place])) { return; }
    const vec3f centre = to_float(block_of_key(table.keys[place]) * block_side + vec3i{4, 4, 4});
    const vec3f apart  = centre - rays.origin;
    // What rounding may do to this, and to the positions of samples inside the block.
    const float margin = 0.01f + 1.0e-6f * (fabsf(centre.x) + fabsf(centre.y) + fabsf(centre.z) + fabsf(rays.origin.x) +
                                            fabsf(rays.origin.y) + fabsf(rays.origin.z));
    const float z      = dot(rays.forward, apart);
    const float z0     = approx::larger(z - (half.z + margin), rays.nearest);
    const float z1     = approx::smaller(z + (half.z + margin), rays.farthest);
    if (!(z0 <= z1)) { return; }
    int left, last_column, top, last_row;
    if (!seen(dot(right, apart), half.x + margin, fx, rays.cx, rays.width, z0, z1, left, last_column)) { return; }
    if (!seen(dot(down, apart), half.y + margin, fy, rays.cy, rays.height, z0, z1, top, last_row)) { return; }

    int level = 0;
    while (level + 1 < pyramid.levels && ((last_column >> level) - (left >> level) >= most_across ||
                                          (last_row >> level) - (top >> level) >= most_across)) {
      ++level;
    }
    const std::uint64_t slabs = slabs_of(z0, z1);
    for (int y = top >> level; y <= last_row >> level; ++y) {
      for (int x = left >> level; x <= last_column >> level; ++x) {
        enter(*pyramid.at(level, x, y), slabs, z0, z1);
      }
    }
  }

 private:
  static constexpr int most_across = 4;  // tiles that a block may touch on an axis

  /// The tiles, of level 0, that see [centre - half, centre + half] at depths from z0 > 0 to z1 on one axis; false when
  /// none does. Where a bound is not a number (0 / 0) it is the image's.
  CUTSDF_HD bool seen(float centre, float half_extent, float focal, float c, int size, float z0, float z1, int& from,
                      int& to) const
  {
    constexpr float margin_px = 0.05f;
    const float a             = centre - half_extent;
    const float b             = centre + half_extent;
    const float lower         = focal * a / (a < 0.0f ? z0 : z1) + c - margin_px;
    const float upper         = focal * b / (b > 0.0f ? z0 : z1) + c + margin_px;
    const auto last           = static_cast<float>(size - 1);
    if (lower > last || upper < 0.0f) { return false; }
    from = static_cast<int>(approx::larger(lower, 0.0f)) >> pyramid.shift;
    to   = upper < last ? static_cast<int>(approx::larger(upper, 0.0f)) >> pyramid.shift : (size - 1) >> pyramid.shift;
    return true;
  }

  CUTSDF_HD static std::uint64_t slabs_of(float z0, float z1)
  {
    if (!(z0 < depth_slabs::limit)) { return 0; }
    const int a = depth_slabs::index(z0);
    const int b = z1 < depth_slabs::limit ? depth_slabs::index(z1) : 63;
    return ~std::uint64_t{0} << a & ~std::uint64_t{0} >> (63 - b);
  }

  CUTSDF_HD static void enter(tile_depths& tile, std::uint64_t slabs, float z0, float z1)
  {
    if (slabs != 0) { atomic::set_bits(&tile.slabs, slabs); }
    if (z1 < depth_slabs::limit) { return; }
    const std::int32_t first = 0x7fffffff - approx::to_bits(approx::larger(z0, depth_slabs::limit));
    const std::int32_t last  = approx::to_bits(z1);
    atomic::raise(&tile.beyond_first, first);
    atomic::raise(&tile.beyond_last, last);
  }
};

}  // namespace cutsdf::inline v0::detail
