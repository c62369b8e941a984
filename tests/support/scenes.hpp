// Scenes whose surface is known exactly, as point clouds and as depth images.
#pragma once

#include <cutsdf/grid/image.hpp>
#include <cutsdf/space/thread_pool.hpp>

#include <Eigen/Geometry>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace cutsdf_test {

using namespace cutsdf;  // NOLINT: as in space.hpp

// ---- point clouds -------------------------------------------------------------------------------------------------

/// theta = pi * (i + 0.5) / rows, phi = 2 * pi * j / columns, i-major, centred at the origin.
inline std::vector<vec3f> sphere_points(double radius, int rows, int columns)
{
  std::vector<vec3f> points;
  points.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int i = 0; i < rows; ++i) {
    const double theta = std::numbers::pi * (i + 0.5) / rows;
    for (int j = 0; j < columns; ++j) {
      const double phi = 2.0 * std::numbers::pi * j / columns;
      points.push_back({static_cast<float>(radius * std::sin(theta) * std::cos(phi)),
                        static_cast<float>(radius * std::sin(theta) * std::sin(phi)),
                        static_cast<float>(radius * std::cos(theta))});
    }
  }
  return points;
}

/// side x side points over [-half, half]^2 at z, both ends included.
inline std::vector<vec3f> plane_points(double half, int side, double z)
{
  std::vector<vec3f> points;
  points.reserve(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      points.push_back({static_cast<float>(-half + 2.0 * half * i / (side - 1)),
                        static_cast<float>(-half + 2.0 * half * j / (side - 1)), static_cast<float>(z)});
    }
  }
  return points;
}

/// One point at the centre of each block with |x|, |y| <= reach at z, blocks of `block_size` metres.
inline std::vector<vec3f> block_centres(int reach, int z, double block_size)
{
  std::vector<vec3f> points;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      points.push_back({static_cast<float>((x + 0.5) * block_size), static_cast<float>((y + 0.5) * block_size),
                        static_cast<float>((z + 0.5) * block_size)});
    }
  }
  return points;
}

// ---- surfaces -----------------------------------------------------------------------------------------------------

/// Signed distance in metres, positive in free space, and exact near the surface.
using distance_function = std::function<double(const Eigen::Vector3d&)>;

inline distance_function sphere_distance(Eigen::Vector3d centre, double radius)
{
  return [=](const Eigen::Vector3d& p) { return (p - centre).norm() - radius; };
}

/// The plane normal . p = offset; the normal points to free space.
inline distance_function plane_distance(Eigen::Vector3d normal, double offset)
{
  normal.normalize();
  return [=](const Eigen::Vector3d& p) { return normal.dot(p) - offset; };
}

/// Around the y axis.
inline distance_function torus_distance(Eigen::Vector3d centre, double ring, double tube)
{
  return [=](const Eigen::Vector3d& p) {
    const Eigen::Vector3d q = p - centre;
    return std::hypot(std::hypot(q.x(), q.z()) - ring, q.y()) - tube;
  };
}

inline distance_function box_distance(Eigen::Vector3d centre, Eigen::Vector3d half)
{
  return [=](const Eigen::Vector3d& p) {
    const Eigen::Vector3d q = (p - centre).cwiseAbs() - half;
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
  };
}

/// Distance from the nearest edge of a box, for points on its surface.
inline double distance_to_box_edge(const Eigen::Vector3d& p, const Eigen::Vector3d& centre, const Eigen::Vector3d& half)
{
  Eigen::Vector3d inside = (half - (p - centre).cwiseAbs()).cwiseAbs();
  std::sort(inside.data(), inside.data() + 3);
  return std::hypot(inside[0], inside[1]);
}

