// Interpolation between the eight corners of a cell.
#pragma once

#include <cutsdf/grid/vec3.hpp>

namespace cutsdf::inline v0::detail {

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
};

/// The same field by powers of the coordinates: half of the operations a point, for a few more a cell.
struct trilinear_powers {
  float one, x, y, z, xy, xz, yz, xyz;

  CUTSDF_HD static trilinear_powers of(const trilinear& f)
  {
    const float x  = f.d[1] - f.d[0];
    const float y  = f.d[2] - f.d[0];
    const float z  = f.d[4] - f.d[0];
    const float xy = (f.d[3] - f.d[2]) - x;
    const float xz = (f.d[5] - f.d[4]) - x;
    const float yz = (f.d[6] - f.d[4]) - y;
    return {f.d[0], x, y, z, xy, xz, yz, ((f.d[7] - f.d[6]) - (f.d[5] - f.d[4])) - xy};
  }

  [[nodiscard]] CUTSDF_HD float at(vec3f t) const
  {
    return (one + x * t.x + (y + xy * t.x) * t.y) + (z + xz * t.x + (yz + xyz * t.x) * t.y) * t.z;
  }
};

}  // namespace cutsdf::inline v0::detail
