// The walk along a ray's band as data, so that a test can look at what either space makes of it.
#pragma once

#include <cutsdf/grid/band.hpp>

namespace cutsdf_test {

using namespace cutsdf;  // NOLINT: as in space.hpp

struct segment {
  vec3f a;
  vec3f b;
};

/// What a ray's band visits.
struct band_visits {
  int count;
  int outside;
  vec3i voxel[32];
  float squared_range[32];
};

/// Walks the band of the ray from segment.a to segment.b, in units of voxels; for map_in_space.
struct walk_band {
  float truncation_vox;
  CUTSDF_HD band_visits operator()(segment s) const
  {
    band_visits result{};
    point_ray ray{};
    if (!point_ray::make(s.a, s.b, ray)) { return result; }
    ray.for_each_voxel(
      truncation_vox,
      [&](vec3i voxel, float squared_range) {
        result.voxel[result.count]         = voxel;
        result.squared_range[result.count] = squared_range;
        ++result.count;
      },
      [&] { ++result.outside; });
    return result;
  }
};

}  // namespace cutsdf_test
