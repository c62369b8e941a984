// Point clouds that the examples fuse.
#pragma once

#include <cutsdf/grid/vec3.hpp>

#include <cmath>
#include <numbers>
#include <vector>

/// A sphere around the origin, as a range sensor in its middle sees it.
inline std::vector<cutsdf::vec3f> points_on_sphere(double radius, int rings, int points_per_ring)
{
  std::vector<cutsdf::vec3f> points;
  for (int i = 0; i < rings; ++i) {
    const double theta = std::numbers::pi * (i + 0.5) / rings;
    for (int j = 0; j < points_per_ring; ++j) {
      const double phi = 2.0 * std::numbers::pi * j / points_per_ring;
      points.push_back({static_cast<float>(radius * std::sin(theta) * std::cos(phi)),
                        static_cast<float>(radius * std::sin(theta) * std::sin(phi)),
                        static_cast<float>(radius * std::cos(theta))});
    }
  }
  return points;
}

/// A square of 2 m, `side` x `side` points, at z = 0.5.
inline std::vector<cutsdf::vec3f> points_on_plane(int side)
{
  const auto along = [side](int k) { return -1.0f + 2.0f * static_cast<float>(k) / static_cast<float>(side - 1); };
  std::vector<cutsdf::vec3f> points;
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      points.push_back({along(i), along(j), 0.5f});
    }
  }
  return points;
}
