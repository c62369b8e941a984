// How many voxels an integration has touched: what the bytes that must move are made from.
#pragma once

#include "session.hpp"

namespace bench {

/// Distance and weight take 8 bytes in all layouts that are measured here but one; the colour is the rest.
template <class Voxel>
inline constexpr double geometry_bytes = std::same_as<Voxel, cutsdf::voxel::mean16> ? 4.0 : 8.0;
template <class Voxel>
inline constexpr double color_bytes = static_cast<double>(Voxel::bytes_per_voxel) - geometry_bytes<Voxel>;

struct voxel_counts {
  std::uint64_t touched{0};        // voxels with a weight
  std::uint64_t colored{0};        // voxels with a colour
  std::uint64_t updates{0};        // sum of the weights: updates, where each weighs 1
  std::uint64_t color_updates{0};  // the same of the colours
};

template <class Voxel, class Policies>
struct count_voxels {
  cutsdf::volume_ref<Voxel, Policies> volume;
  voxel_counts* counts;

  CUTSDF_HD void operator()(std::int64_t place) const
  {
    const auto at = static_cast<std::uint32_t>(place);
    cutsdf::vec3i block;
    if (!volume.block_at(at, block)) { return; }
    voxel_counts sum;
    for (int i = 0; i < cutsdf::voxels_per_block; ++i) {
      const float weight = volume.read(at, i).weight;
      const float color  = Voxel::read_color(volume.voxels, volume.offset(at, i)).weight;
      sum.touched += weight > 0.0f ? 1 : 0;
      sum.colored += color > 0.0f ? 1 : 0;
      sum.updates += static_cast<std::uint64_t>(weight + 0.5f);
      sum.color_updates += static_cast<std::uint64_t>(color + 0.5f);
    }
    cutsdf::atomic::add(&counts->touched, sum.touched);
    cutsdf::atomic::add(&counts->colored, sum.colored);
    cutsdf::atomic::add(&counts->updates, sum.updates);
    cutsdf::atomic::add(&counts->color_updates, sum.color_updates);
  }
};

/// Counts the voxels of a volume. Waits.
template <class Volume>
voxel_counts count(const Volume& v)
{
  const voxel_counts none{};
  cutsdf::buffer<voxel_counts, space> counts(std::span(&none, 1), v.stream());
  space::for_each(v.stream(), v.report().block_capacity,
                  count_voxels<typename Volume::voxel_type, typename Volume::policies_type>{v.ref(), counts.data()});
  return counts.to_host().front();
}

}  // namespace bench
