// Second pass over a depth image: folds it into the voxels of the listed blocks.
#pragma once

#include <cutsdf/frame.hpp>
#include <cutsdf/grid/image.hpp>
#include <cutsdf/space/bits.hpp>
#include <cutsdf/space/cache.hpp>
#include <cutsdf/volume_ref.hpp>

namespace cutsdf::inline v0::detail {

/// It closes the frame as well. One call takes a column of voxels along z where F is float, so that what they share is
/// computed once, and several packs of neighbours where F is one.
template <class F, class Voxel, class Policies>
struct update_depth {
  using number = F;

  static constexpr bool launches_early = true;

  volume_ref<Voxel, Policies> volume;
  frame_state* state;
  const listed_block* updated;
  const float* metres;  // what the first pass made of the image; -infinity where there is nothing, and behind its end
  pinhole camera;
  const rgb8* color;  // may be null
  pinhole color_camera;
  std::int64_t color_stride;
  // From a voxel to its neighbour on each of the world's axes, in the camera frame, and along z by the voxel's index:
  // what a kernel finds in its parameters it need not compute.
  vec3f step_x, step_y;
  vec3f rise[block_side];
  float inverse_truncation;
  finish_frame<Policies> end;

  /// Of a multiprocessor. No limit to the registers that are needed, but the compiler then keeps more of a column's
  /// reads together than without one (H200, the wall at 19.2 m: 0.472 instead of 0.487 ms; with 1280 0.469, but 5 mm
  /// slower).
  static constexpr int resident_threads = 1024;

  static constexpr int lanes           = lanes_of<F>;
  static constexpr int column          = block_side;
  static constexpr int packs           = 4;  // of a call, all of whose pixels are read before any is used
  static constexpr int calls_per_block = voxels_per_block / (lanes == 1 ? column : lanes * packs);

  using context = listed_block;

  void set_steps(const rigid_motion& camera_to_world)
  {
    // The inverse rotation takes the world's axes to the rows of the rotation.
    step_x = camera_to_world.row0 * volume.voxel_size;
    step_y = camera_to_world.row1 * volume.voxel_size;
    for (int z = 0; z < block_side; ++z) {
      rise[z] = camera_to_world.row2 * volume.voxel_size * static_cast<float>(z);
    }
  }

  CUTSDF_INLINE listed_block fetch(std::int64_t tile) const
  {
#if CUTSDF_DEVICE_PASS
    const float4 words = *reinterpret_cast<const float4*>(updated + tile);
    return {{words.x, words.y, words.z}, __float_as_uint(words.w)};
#else
    return updated[tile];
#endif
  }

  CUTSDF_INLINE context prepare(const listed_block& block) const { return block; }

  /// Asks for the pixels of a block, on the host, while the one before is at work.
  CUTSDF_INLINE void prefetch(std::int64_t tile) const
  {
    constexpr float half = 0.5f * block_side;
    constexpr float most = 64.0f;  // pixels to each side, of a block that is not close to the camera
    const vec3f centre   = updated[tile].origin + (step_x + step_y) * half + rise[block_side / 2];
    const float scale    = 1.0f / approx::larger(centre.z, pinhole::least_z);
    const float reach    = 1.5f * half * volume.voxel_size * camera.fx * scale;
    if (!(reach < most)) { return; }
    const auto limited = [](float pixel, int size) {
      return static_cast<int>(approx::smaller(approx::larger(pixel, 0.0f), static_cast<float>(size)));
    };
    const float u           = camera.fx * centre.x * scale + camera.cx;
    const float v           = camera.fy * centre.y * scale + camera.cy;
    const int left          = limited(u - reach, camera.width);
    const int right         = limited(u + reach, camera.width);
    const int end           = limited(v + reach, camera.height);
    constexpr int in_a_line = 16;
    for (int row = limited(v - reach, camera.height); row < end; ++row) {
      for (int column = left; column < right; column += in_a_line) {
        cache::prefetch(reinterpret_cast<std::uintptr_t>(metres + (row * camera.width + column)));
      }
    }
  }

  CUTSDF_HD void finish() const { end(); }
  [[nodiscard]] CUTSDF_HD std::uint32_t* finished() const { return &state->finished; }

  CUTSDF_INLINE void operator()(const context& c, int call) const
  {
    if constexpr (lanes == 1) {
      update_column(c, call, foot_of(c, call));
    } else {
      update_packs(c, call * lanes * packs);
    }
  }

