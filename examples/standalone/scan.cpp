// Depth images of a wall from three places, fused; then the volume is asked what a fourth camera would see.
#include <cutsdf/cutsdf.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

using space = cutsdf::space::preferred;

#if CUTSDF_HAS_CUDA
using stream_owner = cutsdf::space::device::owned_stream;
#else
using stream_owner = cutsdf::space::host::stream_type;
#endif

Eigen::Isometry3f camera_at(float x, float y, float z)
{
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
  pose.translation() << x, y, z;
  return pose;
}

void run()
{
  const stream_owner stream{};
  const cutsdf::pinhole camera{200.0f, 200.0f, 159.5f, 119.5f, 320, 240};
  cutsdf::volume<space> volume({.voxel_size = 0.02f, .truncation = 0.08f, .block_capacity = 1 << 13}, stream);

  // A wall at z = 2 m: seen straight on, all depths are the same. Millimetres, as sensors deliver them.
  const std::vector<std::uint16_t> wall(static_cast<std::size_t>(camera.width) * camera.height, 2000);
  const cutsdf::buffer<std::uint16_t, space> depth(wall, stream);
  for (const float x : {-0.5f, 0.0f, 0.5f}) {
    const auto done = volume.integrate(cutsdf::depth_view<std::uint16_t>{depth.data(), camera.width, camera.height},
                                       camera, camera_at(x, 0.0f, 0.0f));
    std::printf("camera at x = %4.1f: %llu blocks added\n", static_cast<double>(x),
                static_cast<unsigned long long>(done.blocks_added));
  }

  const auto seen                = volume.raycast(camera, camera_at(0.2f, 0.1f, 1.0f));
  const auto depths              = seen.depth.to_host();
  const auto [nearest, farthest] = std::minmax_element(depths.begin(), depths.end());
  std::printf("from 1 m away the wall is %.4f to %.4f m away; %lld surface points in all\n",
              static_cast<double>(*nearest), static_cast<double>(*farthest),
              static_cast<long long>(volume.extract_points().positions.size()));
}

}  // namespace

int main()
{
  try {
    run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "scan: %s\n", e.what());
    return 1;
  }
  return 0;
}