/// Unit gradient, towards free space.
inline Eigen::Vector3d gradient(const distance_function& distance, const Eigen::Vector3d& p)
{
  constexpr double h = 1e-5;
  Eigen::Vector3d g;
  for (int axis = 0; axis < 3; ++axis) {
    Eigen::Vector3d step = Eigen::Vector3d::Zero();
    step[axis]           = h;
    g[axis]              = distance(p + step) - distance(p - step);
  }
  return g.normalized();
}

// ---- cameras and depth images -------------------------------------------------------------------------------------

/// A camera that sees `degrees` from left to right.
inline pinhole camera_of(int width, int height, double degrees)
{
  const auto f = static_cast<float>(0.5 * width / std::tan(0.5 * degrees * std::numbers::pi / 180.0));
  return {f, f, 0.5f * static_cast<float>(width - 1), 0.5f * static_cast<float>(height - 1), width, height};
}

/// Camera-to-world pose of a camera at `eye` that looks at `target`, with the world's y axis downwards in the image.
inline Eigen::Isometry3f look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target)
{
  const Eigen::Vector3d forward = (target - eye).normalized();
  Eigen::Vector3d down          = Eigen::Vector3d::UnitY();
  if (std::abs(forward.dot(down)) > 0.9) { down = Eigen::Vector3d::UnitX(); }
  const Eigen::Vector3d right = down.cross(forward).normalized();
  Eigen::Isometry3d pose      = Eigen::Isometry3d::Identity();
  pose.linear().col(0)        = right;
  pose.linear().col(1)        = forward.cross(right);
  pose.linear().col(2)        = forward;
  pose.translation()          = eye;
  return pose.cast<float>();
}

/// Cameras on a sphere around `target`, spread evenly (the spiral of Fibonacci), all looking at it.
inline std::vector<Eigen::Isometry3f> cameras_around(const Eigen::Vector3d& target, double distance, int count)
{
  std::vector<Eigen::Isometry3f> poses;
  for (int i = 0; i < count; ++i) {
    const double y   = 1.0 - 2.0 * (i + 0.5) / count;
    const double r   = std::sqrt(1.0 - y * y);
    const double phi = i * std::numbers::pi * (3.0 - std::sqrt(5.0));
    poses.push_back(look_at(target + distance * Eigen::Vector3d(r * std::cos(phi), y, r * std::sin(phi)), target));
  }
  return poses;
}

/// Depth in metres along the camera's z axis at the centre of each pixel, 0 where the ray leaves the scene.
inline std::vector<float> render_depth(const distance_function& distance, const pinhole& camera,
                                       const Eigen::Isometry3f& camera_to_world, double farthest = 10.0)
{
  const Eigen::Isometry3d pose = camera_to_world.cast<double>();
  std::vector<float> image(static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height));
  static thread_pool pool;
  pool.run(camera.height, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t v = begin; v < end; ++v) {
      for (int u = 0; u < camera.width; ++u) {
        const Eigen::Vector3d ray((u - double{camera.cx}) / double{camera.fx},
                                  (static_cast<double>(v) - double{camera.cy}) / double{camera.fy}, 1.0);
        const Eigen::Vector3d step = pose.linear() * ray;
        const double length        = ray.norm();
        double z                   = 0.0;
        float depth                = 0.0f;
        for (int i = 0; i < 100000 && z < farthest; ++i) {
          const double d = distance(pose.translation() + step * z);
          if (d < 1e-7) {
            depth = static_cast<float>(z);
            break;
          }
          z += d / length;
        }
        image[static_cast<std::size_t>(v * camera.width + u)] = depth;
      }
    }
  });
  return image;
}

/// The same as a sensor would store it; 0 stays 0.
inline std::vector<std::uint16_t> quantised(const std::vector<float>& metres, float units_per_metre)
{
  std::vector<std::uint16_t> raw;
  raw.reserve(metres.size());
  for (const float m : metres) {
    raw.push_back(static_cast<std::uint16_t>(std::lround(m * units_per_metre)));
  }
  return raw;
}

}  // namespace cutsdf_test
