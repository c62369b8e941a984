// Kernels of one's own over a volume: how many voxels were observed, and where the surface is nearest to a place.
//
// volume::ref() gives a view that kernels take by value. Its voxels are read without locks and without copying the
// volume anywhere.
#include "points.hpp"

#include <cutsdf/cutsdf.hpp>

#include <bit>
#include <cstdio>
#include <exception>

namespace {

using device     = cutsdf::space::device;
using volume_ref = cutsdf::volume<device>::ref_type;

constexpr int threads = 256;

void check(cudaError_t code)
{
  if (code != cudaSuccess) { throw cutsdf::cuda_error(cudaGetErrorString(code)); }
}

/// A thread block for each block of voxels, a thread for every second voxel.
__global__ void count_observed(volume_ref volume, unsigned long long* observed)
{
  cutsdf::vec3i block;
  const std::uint32_t place = blockIdx.x;
  if (place >= volume.places() || !volume.block_at(place, block)) { return; }
  unsigned count = 0;
  for (int index = static_cast<int>(threadIdx.x); index < cutsdf::voxels_per_block; index += threads) {
    count += volume.read(place, index).weight > 0.0f ? 1u : 0u;
  }
  atomicAdd(observed, static_cast<unsigned long long>(count));
}

/// Finds the observed voxel at the surface (within half a voxel of it) that is nearest to `query` (metres): the
/// smallest of pairs of distance and voxel, packed so that one 64-bit atomicMin decides.
__global__ void nearest_surface(volume_ref volume, cutsdf::vec3f query, unsigned long long* nearest)
{
  cutsdf::vec3i block;
  const std::uint32_t place = blockIdx.x;
  if (place >= volume.places() || !volume.block_at(place, block)) { return; }
  for (int index = static_cast<int>(threadIdx.x); index < cutsdf::voxels_per_block; index += threads) {
    const cutsdf::voxel_value value = volume.read(place, index);
    if (!(value.weight > 0.0f) || fabsf(value.distance) * volume.truncation_vox > 0.5f) { continue; }
    const cutsdf::vec3i voxel  = block * cutsdf::block_side + cutsdf::voxel_in_block(index);
    const cutsdf::vec3f offset = cutsdf::centre_vox(voxel) * volume.voxel_size - query;
    // The bits of a float that is not negative sort like the float.
    const auto distance = static_cast<unsigned long long>(__float_as_uint(cutsdf::norm(offset)));
    atomicMin(nearest, distance << 32 | (place * static_cast<unsigned>(cutsdf::voxels_per_block) + index));
  }
}

void run()
{
  const device::owned_stream stream;
  const auto plane = points_on_plane(566);
  const cutsdf::buffer<cutsdf::vec3f, device> points(plane, stream);
  cutsdf::volume<device> volume({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 12}, stream);
  const auto done = volume.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());

  cutsdf::buffer<unsigned long long, device> observed(1, stream);
  cutsdf::buffer<unsigned long long, device> nearest(1, stream);
  observed.fill_bytes(0);
  nearest.fill_bytes(0xff);
  // Same stream as the volume: the kernels see everything that was fused before.
  const cudaStream_t handle = stream.get();
  const cutsdf::vec3f query{0.203f, -0.418f, 0.0f};
  count_observed<<<static_cast<unsigned>(done.blocks), threads, 0, handle>>>(volume.ref(), observed.data());
  check(cudaGetLastError());
  nearest_surface<<<static_cast<unsigned>(done.blocks), threads, 0, handle>>>(volume.ref(), query, nearest.data());
  check(cudaGetLastError());

  const auto distance = std::bit_cast<float>(static_cast<std::uint32_t>(nearest.to_host().front() >> 32));
  std::printf("%llu blocks, %llu observed voxels; the surface voxel nearest to (%g, %g, %g) is %.4f m away\n",
              static_cast<unsigned long long>(done.blocks), observed.to_host().front(), query.x, query.y, query.z,
              distance);
}

}  // namespace

int main()
{
  try {
    run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "own_kernel: %s\n", e.what());
    return 1;
  }
  return 0;
}
