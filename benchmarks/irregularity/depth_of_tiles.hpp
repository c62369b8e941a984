// How far the lanes of a tile would walk: each by itself, and all with the deepest.
#pragma once

#include "contender.hpp"

namespace study {

/// Steps of the lookups of a whole update.
struct walk_steps {
  std::uint64_t lanes{0};   // each lane's own, summed
  std::uint64_t tiles{0};   // if every lane of a tile goes on until the deepest is done
  std::int32_t deepest{0};  // of any lookup: a bound that loses nothing, in this table
};

namespace detail {

/// For point i, the steps of every sample's lookup; the largest of its tile into `deepest`.
template <class Voxel, class Policies>
struct count_steps {
  cutsdf::volume_ref<Voxel, Policies> volume;
  cutsdf::detail::cloud_view cloud;
  std::int32_t* deepest;  // [tile][sample]
  std::uint64_t* sum;
  int tile;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    cutsdf::point_ray ray{};
    if (!cloud.ray(i, volume.inverse_voxel_size, ray)) { return; }
    const int n       = cutsdf::band_samples(volume.truncation_vox);
    const auto& table = volume.table;
    for (int s = -n; s <= n; ++s) {
      cutsdf::vec3i voxel{};
      float squared_range = 0.0f;
      if (ray.look_at(s, volume.truncation_vox, voxel, squared_range) != cutsdf::point_ray::sight::voxel) { continue; }
      const auto block         = cutsdf::block_of(voxel);
      const std::uint32_t slot = table.find_slot(block);
      if (slot == cutsdf::no_slot) { continue; }
      const auto steps = ((slot - Policies::hash_type::hash(block)) & table.mask) + 1;
      cutsdf::atomic::add(sum, std::uint64_t{steps});
      cutsdf::atomic::raise(deepest + i / tile * (2 * n + 1) + s + n, static_cast<std::int32_t>(steps));
    }
  }
};

}  // namespace detail

/// Steps of the lookups of `seen` in a volume that language::cuda_cpp has built from it. Waits.
template <class Space>
walk_steps count_walk_steps(const cutsdf::volume_settings& settings, const view& seen, int tile,
                            typename Space::stream_type stream)
{
  using cutsdf::voxel::five_sums;
  using policies = cutsdf::language::cuda_cpp;
  cutsdf::volume<Space, five_sums, policies> volume(settings, stream);
  volume.allocate_async(seen.points, seen.camera);
  const auto ref     = volume.ref();
  const auto points  = std::ssize(seen.points.positions);
  const auto samples = 2 * cutsdf::band_samples(ref.truncation_vox) + 1;
  const auto tiles   = static_cast<std::size_t>((points + tile - 1) / tile * samples);
  cutsdf::buffer<std::int32_t, Space> deepest(tiles, stream);
  cutsdf::buffer<std::uint64_t, Space> sum(1, stream);
  Space::fill_bytes(stream, deepest.data(), 0, tiles * sizeof(std::int32_t));
  Space::fill_bytes(stream, sum.data(), 0, sizeof(std::uint64_t));
  const auto cloud =
    cutsdf::detail::view_of<cutsdf::voxel::five_sums>(seen.points, seen.camera, ref.inverse_voxel_size);
  Space::for_each(stream, points,
                  detail::count_steps<five_sums, policies>{ref, cloud, deepest.data(), sum.data(), tile});
  std::vector<std::int32_t> found(tiles);
  Space::copy_out(stream, found.data(), deepest.data(), tiles * sizeof(std::int32_t));
  walk_steps steps;
  Space::copy_out(stream, &steps.lanes, sum.data(), sizeof(std::uint64_t));
  for (const std::int32_t most : found) {
    steps.tiles += static_cast<std::uint64_t>(most) * static_cast<std::uint64_t>(tile);
    steps.deepest = std::max(steps.deepest, most);
  }
  return steps;
}

}  // namespace study
