// A voxel of one's own: geometry alone, 8 bytes instead of the default's 16.
//
// What a voxel stores is a template argument of the volume; voxel/voxel.hpp says what it must provide. The one here
// keeps weighted sums of the distance and ignores colours, so half the memory holds the same surface.
#include "points.hpp"

#include <cutsdf/cutsdf.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

struct geometry_voxel {
  struct arrays {
    float* distance;  // sums of weight * distance
    float* weight;    // sums of weights
  };

  static constexpr std::int64_t bytes_per_voxel = 2 * sizeof(float);

  static arrays bind(void* memory, std::int64_t voxels)
  {
    auto* first = static_cast<float*>(memory);
    return {first, first + voxels};
  }

  /// Nothing to fetch a colour for.
  CUTSDF_HD static bool wants_color(float, float) { return false; }

  /// Points arrive from many threads at once.
  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const cutsdf::observation& o)
  {
    cutsdf::atomic::add(a.distance + i, o.distance * o.weight);
    cutsdf::atomic::add(a.weight + i, o.weight);
  }

  /// Depth images are folded in by one thread a voxel.
  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const cutsdf::observation& o)
  {
    a.distance[i] += o.distance * o.weight;
    a.weight[i] += o.weight;
  }

  CUTSDF_HD static cutsdf::voxel_value read(const arrays& a, std::int64_t i)
  {
    const float weight = a.weight[i];
    return {weight > 0.0f ? a.distance[i] / weight : 0.0f, weight};
  }

  CUTSDF_HD static cutsdf::voxel_color read_color(const arrays&, std::int64_t) { return {{0.0f, 0.0f, 0.0f}, 0.0f}; }

  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.distance[j] = from.distance[i];
    to.weight[j]   = from.weight[i];
  }
};

static_assert(cutsdf::voxel_policy<geometry_voxel>);

/// Fuses a sphere and says how far its mesh is from it.
template <class Voxel>
void fuse(const char* name, const std::vector<cutsdf::vec3f>& points, double radius)
{
  cutsdf::volume<cutsdf::space::host, Voxel> volume(
    {.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 12});
  volume.integrate({.positions = points}, Eigen::Vector3f::Zero());
  const auto mesh = volume.extract_mesh().to_host();
  double error    = 0.0;
  for (const auto& p : mesh.positions) {
    error += std::abs(static_cast<double>(cutsdf::norm(p)) - radius);
  }
  std::printf("%-16s %2lld bytes a voxel, volume of %5.1f MiB, mean error %.2e m\n", name,
              static_cast<long long>(Voxel::bytes_per_voxel), static_cast<double>(volume.report().bytes) / (1 << 20),
              error / static_cast<double>(mesh.positions.size()));
}

}  // namespace

int main()
{
  try {
    constexpr double radius = 0.5;
    const auto points       = points_on_sphere(radius, 400, 800);
    fuse<cutsdf::voxel::fixed_point>("voxel::fixed_point", points, radius);
    fuse<geometry_voxel>("geometry_voxel", points, radius);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "own_voxel: %s\n", e.what());
    return 1;
  }
  return 0;
}
