// Where a camera is and how it projects.
//
// Frames: the camera frame has x to the right, y down, z forward; a pose maps camera to world. Pixels: the centre of
// pixel (0, 0) is u = 0, v = 0, so pixel i covers [i - 0.5, i + 0.5), and the pixel that holds u is floor(u + 0.5).
#pragma once

#include <cutsdf/grid/vec3.hpp>
#include <cutsdf/space/error.hpp>

namespace cutsdf::inline v0 {

/// Pinhole camera without distortion: u = fx * x / z + cx, v = fy * y / z + cy, all in pixels. Width and height are at
/// most 2^22.
struct pinhole {
  float fx, fy, cx, cy;
  int width, height;

  /// The same camera at another resolution: pixel centres stay where they are seen.
  [[nodiscard]] pinhole resized(int new_width, int new_height) const
  {
    const float sx = static_cast<float>(new_width) / static_cast<float>(width);
    const float sy = static_cast<float>(new_height) / static_cast<float>(height);
    return {fx * sx, fy * sy, (cx + 0.5f) * sx - 0.5f, (cy + 0.5f) * sy - 0.5f, new_width, new_height};
  }

  // The functions below take one pixel or point, or several at once (F is float or a pack); none of them branches.

  /// The point at depth z = 1 seen by a pixel.
  template <class Integer>
  [[nodiscard]] CUTSDF_INLINE auto ray(Integer u, Integer v) const
  {
    using F = decltype(ieee::to_float(u));
    return vec3<F>{ieee::div(ieee::sub(ieee::to_float(u), F(cx)), F(fx)),
                   ieee::div(ieee::sub(ieee::to_float(v), F(cy)), F(fy)), F(1.0f)};
  }

  /// What is nearer than this along z is behind the camera: its reciprocal need not be a float.
  static constexpr float least_z = 1.0e-30f;

  /// The pixel that a camera-frame point with z >= least_z falls into; false, and pixel (0, 0), when it is outside the
  /// image.
  template <class F>
  [[nodiscard]] CUTSDF_INLINE mask_of<F> project(vec3<F> point, integer_of<F>& u, integer_of<F>& v) const
  {
    const mask_of<F> inside = project_anywhere(point, u, v);
    const integer_of<F> zero(0);
    u = select(inside, u, zero);
    v = select(inside, v, zero);
    return inside;
  }

  /// The number of that pixel, row by row; `otherwise` where there is none or z is below least_z.
  [[nodiscard]] CUTSDF_INLINE std::int32_t pixel_of(vec3f point, std::int32_t otherwise) const
  {
    std::int32_t u, v;
    return project_anywhere(point, u, v) && point.z >= least_z ? v * width + u : otherwise;
  }

 private:
  template <class F>
  [[nodiscard]] CUTSDF_INLINE mask_of<F> project_anywhere(vec3<F> point, integer_of<F>& u, integer_of<F>& v) const
  {
    const F inverse_z       = ieee::reciprocal_of_normal(point.z);
    const F pu              = ieee::add(ieee::add(ieee::mul(ieee::mul(F(fx), point.x), inverse_z), F(cx)), F(0.5f));
    const F pv              = ieee::add(ieee::add(ieee::mul(ieee::mul(F(fy), point.y), inverse_z), F(cy)), F(0.5f));
    const mask_of<F> inside = ieee::truncate_below(pu, width, u);
    return inside & ieee::truncate_below(pv, height, v);
  }
};

namespace detail {
/// Throws invalid_argument for focal lengths or sizes that no camera has.
inline void require_camera(const pinhole& camera)
{
  require(camera.fx > 0.0f && std::isfinite(camera.fx), "pinhole fx", camera.fx, "positive and finite");
  require(camera.fy > 0.0f && std::isfinite(camera.fy), "pinhole fy", camera.fy, "positive and finite");
  require(std::isfinite(camera.cx), "pinhole cx", camera.cx, "finite");
  require(std::isfinite(camera.cy), "pinhole cy", camera.cy, "finite");
  constexpr int most = 1 << 22;  // beyond, a float does not tell pixels apart
  require(camera.width >= 0 && camera.width <= most, "pinhole width", camera.width, "from 0 to 2^22");
  require(camera.height >= 0 && camera.height <= most, "pinhole height", camera.height, "from 0 to 2^22");
}
}  // namespace detail

/// Pixels of an image, the bounds included; none where last < first on either axis.
struct pixel_box {
  int left, top, right, bottom;
};

/// A rotation and a translation as kernels take them: x -> rotation * x + translation, row-major.
struct rigid_motion {
  vec3f row0, row1, row2;
  vec3f translation;

  template <class F>
  [[nodiscard]] CUTSDF_INLINE vec3<F> rotate(vec3<F> v) const
  {
    return {dot(broadcast<F>(row0), v), dot(broadcast<F>(row1), v), dot(broadcast<F>(row2), v)};
  }
  [[nodiscard]] CUTSDF_HD vec3f apply(vec3f v) const { return rotate(v) + translation; }
  /// Rotation by the transpose: the inverse rotation.
  [[nodiscard]] CUTSDF_HD vec3f rotate_back(vec3f v) const
  {
    return {dot(vec3f{row0.x, row1.x, row2.x}, v), dot(vec3f{row0.y, row1.y, row2.y}, v),
            dot(vec3f{row0.z, row1.z, row2.z}, v)};
  }
};

/// How far the linear part of a pose may be from a rotation (largest entry of R^T R - I).
inline constexpr float rotation_tolerance = 1e-3f;

/// Whether a matrix is a rigid motion: finite, orthonormal to rotation_tolerance, right-handed.
inline bool is_rigid(const Eigen::Isometry3f& pose)
{
  const Eigen::Matrix3f r = pose.linear();
  return pose.matrix().allFinite() && r.determinant() > 0.0f &&
         (r.transpose() * r - Eigen::Matrix3f::Identity()).cwiseAbs().maxCoeff() <= rotation_tolerance;
}

/// The kernel's form of a pose. Throws invalid_argument when it is not a rigid motion.
inline rigid_motion to_rigid_motion(const Eigen::Isometry3f& pose)
{
  if (!is_rigid(pose)) {
    throw invalid_argument("pose must be a rigid motion, but its rotation has determinant " +
                           std::to_string(pose.linear().determinant()) + " and its translation is (" +
                           std::to_string(pose.translation().x()) + ", " + std::to_string(pose.translation().y()) +
                           ", " + std::to_string(pose.translation().z()) + ")");
  }
  const Eigen::Matrix3f r = pose.linear();
  return {{r(0, 0), r(0, 1), r(0, 2)},
          {r(1, 0), r(1, 1), r(1, 2)},
          {r(2, 0), r(2, 1), r(2, 2)},
          from_eigen(pose.translation())};
}

}  // namespace cutsdf::inline v0