 private:
  using integer = integer_of<F>;
  using mask    = mask_of<F>;

  /// The centre, in the camera frame, of the voxel below the first one given and its neighbours.
  [[nodiscard]] CUTSDF_INLINE vec3<F> foot_of(const context& c, int first) const
  {
    const vec3i local = voxel_in_block(first);
    const F x         = ieee::to_float(integer(local.x) + (lane_index<F>() & integer(block_side - 1)));
    const F y         = ieee::to_float(integer(local.y) + (lane_index<F>() >> 3));
    return broadcast<F>(c.origin) + broadcast<F>(step_x) * x + broadcast<F>(step_y) * y;
  }
  [[nodiscard]] CUTSDF_INLINE vec3<F> centre_of(const context& c, int first) const
  {
    return foot_of(c, first) + broadcast<F>(rise[voxel_in_block(first).z]);
  }

  /// The voxels above `first`, whose centre is `foot` in the camera frame. What memory is asked for is asked for
  /// together: one answer takes as long as all.
  CUTSDF_HD void update_column(const context& c, int first, vec3f foot) const
  {
    const auto centre       = [&](int z) { return foot + rise[z]; };
    const std::int32_t none = camera.width * camera.height;  // a pixel without a measurement
    float distance[column];
    CUTSDF_UNROLLED
    for (int z = 0; z < column; ++z) {
      distance[z] = metres[camera.pixel_of(centre(z), none)];
    }
    float nearest = unseen;
    CUTSDF_UNROLLED
    for (int z = 0; z < column; ++z) {
      const float signed_distance = ieee::sub(distance[z], centre(z).z);
      const float scaled          = approx::smaller(ieee::mul(signed_distance, inverse_truncation), 1.0f);
      distance[z]                 = signed_distance >= -volume.truncation ? scaled : unseen;
      nearest                     = approx::smaller(nearest, distance[z]);
    }
    if (!is_seen(nearest)) { return; }
    if (!volume.stored(c.place)) {
      std::uint32_t lost = 0;
      CUTSDF_UNROLLED
      for (int z = 0; z < column; ++z) {
        lost += is_seen(distance[z]) ? 1 : 0;
      }
      state->drop(drop_cause::pool_full, lost);
      atomic::fence();
      return;
    }
    constexpr int stride      = block_side * block_side;
    const std::int64_t offset = volume.offset(c.place, first);
    std::uint32_t colored     = 0;
    if (color != nullptr) {
      CUTSDF_UNROLLED
      for (int z = 0; z < column; ++z) {
        colored |= (is_seen(distance[z]) && Voxel::wants_color(distance[z], volume.truncation_vox) ? 1u : 0u) << z;
      }
    }
    if constexpr (column_voxel_policy<Voxel, column>) {
      Voxel::fold_column(volume.voxels, offset, stride, distance);
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
        if (!is_seen(distance[z])) { continue; }
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

  /// Some packs of voxels, from `first` on.
  CUTSDF_INLINE void update_packs(const context& c, int first) const
  {
    F distance[packs];
    mask seen[packs];
    for (int k = 0; k < packs; ++k) {
      const vec3<F> centre = centre_of(c, first + k * lanes);
      integer u, v;
      const mask in_view      = camera.project(centre, u, v) & (centre.z >= F(pinhole::least_z));
      const F measured        = gather(metres, v * integer(camera.width) + u);
      const F signed_distance = ieee::sub(measured, centre.z);
      const F scaled          = ieee::mul(signed_distance, F(inverse_truncation));
      seen[k]                 = in_view & (signed_distance >= F(-volume.truncation));
      distance[k]             = select(scaled < F(1.0f), scaled, F(1.0f));
    }
    for (int k = 0; k < packs; ++k) {
      if (any(seen[k])) { fold_pack(c, first + k * lanes, distance[k], seen[k]); }
    }
  }

  CUTSDF_INLINE void fold_pack(const context& c, int voxel, F distance, mask seen) const
  {
    if (!volume.stored(c.place)) {
      state->drop(drop_cause::pool_full, static_cast<std::uint32_t>(bits::count(lane_bits(seen))));
      return;
    }
    const std::int64_t first = volume.offset(c.place, voxel);
    mask colored(false);
    integer u(0), v(0);
    if (color != nullptr) {
      colored = seen & wants_color(distance);
      if (any(colored)) { colored = colored & color_camera.project(centre_of(c, voxel), u, v); }
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
