// Reading voxels one by one.
#pragma once

#include <cutsdf/volume_ref.hpp>

namespace cutsdf::inline v0::detail {

/// Reads voxels anywhere in a volume, remembering the last block: neighbouring reads mostly need no lookup. A voxel
/// takes part when its weight is above `min_weight`.
template <class Voxel, class Policies>
class sampler {
 public:
  CUTSDF_HD sampler(const volume_ref<Voxel, Policies>& volume, float min_weight)
    : volume_(volume), min_weight_(min_weight)
  {
  }

  /// Place of a block as volume_ref::find() gives it.
  CUTSDF_HD std::uint32_t find(vec3i block)
  {
    if (!(known_ && block == block_)) {
      block_ = block;
      place_ = volume_.find(block);
      known_ = true;
    }
    return place_;
  }

  /// False where nothing was observed.
  CUTSDF_HD bool read(vec3i voxel, float& distance)
  {
    const std::uint32_t place = find(block_of(voxel));
    if (!volume_.stored(place)) { return false; }
    const voxel_value value = volume_.read(place, index_in_block(voxel));
    distance                = value.distance;
    return value.weight > min_weight_;
  }

  /// Gradient of the distance at a voxel's centre, from `value` there and its six neighbours: central where both sides
  /// were observed, one-sided where one was, zero on an axis where neither was.
  CUTSDF_HD vec3f gradient(vec3i voxel, float value)
  {
    const auto along = [&](vec3i step) {
      float ahead = 0.0f, behind = 0.0f;
      const bool has_ahead  = read(voxel + step, ahead);
      const bool has_behind = read(voxel - step, behind);
      return difference(value, has_ahead, ahead, has_behind, behind);
    };
    return {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})};
  }

  CUTSDF_HD static rgb8 rounded(vec3f rgb)
  {
    const auto level = [](float c) {
      return static_cast<std::uint8_t>(!(c > 0.0f) ? 0.0f : c > 255.0f ? 255.0f : c + 0.5f);
    };
    return {level(rgb.x), level(rgb.y), level(rgb.z)};
  }

 private:
  CUTSDF_HD static float difference(float here, bool has_ahead, float ahead, bool has_behind, float behind)
  {
    if (has_ahead && has_behind) { return ieee::mul(0.5f, ieee::sub(ahead, behind)); }
    if (has_ahead) { return ieee::sub(ahead, here); }
    if (has_behind) { return ieee::sub(here, behind); }
    return 0.0f;
  }

  const volume_ref<Voxel, Policies>& volume_;
  float min_weight_;
  vec3i block_{0, 0, 0};
  std::uint32_t place_{no_index};
  bool known_{false};
};

}  // namespace cutsdf::inline v0::detail
