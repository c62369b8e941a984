// The smallest use on the CPU: one synthetic depth image, fused, meshed, written.
//
//   minimal_host [sphere.ply]
#include <cutsdf/cutsdf.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

/// Depth image of a sphere straight ahead of the camera; 0 beside it.
std::vector<float> depth_of_sphere(const cutsdf::pinhole& camera, float distance, float radius)
{
  std::vector<float> depth;
  for (int v = 0; v < camera.height; ++v) {
    for (int u = 0; u < camera.width; ++u) {
      const cutsdf::vec3f ray = camera.ray(u, v);  // its z is 1, so that a multiple of it is a depth
      const float a           = cutsdf::dot(ray, ray);
      const float root        = distance * distance - a * (distance * distance - radius * radius);
      depth.push_back(root > 0.0f ? (distance - std::sqrt(root)) / a : 0.0f);
    }
  }
  return depth;
}

void run(const char* file)
{
  const cutsdf::pinhole camera{525.0f, 525.0f, 319.5f, 239.5f, 640, 480};
  const auto depth = depth_of_sphere(camera, 1.5f, 0.5f);

  cutsdf::volume<cutsdf::space::host> volume({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 12});
  const auto done = volume.integrate(cutsdf::depth_view<float>{depth.data(), camera.width, camera.height}, camera,
                                     Eigen::Isometry3f::Identity());
  const auto mesh = volume.extract_mesh().to_host();
  cutsdf::write_ply(file, mesh);

  std::printf("%llu valid pixels made %llu blocks (%llu dropped) and %zu triangles: %s\n",
              static_cast<unsigned long long>(done.valid), static_cast<unsigned long long>(done.blocks),
              static_cast<unsigned long long>(done.blocks_dropped), mesh.triangles.size(), file);
}

}  // namespace

int main(int argc, char** argv)
{
  try {
    run(argc > 1 ? argv[1] : "sphere.ply");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "minimal_host: %s\n", e.what());
    return 1;
  }
  return 0;
}
