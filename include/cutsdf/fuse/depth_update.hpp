// Second pass over a depth image: folds it into the voxels of the listed blocks.
#pragma once

#include <cutsdf/frame.hpp>
#include <cutsdf/grid/image.hpp>
#include <cutsdf/space/bits.hpp>
#include <cutsdf/volume_ref.hpp>

namespace cutsdf::inline v0::detail {

/// One call takes a column of voxels along z where F is float, so that what they share is computed once, and as many of
/// a row as F has lanes where it is a pack.
template <class F, class Voxel, class Policies>
struct update_depth {
  using number = F;

  static constexpr bool launches_early = true;

  volume_ref<Voxel, Policies> volume;
  frame_state* state;
  const std::uint32_t* updated;
  const float* metres;  // what the first pass made of the image: 0 where there is nothing
  pinhole camera;
  const rgb8* color;  // may be null
  pinhole color_camera;
  std::int64_t color_stride;
  rigid_motion camera_to_world;
  float inverse_truncation;

  static constexpr int lanes           = lanes_of<F>;
  static constexpr int column          = lanes == 1 ? block_side : 1;
  static constexpr int calls_per_block = voxels_per_block / lanes / column;
  static_assert(block_side % lanes == 0);

  struct context {
    std::uint32_t place;
    bool stored;
    vec3<F> origin;  // centre of the block's first voxel, camera frame
    vec3<F> step_x, step_y, step_z;
  };

  CUTSDF_INLINE context prepare(std::int64_t tile) const
  {
    const std::uint32_t slot  = updated[tile];
    const std::uint32_t place = volume.table.index_at(slot);
    const vec3f first     = centre_vox(block_of_key(volume.table.entries[slot].key) * block_side) * volume.voxel_size;
    const rigid_motion& m = camera_to_world;
    // The inverse rotation takes the world's axes to the rows of the rotation.
    return {place,
            volume.stored(place),
            broadcast<F>(m.rotate_back(first - m.translation)),
            broadcast<F>(m.row0 * volume.voxel_size),
            broadcast<F>(m.row1 * volume.voxel_size),
            broadcast<F>(m.row2 * volume.voxel_size)};
  }

  CUTSDF_INLINE void operator()(const context& c, int call) const
  {
    if (call == 0 && !c.stored) { atomic::count(&state->blocks_dropped); }
    const int first   = call * lanes;
    const vec3i local = voxel_in_block(first);
    const F x         = ieee::to_float(integer(local.x) + lane_index<F>());
    const F y(ieee::to_float(local.y));
    const vec3<F> foot = c.origin + c.step_x * x + c.step_y * y;
    if constexpr (lanes == 1) {
      update_column(c, first, foot);
    } else {
      update_row(c, first, foot + c.step_z * F(ieee::to_float(local.z)));
    }
  }

 private:
  using integer = integer_of<F>;
  using mask    = mask_of<F>;

  /// The voxels above `first`, whose centre is `foot` in the camera frame. What memory is asked for is asked for
  /// together: one answer takes as long as all.
  CUTSDF_HD void update_column(const context& c, int first, vec3f foot) const
  {
    const auto centre = [&](int z) { return foot + c.step_z * static_cast<float>(z); };
    float distance[column];
    bool seen[column];
    CUTSDF_UNROLLED
    for (int z = 0; z < column; ++z) {
      const vec3f at = centre(z);
      std::int32_t u, v;
      seen[z]     = camera.project(at, u, v) && at.z > 0.0f;
      distance[z] = metres[v * camera.width + u];  // of pixel (0, 0) where the voxel is not in view
    }
    std::uint32_t any = 0, colored = 0;
    CUTSDF_UNROLLED
    for (int z = 0; z < column; ++z) {
      const float signed_distance = ieee::sub(distance[z], centre(z).z);
      seen[z]                     = seen[z] && distance[z] > 0.0f && signed_distance >= -volume.truncation;
      const float scaled          = ieee::mul(signed_distance, inverse_truncation);
      distance[z]                 = scaled < 1.0f ? scaled : 1.0f;
      any |= (seen[z] ? 1u : 0u) << z;
      colored |= (seen[z] && Voxel::wants_color(distance[z], volume.truncation_vox) ? 1u : 0u) << z;
    }
    if (any == 0) { return; }
    if (!c.stored) {
      state->drop(drop_cause::pool_full, static_cast<std::uint32_t>(bits::count(any)));
      return;
    }
    constexpr int stride      = block_side * block_side;
    const std::int64_t offset = volume.offset(c.place, first);
    if (color == nullptr) { colored = 0; }
    if constexpr (column_voxel_policy<Voxel, column>) {
      Voxel::fold_column(volume.voxels, offset, stride, distance, seen);
      for (; colored != 0; colored &= colored - 1) {
        const int z = bits::lowest(colored);
        std::int32_t u, v;
        if (color_camera.project(centre(z), u, v)) {
          Voxel::fold_color(volume.voxels, offset + z * stride, color_at(u, v), 1.0f);
        }
      }
    } else {
      CUTSDF_UNROLLED
      for (int z = 0; z < column; ++z) {
        if (!seen[z]) { continue; }
        observation o{distance[z], 1.0f, false, {0, 0, 0}};
        std::int32_t u, v;
        if ((colored >> z & 1u) != 0 && color_camera.project(centre(z), u, v)) {
          o.colored = true;
          o.color   = color_at(u, v);
        }
        Voxel::fold(volume.voxels, offset + z * stride, o);
      }
    }
  }

