// Reading the field between voxel centres.
#pragma once

#include <cutsdf/volume_ref.hpp>

namespace cutsdf::inline v0::detail {

/// Reads voxels anywhere in a volume, remembering the last block: neighbouring reads mostly need no lookup. Positions
/// are in units of voxels; a voxel takes part when its weight is above `min_weight`.
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

  /// Trilinear interpolation of the distance; false unless all eight voxels around were observed.
  CUTSDF_HD bool interpolate(vec3f position, float& distance)
  {
    const cell c = cell_at(position);
    float sum    = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
      float d;
      if (!read(c.corner(corner), d)) { return false; }
      sum = ieee::add(sum, ieee::mul(d, c.weight(corner)));
    }
    distance = sum;
    return true;
  }

  /// Interpolation of the colour over those of the eight voxels that have one; black where none has.
  CUTSDF_HD rgb8 interpolate_color(vec3f position)
  {
    const cell c = cell_at(position);
    vec3f sum{0.0f, 0.0f, 0.0f};
    float total = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
      const vec3i voxel         = c.corner(corner);
      const std::uint32_t place = find(block_of(voxel));
      if (!volume_.stored(place)) { continue; }
      const voxel_color color = Voxel::read_color(volume_.voxels, volume_.offset(place, index_in_block(voxel)));
      if (!(color.weight > 0.0f)) { continue; }
      sum   = sum + color.rgb * c.weight(corner);
      total = ieee::add(total, c.weight(corner));
    }
    return rounded(total > 0.0f ? sum * ieee::div(1.0f, total) : sum);
  }

  /// Gradient of the distance, from `value` at the position and the field one voxel away on each axis: central where
  /// both sides were observed, one-sided where one was, the slope inside the cell where none was. Where interpolate()
  /// succeeds.
  CUTSDF_HD vec3f gradient(vec3f position, float value)
  {
    float along[3];
    CUTSDF_ROLLED
    for (int axis = 0; axis < 3; ++axis) {
      const vec3f step = unit(axis);
      float at[2]      = {0.0f, 0.0f};
      bool has[2]      = {false, false};
      CUTSDF_ROLLED
      for (int side = 0; side < 2; ++side) {
        has[side] = interpolate(side == 0 ? position - step : position + step, at[side]);
      }
      along[axis] = has[0] || has[1] ? difference(value, has[1], at[1], has[0], at[0]) : slope(position, axis);
    }
    return {along[0], along[1], along[2]};
  }

  /// The same at a voxel's centre, from its six neighbours; zero on an axis where neither was observed.
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
  /// The cube of eight voxel centres around a position.
  struct cell {
    vec3i base;
    vec3f fraction;

    [[nodiscard]] CUTSDF_HD vec3i corner(int i) const { return base + vec3i{i & 1, i >> 1 & 1, i >> 2}; }
    [[nodiscard]] CUTSDF_HD float weight(int i) const
    {
      const float x = (i & 1) != 0 ? fraction.x : ieee::sub(1.0f, fraction.x);
      const float y = (i & 2) != 0 ? fraction.y : ieee::sub(1.0f, fraction.y);
      const float z = (i & 4) != 0 ? fraction.z : ieee::sub(1.0f, fraction.z);
      return ieee::mul(ieee::mul(x, y), z);
    }
  };

  CUTSDF_HD static cell cell_at(vec3f position)
  {
    const vec3f shifted = position - vec3f{0.5f, 0.5f, 0.5f};
    const vec3i base    = voxel_at(shifted);
    return {base, shifted - to_float(base)};
  }

  CUTSDF_HD static vec3f unit(int axis)
  {
    return {axis == 0 ? 1.0f : 0.0f, axis == 1 ? 1.0f : 0.0f, axis == 2 ? 1.0f : 0.0f};
  }

  /// Derivative of the trilinear interpolant along an axis: its difference between the cell's two faces.
  CUTSDF_HD float slope(vec3f position, int axis)
  {
    cell c                                                               = cell_at(position);
    float sum                                                            = 0.0f;
    (axis == 0 ? c.fraction.x : axis == 1 ? c.fraction.y : c.fraction.z) = 1.0f;  // all weight on the face ahead
    for (int corner = 0; corner < 8; ++corner) {
      const bool ahead = (corner >> axis & 1) != 0;
      float d          = 0.0f;
      static_cast<void>(read(c.corner(corner), d));
      const int on_face = corner | 1 << axis;  // the weight of the corner's partner ahead
      sum               = ieee::add(sum, ieee::mul(ahead ? d : -d, c.weight(on_face)));
    }
    return sum;
  }

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
