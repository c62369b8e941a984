// Fusion of point clouds for voxels whose observations may be added up before they are stored.
//
// The threads of a warp take the samples of their bands in step. Each looks a block up when its band enters it (a new
// one is inserted once for all of them); those that follow each other and meet in one voxel send one sum.
#pragma once

#include <cutsdf/fuse/cloud.hpp>
#include <cutsdf/space/bits.hpp>
#include <cutsdf/space/warp.hpp>

namespace cutsdf::inline v0::detail {

/// A point's band as a thread of a warp walks it. Threads without a valid point walk along and see nothing.
struct band_walk {
  point_ray ray;
  point_ray::limits band;
  std::uint32_t outside{0};  // samples that no key can name

  CUTSDF_HD band_walk(const point_ray& of, bool valid, float truncation_vox)
    : ray(of), band(ray.limits_of(truncation_vox, valid))
  {
  }

  /// The block of a sample's voxel; false where there is nothing to visit.
  CUTSDF_HD bool look(int s, vec3i& of_voxel)
  {
    if (band.inside && s <= band.certain) {
      of_voxel = block_of(voxel_at(ray.sample(s)));
      return s >= band.first;
    }
    vec3i voxel;
    float squared_range;
    const bool visits = look(s, voxel, squared_range);
    of_voxel          = block_of(voxel);
    return visits;
  }

  /// The voxel of a sample; false where there is nothing to visit.
  CUTSDF_HD bool look(int s, vec3i& voxel, float& squared_range)
  {
    bool visits    = s >= band.first && s <= band.last;
    vec3f position = ray.sample(s);
    if (!band.inside && !addressable(position)) {
      outside += visits ? 1 : 0;
      visits   = false;
      position = {0.0f, 0.0f, 0.0f};
    }
    voxel                   = voxel_at(position);
    const vec3f from_camera = centre_vox(voxel) - ray.camera;
    squared_range           = dot(from_camera, from_camera);
    return visits && squared_range <= band.squared_range;
  }
};

/// First pass: inserts the blocks of the bands.
template <class Policies>
struct insert_bands {
  static constexpr bool launches_early = true;

  block_table_ref<Policies> table;
  cloud_view cloud;
  float inverse_voxel_size;
  float truncation_vox;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    point_ray ray{};
    if (!cloud.ray(i, inverse_voxel_size, ray)) { return; }
    band_walk walk(ray, true, truncation_vox);
    const int n = band_samples(truncation_vox);
    vec3i last{voxel_limit, 0, 0};  // none
    CUTSDF_ROLLED
    for (int begin = -n; begin <= n; begin += window) {
      // Which samples enter a block is found out first, without branches: so threads of a warp ask together.
      std::uint32_t entries = 0;
      for (int k = 0; k < window; ++k) {
        vec3i block;
        const bool visits = walk.look(begin + k, block);
        const bool enters = visits && !(block == last);
        if (visits) { last = block; }
        entries |= (enters ? 1u : 0u) << k;
      }
      for (; entries != 0; entries &= entries - 1) {
        const vec3i block = block_of(voxel_at(ray.sample(begin + bits::lowest(entries))));
        auto seen         = table.search(block);
        if (seen.slot == no_slot && warp::peers(key_of(block)).rank() == 0) { table.insert(block, seen); }
      }
    }
  }

 private:
  static constexpr int window = 9;
};

/// Second pass, or with Insert the only one. A thread takes one of `parts` shares of a point's samples; points are
/// counted to the end of the last warp.
template <bool Insert, bool Weighted, class Voxel, class Policies>
struct combine_points {
  static constexpr bool launches_early = true;

  volume_ref<Voxel, Policies> volume;
  frame_state* state;
  cloud_view cloud;
  std::int64_t points;
  int parts;
  float inverse_truncation_vox;

  [[nodiscard]] std::int64_t threads() const { return warp::whole(points) * parts; }

