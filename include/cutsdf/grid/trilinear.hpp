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

}  // namespace cutsdf::inline v0::detail
