// The synthetic cells of the study: the same points, to the bit, wherever they are made.
#pragma once

#include <cutsdf/grid/vec3.hpp>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace bench {

/// theta-major grid on a sphere about the origin, evaluated in double.
inline std::vector<cutsdf::vec3f> sphere_points(double radius, int rows, int columns)
{
  std::vector<cutsdf::vec3f> points;
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

/// n x n grid over [-h, h]^2 at z = 0.5.
inline std::vector<cutsdf::vec3f> plane_points(double h, int n)
{
  std::vector<cutsdf::vec3f> points;
  points.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      points.push_back(
        {static_cast<float>(-h + 2.0 * h * i / (n - 1)), static_cast<float>(-h + 2.0 * h * j / (n - 1)), 0.5f});
    }
  }
  return points;
}

/// One scene of the study and what fusing it must give (voxel 0.01 m, truncation 0.04 m, camera at the origin).
struct cell {
  std::string name;
  std::vector<cutsdf::vec3f> points;
  std::int64_t block_capacity;
  std::uint64_t blocks;
  /// Where voxel borders are so many that the last bit of the arithmetic decides over some blocks, by how many the
  /// count may be off (292,088 in double precision, 292,096 here, 292,093 where it was first counted).
  std::uint64_t slack{0};

  [[nodiscard]] bool agrees(std::int64_t counted) const
  {
    const auto n = static_cast<std::uint64_t>(counted);
    return n >= blocks - slack && n <= blocks + slack;
  }
};

inline std::vector<cell> cells()
{
  constexpr std::int64_t base_blocks = 1160;
  const auto base                    = sphere_points(0.5, 400, 800);
  return {{"base", base, 16384, 1160},
          {"pts-20k", sphere_points(0.5, 100, 200), 16384, 1104},
          {"pts-80k", sphere_points(0.5, 200, 400), 16384, 1160},
          {"pts-720k", sphere_points(0.5, 600, 1200), 16384, 1160},
          {"pts-1280k", sphere_points(0.5, 800, 1600), 16384, 1160},
          {"r-0.25", sphere_points(0.25, 400, 800), 16384, 280},
          {"r-1.0", sphere_points(1.0, 400, 800), 65536, 4752},
          {"r-2.0", sphere_points(2.0, 400, 800), 131072, 18160},
          {"plane-320k", plane_points(1.0, 566), 16384, 1060},
          {"lf-sparse", base, 16 * base_blocks, 1160},
          {"lf-lo", base, 4 * base_blocks, 1160},
          {"lf-mid", base, 2 * base_blocks, 1160},
          {"lf-hi", base, base_blocks * 105 / 100, 1160},
          {"sphere-8m", sphere_points(8.0, 1600, 3200), 1 << 19, 292093, 5}};
}

}  // namespace bench
