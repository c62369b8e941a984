// The truncation band around a surface sample: which voxels and which blocks an observation reaches.
#pragma once

#include <cutsdf/grid/coordinate.hpp>

namespace cutsdf::inline v0 {

/// Number of samples on each side of a point: max(1, ceil(truncation)), the truncation in voxels.
CUTSDF_HD inline int band_samples(float truncation_vox)
{
  const int n = -ieee::floor_to_int(-truncation_vox);
  return n > 1 ? n : 1;
}

/// The ray from a camera to a point, and the samples of the band along it. All lengths in voxels.
struct point_ray {
  vec3f camera;
  vec3f point;
  vec3f direction;  // unit
  float range;      // |point - camera|

  /// False for a point that is not finite, at the camera, or so far from it that a float cannot tell a voxel's distance
  /// from its neighbour's.
  CUTSDF_HD static bool make(vec3f camera_vox, vec3f point_vox, point_ray& ray)
  {
    const vec3f offset       = point_vox - camera_vox;
    const float range        = norm(offset);
    constexpr float farthest = 2.0f * static_cast<float>(voxel_limit);
    if (!(range > 0.0f) || !ieee::is_finite(range) || (range > farthest && addressable(point_vox))) { return false; }
    ray = {camera_vox, point_vox, offset * ieee::div(1.0f, range), range};
    return true;
  }

  /// Position of sample `s`, s voxels behind the point (negative: in front of it).
  [[nodiscard]] CUTSDF_HD vec3f sample(int s) const { return point + direction * static_cast<float>(s); }

  /// Calls `visit(voxel, squared_range)` for the voxels that hold the samples -n..n, from front to back, where
  /// squared_range is that of the voxel's centre from the camera, and `outside()` for each sample that no key can name.
  /// Left out: samples behind the camera, where a distance along the ray means nothing, and voxels whose centre lies
  /// more than the truncation behind the point. Both passes of fusion walk with this one function.
  template <class Visit, class Outside>
  CUTSDF_HD void for_each_voxel(float truncation_vox, const Visit& visit, const Outside& outside) const
  {
    const int n = band_samples(truncation_vox);
    int first   = -n;
    while (ieee::add(range, static_cast<float>(first)) <= 0.0f) {
      ++first;
    }
    const float farthest = ieee::add(range, truncation_vox);
    const float limit    = ieee::mul(farthest, farthest);
    // Far from the end of the keys, which is almost everywhere, one look at the point answers for the whole band.
    const float margin = static_cast<float>(voxel_limit - 1 - n);
    const bool inside  = fabsf(point.x) < margin && fabsf(point.y) < margin && fabsf(point.z) < margin;
    for (int s = first; s <= n; ++s) {
      const vec3f position = sample(s);
      if (!inside && !addressable(position)) {
        outside();
        continue;
      }
      const vec3i voxel         = voxel_at(position);
      const vec3f from_camera   = centre_vox(voxel) - camera;
      const float squared_range = dot(from_camera, from_camera);
      if (squared_range > limit) { continue; }
      visit(voxel, squared_range);
    }
  }
};

/// Calls `visit(block)` for every block that the segment from `a` to `b` (in units of blocks) passes through, each once
/// and in order. Both ends must be addressable. Where the segment passes exactly through an edge, the block on one side
/// of the edge is visited on the way. O(blocks visited).
///
/// The walk of Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing" (1987), with the number of steps
/// known beforehand (the L1 distance of the end blocks), so that rounding can neither lose the last block nor run on.
template <class Visit>
CUTSDF_HD void for_each_block_on_segment(vec3f a, vec3f b, const Visit& visit)
{
  vec3i block      = voxel_at(a);
  const vec3i last = voxel_at(b);
  const vec3i left = last - block;

  struct axis {
    std::int32_t step;
    std::int32_t left;  // crossings still to come
    float next;         // parameter of the next crossing, the whole segment being 1
    float spacing;
  };
  const auto make_axis = [](float from, float to, std::int32_t first, std::int32_t crossings) {
    const float inverse = ieee::div(1.0f, ieee::sub(to, from));  // infinite only where there is no crossing
    const bool up       = crossings > 0;
    const float border  = static_cast<float>(up ? first + 1 : first);
    const float next    = ieee::mul(ieee::sub(border, from), inverse);
    // A crossing lies on the segment; a denormal difference would put it at infinity.
    return axis{up ? 1 : -1, up ? crossings : -crossings, next <= 1.0f ? next : 1.0f, up ? inverse : -inverse};
  };
  axis x = make_axis(a.x, b.x, block.x, left.x);
  axis y = make_axis(a.y, b.y, block.y, left.y);
  axis z = make_axis(a.z, b.z, block.z, left.z);

  visit(block);
  for (std::int32_t steps = x.left + y.left + z.left; steps > 0; --steps) {
    constexpr float never = 3.0e38f;
    const float tx        = x.left > 0 ? x.next : never;
    const float ty        = y.left > 0 ? y.next : never;
    const float tz        = z.left > 0 ? z.next : never;
    if (x.left > 0 && tx <= ty && tx <= tz) {
      block.x += x.step;
      --x.left;
      x.next = ieee::add(x.next, x.spacing);
    } else if (y.left > 0 && ty <= tz) {
      block.y += y.step;
      --y.left;
      y.next = ieee::add(y.next, y.spacing);
    } else {
      block.z += z.step;
      --z.left;
      z.next = ieee::add(z.next, z.spacing);
    }
    visit(block);
  }
}

}  // namespace cutsdf::inline v0