  /// As many voxels of a row as there are lanes, from `first` on, with their centres in the camera frame.
  CUTSDF_INLINE void update_row(const context& c, int first, vec3<F> centre) const
  {
    const F zero(0.0f);
    integer u, v;
    const mask in_view = camera.project(centre, u, v) & (centre.z > zero);
    if (!any(in_view)) { return; }
    const integer pixel = v * integer(camera.width) + u;
    float read[lanes];
    for (int i = 0; i < lanes; ++i) {
      read[i] = metres[lane(pixel, i)];
    }
    const F measured        = F::load(read);
    const F signed_distance = ieee::sub(measured, centre.z);
    const mask seen         = in_view & (measured > zero) & (signed_distance >= F(-volume.truncation));
    if (!c.stored) {
      for (int i = 0; i < lanes; ++i) {
        if (lane(seen, i)) { state->drop(drop_cause::pool_full); }
      }
      return;
    }
    const F scaled = ieee::mul(signed_distance, F(inverse_truncation));
    fold_row(volume.offset(c.place, first), select(scaled < F(1.0f), scaled, F(1.0f)), centre, seen);
  }

  CUTSDF_INLINE void fold_row(std::int64_t first, F distance, vec3<F> centre, mask seen) const
  {
    mask colored(false);
    integer u(0), v(0);
    if (color != nullptr) {
      colored = seen & wants_color(distance);
      if (any(colored)) { colored = colored & color_camera.project(centre, u, v); }
    }
    if constexpr (row_voxel_policy<Voxel, F>) {
      Voxel::fold_row(volume.voxels, first, distance, seen);
      if (!any(colored)) { return; }
      std::int32_t is_colored[lanes], at_u[lanes], at_v[lanes];
      colored.store(is_colored);
      u.store(at_u);
      v.store(at_v);
      for (int i = 0; i < lanes; ++i) {
        if (is_colored[i] != 0) { Voxel::fold_color(volume.voxels, first + i, color_at(at_u[i], at_v[i]), 1.0f); }
      }
    } else {
      for (int i = 0; i < lanes; ++i) {
        if (!lane(seen, i)) { continue; }
        observation o{lane(distance, i), 1.0f, false, {0, 0, 0}};
        if (lane(colored, i)) {
          o.colored = true;
          o.color   = color_at(lane(u, i), lane(v, i));
        }
        Voxel::fold(volume.voxels, first + i, o);
      }
    }
  }

  [[nodiscard]] CUTSDF_INLINE mask wants_color(F distance) const
  {
    if constexpr (row_voxel_policy<Voxel, F>) {
      return Voxel::wants_color(distance, F(volume.truncation_vox));
    } else {
      std::int32_t wanted[lanes];
      for (int i = 0; i < lanes; ++i) {
        wanted[i] = Voxel::wants_color(lane(distance, i), volume.truncation_vox) ? -1 : 0;
      }
      return mask::load(wanted);
    }
  }

  [[nodiscard]] CUTSDF_HD rgb8 color_at(int u, int v) const { return color[v * color_stride + u]; }
};

}  // namespace cutsdf::inline v0::detail
