// The smallest use on the GPU: points that are in device memory already, fused on a stream of one's own, meshed,
// written.
//
//   minimal_cuda [sphere.ply]
#include "points.hpp"

#include <cutsdf/cutsdf.hpp>

#include <cstdio>
#include <exception>

namespace {

void run(const char* file)
{
  namespace space = cutsdf::space;
  const space::device::owned_stream stream;

  // Any device memory will do: a span of a cudaMalloc'ed array, of a thrust::device_vector, of a buffer.
  const auto on_host = points_on_sphere(0.5, 400, 800);
  const cutsdf::buffer<cutsdf::vec3f, space::device> points(on_host, stream);

  cutsdf::volume<> volume({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 14}, stream);
  const auto done = volume.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());
  const auto mesh = volume.extract_mesh().to_host();
  cutsdf::write_ply(file, mesh);

  std::printf("%llu points made %llu blocks (%llu dropped) and %zu triangles: %s\n",
              static_cast<unsigned long long>(done.valid), static_cast<unsigned long long>(done.blocks),
              static_cast<unsigned long long>(done.blocks_dropped), mesh.triangles.size(), file);
}

}  // namespace

int main(int argc, char** argv)
{
  try {
    run(argc > 1 ? argv[1] : "sphere.ply");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "minimal_cuda: %s\n", e.what());
    return 1;
  }
  return 0;
}
