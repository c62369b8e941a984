// A consumer's whole program, the same for both spaces: fuses a sphere seen from its centre, prints the blocks.
#include <cutsdf/cutsdf.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

inline std::vector<cutsdf::vec3f> sphere_points()
{
  constexpr int rings = 400, segments = 800;
  constexpr float radius = 0.5f;
  std::vector<cutsdf::vec3f> points;
  points.reserve(rings * segments);
  for (int i = 0; i < rings; ++i) {
    const double theta = std::numbers::pi * (i + 0.5) / rings;
    for (int j = 0; j < segments; ++j) {
      const double phi = 2.0 * std::numbers::pi * j / segments;
      points.push_back({static_cast<float>(radius * std::sin(theta) * std::cos(phi)),
                        static_cast<float>(radius * std::sin(theta) * std::sin(phi)),
                        static_cast<float>(radius * std::cos(theta))});
    }
  }
  return points;
}

template <class Space>
int fuse_sphere(typename Space::stream_type stream)
{
  const auto host_points = sphere_points();
  const cutsdf::buffer<cutsdf::vec3f, Space> points(host_points, stream);
  cutsdf::volume<Space> volume({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 14}, stream);
  volume.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());
  const auto report = volume.report();
  std::printf("%s: %lld blocks, %llu contributions lost\n", Space::name, static_cast<long long>(report.blocks),
              static_cast<unsigned long long>(report.drops.lost()));
  return 0;
}