  CUTSDF_HD void operator()(std::int64_t thread) const
  {
    const std::int64_t whole = warp::whole(points);
    const auto part          = static_cast<int>(parts == 1 ? 0 : thread / whole);
    const std::int64_t i     = thread - part * whole;

    point_ray ray{};
    bool valid = false;
    if (i < points) {
      valid = cloud.ray(i, volume.inverse_voxel_size, ray);
      if (!valid && part == 0) { state->drop(drop_cause::invalid_input); }
    }
    const float weight   = Weighted && valid ? cloud.weight(i) : 1.0f;
    const bool has_color = valid && cloud.colors != nullptr;
    const rgb8 color     = has_color ? cloud.colors[i] : rgb8{0, 0, 0};
    const bool looks     = looks_now(thread);
    const int n          = band_samples(volume.truncation_vox);
    const int share      = (2 * n + parts) / parts;
    const int begin      = -n + part * share;
    const int end        = begin + share <= n ? begin + share : n + 1;
    band_walk walk(ray, valid, volume.truncation_vox);
    vec3i block{voxel_limit, 0, 0};  // none
    std::uint32_t place = no_index;
    CUTSDF_ROLLED
    for (int s = begin; s < end; ++s) {
      vec3i voxel;
      float squared_range;
      bool adds = walk.look(s, voxel, squared_range);
      if (adds && !(block_of(voxel) == block)) {
        block = block_of(voxel);
        place = place_of(block);
      }
      if (adds && !volume.stored(place)) {
        drop(place);
        adds = false;
      }
      float distance     = ieee::mul(ieee::sub(ray.range, ieee::sqrt(squared_range)), inverse_truncation_vox);
      distance           = distance > 1.0f ? 1.0f : distance < -1.0f ? -1.0f : distance;
      const int index    = index_in_block(voxel);
      const bool colored = adds && has_color && Voxel::wants_color(distance, volume.truncation_vox);
      if constexpr (!Weighted) {
        add_together(adds, name_of(thread, adds, place, index), place, index, distance, colored, color, looks);
      } else if (adds) {
        Voxel::add(volume.voxels, volume.offset(place, index), {distance, weight, colored, color});
      }
    }
    if (walk.outside != 0) { state->drop(drop_cause::out_of_range, walk.outside); }
  }

 private:
  /// Whether a warp's threads look at what they have added to: one warp in sixteen, another at each frame, and by a
  /// hash, so that no regular pattern of points can keep a voxel unseen.
  [[nodiscard]] CUTSDF_HD bool looks_now(std::int64_t thread) const
  {
    const auto warp = static_cast<std::uint32_t>(thread >> 5);
    return ((warp ^ state->stamp * 0x9e3779b9u) * 0x85ebca6bu) >> 28 == 0;
  }

  /// A word that neighbouring threads share when they add to the same voxel, and only then. Where places are so many
  /// that 32 bits do not name their voxels, no two share any.
  CUTSDF_HD std::uint32_t name_of(std::int64_t thread, bool adds, std::uint32_t place, int index) const
  {
    constexpr std::uint32_t most_places = (1u << 23) - 1;
    if (!adds) { return ~0u; }
    return volume.table.block_capacity <= most_places ? place * voxels_per_block + static_cast<std::uint32_t>(index)
                                                      : static_cast<std::uint32_t>(thread & 31);
  }

  CUTSDF_HD void add_together(bool adds, std::uint32_t name, std::uint32_t place, int index, float distance,
                              bool colored, rgb8 color, bool looks) const
  {
    const warp::rows row(name);
    const std::uint32_t distances = row.sum(adds ? Voxel::packed(distance) : 0u);
    const bool stores             = adds && row.last();
    if (stores) { Voxel::add_packed(volume.voxels, volume.offset(place, index), distances, looks); }
    if (!warp::any(colored)) { return; }
    auto colors      = Voxel::packed(color);
    colors.red_green = row.sum(colored ? colors.red_green : 0u);
    colors.blue      = row.sum(colored ? colors.blue : 0u);
    if (stores && colors.red_green != 0) { Voxel::add_packed(volume.voxels, volume.offset(place, index), colors); }
  }

  /// Place of a block; no_storage or no_index where it has none. Counts each block without storage once a frame.
  CUTSDF_HD std::uint32_t place_of(vec3i block) const
  {
    auto seen = volume.table.search(block);
    if (Insert && seen.slot == no_slot) {
      // Of the threads that miss the same block one inserts it; looking again would not help, for what this kernel has
      // written may still look empty.
      const warp::peers same(key_of(block));
      if (same.rank() == 0) { volume.table.insert(block, seen); }
      seen.slot = same.first(seen.slot);
    }
    if (seen.slot == no_slot) { return no_index; }
    // Asked for by all: that the thread which inserted the block knows it already would make two branches of one.
    const std::uint32_t place = volume.table.index_at(seen.slot);
    if (place == no_storage && volume.table.claim(seen.slot, state->stamp)) { atomic::count(&state->blocks_dropped); }
    return place;
  }

  CUTSDF_HD void drop(std::uint32_t place) const
  {
    state->drop(place == no_storage                ? drop_cause::pool_full
                : volume.table.gives_up_at_bound() ? drop_cause::probe_bound
                                                   : drop_cause::table_full);
  }
};

}  // namespace cutsdf::inline v0::detail
