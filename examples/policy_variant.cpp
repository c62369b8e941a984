// One volume, four sets of policies: what a bound on the probe loses, and how that depends on the hash.
//
// Fuses a plane into a table that is nearly full. An unbounded probe finds a slot for every block; a probe that gives
// up after 8 slots does not. Whatever is lost is counted by cause.
//
// policy_variant.cu compiles this file for the GPU.
#include "points.hpp"

#include <cutsdf/cutsdf.hpp>

#include <cstdio>
#include <exception>
#include <vector>

namespace {

namespace hash  = cutsdf::hash;
namespace probe = cutsdf::probe;
using space     = cutsdf::space::preferred;

/// Owns what a volume's stream needs to be owned.
#if CUTSDF_HAS_CUDA
using stream_owner = cutsdf::space::device::owned_stream;
#else
using stream_owner = cutsdf::space::host::stream_type;
#endif

template <class Policies>
void fuse(const char* name, const std::vector<cutsdf::vec3f>& plane)
{
  const stream_owner stream{};
  const cutsdf::buffer<cutsdf::vec3f, space> points(plane, stream);
  // The plane touches 1060 blocks: room for all in the pool, and hardly more slots in the table.
  cutsdf::volume<space, cutsdf::voxel::fixed_point, Policies> volume(
    {.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 11, .table_capacity = 1 << 11}, stream);
  volume.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());

  const auto report = volume.report();
  std::printf("%-28s %5lld blocks, load factor %.3f, lost:", name, static_cast<long long>(report.blocks),
              report.load_factor);
  for (int i = 0; i < cutsdf::drop_causes; ++i) {
    const auto cause = static_cast<cutsdf::drop_cause>(i);
    if (report.drops[cause] != 0) {
      std::printf(" %s %llu", cutsdf::name_of(cause), static_cast<unsigned long long>(report.drops[cause]));
    }
  }
  std::printf("%s\n", report.drops.lost() == 0 ? " nothing" : "");
}

void run()
{
  const auto plane = points_on_plane(566);
  fuse<cutsdf::policies<hash::mixed, probe::unbounded>>("mixed hash, unbounded", plane);
  fuse<cutsdf::policies<hash::mixed, probe::bounded<8>>>("mixed hash, bounded<8>", plane);
  fuse<cutsdf::policies<hash::teschner, probe::unbounded>>("Teschner's hash, unbounded", plane);
  fuse<cutsdf::policies<hash::teschner, probe::bounded<8>>>("Teschner's hash, bounded<8>", plane);
}

}  // namespace

int main()
{
  try {
    run();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "policy_variant: %s\n", e.what());
    return 1;
  }
  return 0;
}
