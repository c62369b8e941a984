// Fusion of point clouds sample by sample: every sample of a point's band is looked up and added by itself, with
// atomics. What the study's languages write; and what a voxel needs that takes one observation at a time.
#pragma once

#include <cutsdf/fuse/cloud.hpp>

namespace cutsdf::inline v0::detail {

/// Remembers the last block looked up, where the visit policy allows it.
template <class Policies>
struct last_block {
  vec3i block{0, 0, 0};
  bool known{false};

  /// Whether the walk is in another block now than at the last call.
  CUTSDF_HD bool entered(vec3i other)
  {
    if constexpr (Policies::visit_type::every_sample) { return true; }
    if (known && block == other) { return false; }
    block = other;
    known = true;
    return true;
  }
};

template <class Policies>
struct allocate_points {
  block_table_ref<Policies> table;
  cloud_view cloud;
  float inverse_voxel_size;
  float truncation_vox;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    point_ray ray{};
    if (!cloud.ray(i, inverse_voxel_size, ray)) { return; }
    last_block<Policies> last;
    ray.for_each_voxel(
      truncation_vox,
      [&](vec3i voxel, float) {
        const vec3i block = block_of(voxel);
        if (last.entered(block)) { static_cast<void>(table.insert(block, static_cast<std::uint32_t>(i))); }
      },
      [] {});
  }
};

/// What a tile language makes of it: a program owns a tile of points, its lanes take the samples of their rays in step,
/// and a lane that has none is masked. One call is one thread of a program, which owns lanes_per_thread of the lanes.
template <class Policies>
struct allocate_tile {
  using layout = typename Policies::probe_type;

  block_table_ref<Policies> table;
  cloud_view cloud;
  std::int64_t points;
  float inverse_voxel_size;
  float truncation_vox;

  static constexpr int lanes = layout::lanes_per_thread;
  static constexpr int tile  = layout::threads * lanes;

  CUTSDF_HD void operator()(std::int64_t program, int thread) const
  {
    point_ray ray[lanes]{};
    bool valid[lanes];
    for (int k = 0; k < lanes; ++k) {
      const std::int64_t i = program * tile + thread + k * layout::threads;
      valid[k]             = i < points && cloud.ray(i, inverse_voxel_size, ray[k]);
    }
    const auto lane = static_cast<std::uint32_t>(program * tile + thread);
    const int n     = band_samples(truncation_vox);
    CUTSDF_ROLLED
    for (int s = -n; s <= n; ++s) {
      vec3i block[lanes];
      bool active[lanes];
      for (int k = 0; k < lanes; ++k) {
        float squared_range = 0.0f;
        active[k] = valid[k] && ray[k].look_at(s, truncation_vox, block[k], squared_range) == point_ray::sight::voxel;
        block[k]  = active[k] ? block_of(block[k]) : vec3i{0, 0, 0};
      }
      std::uint32_t slots[lanes];
      table.insert_lanes(block, active, lane, slots);
    }
  }
};

template <class Voxel, class Policies>
struct update_points {
  volume_ref<Voxel, Policies> volume;
  frame_state* state;
  cloud_view cloud;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    point_ray ray{};
    if (!cloud.ray(i, volume.inverse_voxel_size, ray)) {
      state->drop(drop_cause::invalid_input);
      return;
    }
    last_block<Policies> last;
    std::uint32_t place = no_index;
    ray.for_each_voxel(
      volume.truncation_vox,
      [&](vec3i voxel, float squared_range) {
        const vec3i block = block_of(voxel);
        if (last.entered(block)) { place = place_of(volume.table.find_slot(block)); }
        add(i, ray, voxel, squared_range, place);
      },
      [&] { state->drop(drop_cause::out_of_range); });
  }

  /// Place of the block in a slot; no_index for no_slot. Counts each block without storage once a frame.
  CUTSDF_HD std::uint32_t place_of(std::uint32_t slot) const
  {
    if (slot == no_slot) { return no_index; }
    const std::uint32_t place = volume.table.index_at(slot);
    if (place == no_storage && volume.table.claim(slot, state->stamp)) { atomic::count(&state->blocks_dropped); }
    return place;
  }

  /// Adds a point's observation of a voxel to the block at `place`, or counts why that cannot be.
  CUTSDF_HD void add(std::int64_t i, const point_ray& ray, vec3i voxel, float squared_range, std::uint32_t place) const
  {
    if (!volume.stored(place)) {
      state->drop(place == no_storage                ? drop_cause::pool_full
                  : volume.table.gives_up_at_bound() ? drop_cause::probe_bound
                                                     : drop_cause::table_full);
      return;
    }
    const float inverse_truncation = ieee::div(1.0f, volume.truncation_vox);
    float distance                 = ieee::mul(ieee::sub(ray.range, ieee::sqrt(squared_range)), inverse_truncation);
    distance                       = distance > 1.0f ? 1.0f : distance < -1.0f ? -1.0f : distance;
    const bool colored             = cloud.colors != nullptr && Voxel::wants_color(distance, volume.truncation_vox);
    const rgb8 color               = cloud.colors != nullptr ? cloud.colors[i] : rgb8{0, 0, 0};
    Voxel::add(volume.voxels, volume.offset(place, index_in_block(voxel)), {distance, cloud.weight(i), colored, color});
  }
};

/// update_points as allocate_tile is allocate_points.
template <class Voxel, class Policies>
struct update_tile {
  using layout = typename Policies::lookup_type;

  update_points<Voxel, Policies> update;
  std::int64_t points;

  static constexpr int lanes = layout::lanes_per_thread;
  static constexpr int tile  = layout::threads * lanes;

  CUTSDF_HD void operator()(std::int64_t program, int thread) const
  {
    const auto& volume = update.volume;
    std::int64_t i[lanes];
    point_ray ray[lanes]{};
    bool valid[lanes];
    for (int k = 0; k < lanes; ++k) {
      i[k]     = program * tile + thread + k * layout::threads;
      valid[k] = i[k] < points && update.cloud.ray(i[k], volume.inverse_voxel_size, ray[k]);
      if (i[k] < points && !valid[k]) { update.state->drop(drop_cause::invalid_input); }
    }
    const int n = band_samples(volume.truncation_vox);
    CUTSDF_ROLLED
    for (int s = -n; s <= n; ++s) {
      vec3i voxel[lanes];
      vec3i block[lanes];
      float squared_range[lanes];
      bool active[lanes];
      for (int k = 0; k < lanes; ++k) {
        voxel[k]         = {0, 0, 0};
        squared_range[k] = 0.0f;
        auto seen        = point_ray::sight::nothing;
        if (valid[k]) { seen = ray[k].look_at(s, volume.truncation_vox, voxel[k], squared_range[k]); }
        if (seen == point_ray::sight::outside) { update.state->drop(drop_cause::out_of_range); }
        active[k] = seen == point_ray::sight::voxel;
        block[k]  = block_of(voxel[k]);
      }
      std::uint32_t slots[lanes];
      volume.table.find_lanes(block, active, slots);
      for (int k = 0; k < lanes; ++k) {
        if (active[k]) { update.add(i[k], ray[k], voxel[k], squared_range[k], update.place_of(slots[k])); }
      }
    }
  }
};

/// Runs a tile functor over all its points.
template <class Space, class F>
void for_each_tile_program(const typename Space::stream_type& stream, const F& f)
{
  Space::template for_each_program<F::layout::threads>(stream, (f.points + F::tile - 1) / F::tile, f);
}

}  // namespace cutsdf::inline v0::detail
