// A point cloud as kernels take it.
#pragma once

#include <cutsdf/grid/band.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0::detail {

/// A cloud and its camera as kernels take them.
struct cloud_view {
  const vec3f* positions;
  const rgb8* colors;    // may be null
  const float* weights;  // may be null
  vec3f camera_vox;
  weight_range believed;

  /// Weight of a point; 0 for one that is not to be believed.
  [[nodiscard]] CUTSDF_HD float weight(std::int64_t i) const
  {
    if (weights == nullptr) { return 1.0f; }
    return weights[i] >= believed.least && weights[i] <= believed.most ? weights[i] : 0.0f;
  }

  /// The one validity predicate: both passes walk the same points. Of an invalid one `out` is left alone.
  CUTSDF_HD bool ray(std::int64_t i, float inverse_voxel_size, point_ray& out) const
  {
    return weight(i) > 0.0f && point_ray::make(camera_vox, positions[i] * inverse_voxel_size, out);
  }
};

template <class Voxel>
cloud_view view_of(const point_cloud& points, const Eigen::Vector3f& camera_position, float inverse_voxel_size)
{
  const auto n = points.positions.size();
  require(points.colors.empty() || points.colors.size() == n, "number of colours", points.colors.size(),
          "zero or the number of positions");
  require(points.weights.empty() || points.weights.size() == n, "number of weights", points.weights.size(),
          "zero or the number of positions");
  if (!camera_position.allFinite()) {
    throw invalid_argument("camera_position must be finite, but is (" + std::to_string(camera_position.x()) + ", " +
                           std::to_string(camera_position.y()) + ", " + std::to_string(camera_position.z()) + ")");
  }
  return {points.positions.data(), points.colors.empty() ? nullptr : points.colors.data(),
          points.weights.empty() ? nullptr : points.weights.data(), from_eigen(camera_position) * inverse_voxel_size,
          weights_of<Voxel>()};
}

}  // namespace cutsdf::inline v0::detail
