// Fusion of depth images: gather. One pass over the pixels inserts the blocks of the truncation band and lists them;
// one pass over the voxels of the listed blocks reads the image. No atomics on voxels.
#pragma once

#include <cutsdf/grid/band.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0 {
namespace detail {

template <class T, class Policies>
struct allocate_depth {
  block_table_ref<Policies> table;
  frame_state* state;
  std::uint32_t* updated;
  depth_reader<T> depth;
  pinhole camera;
  rigid_motion camera_to_world;
  float truncation;
  float inverse_block_size;

  CUTSDF_HD void operator()(std::int64_t pixel) const
  {
    const auto u  = static_cast<int>(static_cast<std::uint32_t>(pixel) % static_cast<std::uint32_t>(camera.width));
    const auto v  = static_cast<int>(static_cast<std::uint32_t>(pixel) / static_cast<std::uint32_t>(camera.width));
    const float z = depth.metres(u, v);
    if (!(z > 0.0f)) {
      state->drop(drop_cause::invalid_input);
      return;
    }
    const vec3f direction = camera_to_world.rotate(camera.ray(u, v));
    const float in_front  = ieee::sub(z, truncation);
    const vec3f near_end  = position(direction, in_front > 0.0f ? in_front : 0.0f);
    const vec3f far_end   = position(direction, ieee::add(z, truncation));
    if (!addressable(near_end * block_side) || !addressable(far_end * block_side)) {
      state->drop(drop_cause::out_of_range);
      return;
    }
    const std::uint32_t stamp = state->stamp;
    for_each_block_on_segment(near_end, far_end, [&](vec3i block) {
      const std::uint32_t slot = table.insert(block);
      if (slot == no_slot) {
        state->drop(table.gives_up_at_bound() ? drop_cause::probe_bound : drop_cause::table_full);
      } else if (table.claim(slot, stamp)) {
        updated[atomic::fetch_add(&state->updated, std::uint32_t{1})] = slot;
      }
    });
  }

 private:
  /// Point of a ray at a depth, in units of blocks.
  [[nodiscard]] CUTSDF_HD vec3f position(vec3f direction, float z) const
  {
    return (camera_to_world.translation + direction * z) * inverse_block_size;
  }
};

template <class T, class Voxel, class Policies>
struct update_depth {
  volume_ref<Voxel, Policies> volume;
  frame_state* state;
  const std::uint32_t* updated;
  depth_reader<T> depth;
  pinhole camera;
  const rgb8* color;  // may be null
  pinhole color_camera;
  std::int64_t color_stride;
  rigid_motion camera_to_world;
  float inverse_truncation;

  struct context {
    std::uint32_t place;
    vec3f origin;  // centre of the block's first voxel, camera frame
    vec3f step_x, step_y, step_z;
  };

  CUTSDF_HD context prepare(std::int64_t tile) const
  {
    const std::uint32_t slot = updated[tile];
    const vec3f first     = centre_vox(block_of_key(volume.table.entries[slot].key) * block_side) * volume.voxel_size;
    const rigid_motion& m = camera_to_world;
    // The inverse rotation takes the world's axes to the rows of the rotation.
    return {volume.table.index_at(slot), m.rotate_back(first - m.translation), m.row0 * volume.voxel_size,
            m.row1 * volume.voxel_size, m.row2 * volume.voxel_size};
  }

  CUTSDF_HD void operator()(const context& c, int lane) const
  {
    if (lane == 0 && !volume.stored(c.place)) { atomic::count(&state->blocks_dropped); }
    const vec3f local  = to_float(voxel_in_block(lane));
    const vec3f centre = c.origin + c.step_x * local.x + c.step_y * local.y + c.step_z * local.z;
    int u, v;
    if (!(centre.z > 0.0f) || !camera.project(centre, u, v)) { return; }
    const float z = depth.metres(u, v);
    if (!(z > 0.0f)) { return; }
    const float signed_distance = ieee::sub(z, centre.z);
    if (signed_distance < -volume.truncation) { return; }
    if (!volume.stored(c.place)) {
      state->drop(drop_cause::pool_full);
      return;
    }
    const float scaled = ieee::mul(signed_distance, inverse_truncation);
    observation o{scaled < 1.0f ? scaled : 1.0f, 1.0f, false, {0, 0, 0}};
    if (color != nullptr && Voxel::wants_color(o.distance, volume.truncation_vox) &&
        color_camera.project(centre, u, v)) {
      o.colored = true;
      o.color   = color[v * color_stride + u];
    }
    Voxel::fold(volume.voxels, volume.offset(c.place, lane), o);
  }
};

inline std::int64_t checked_stride(std::int64_t stride, int width, const char* name)
{
  require(stride == 0 || stride >= width, name, stride, "zero or at least the width");
  return stride == 0 ? width : stride;
}

/// What both passes need to know of a frame, validated.
template <class T>
depth_reader<T> reader_of(const depth_view<T>& depth, const pinhole& camera, const depth_range& range,
                          const color_view& color, float voxel_size)
{
  require_camera(camera);
  require(depth.width == camera.width, "width of the depth image", depth.width, "the camera's");
  require(depth.height == camera.height, "height of the depth image", depth.height, "the camera's");
  require(std::int64_t{depth.width} * depth.height <= std::numeric_limits<std::int32_t>::max(),
          "number of pixels of the depth image", std::int64_t{depth.width} * depth.height, "below 2^31");
  require(depth.data != nullptr || depth.width == 0 || depth.height == 0, "data of the depth image", depth.data,
          "not null");
  require(depth.units_per_metre > 0.0f && std::isfinite(depth.units_per_metre), "units_per_metre",
          depth.units_per_metre, "positive and finite");
  require(range.min_depth > 0.0f, "min_depth", range.min_depth, "positive (metres)");
  require(range.max_depth >= range.min_depth, "max_depth", range.max_depth, "at least min_depth (metres)");
  require(color.width >= 0, "width of the colour image", color.width, "zero or more");
  require(color.height >= 0, "height of the colour image", color.height, "zero or more");
  // Beyond the volume's reach nothing can be stored, so nothing there is a measurement: allocation and fusion agree.
  const float reach = static_cast<float>(voxel_limit) * voxel_size;
  return {depth.data,
          checked_stride(depth.row_stride, depth.width, "row_stride of the depth image"),
          depth.units_per_metre,
          {range.min_depth, std::min(range.max_depth, reach)}};
}

}  // namespace detail

template <class Space, class Voxel, class Policies>
template <depth_pixel T>
void volume<Space, Voxel, Policies>::integrate_async(const depth_view<T>& depth, const color_view& color,
                                                     const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                                                     const depth_range& range, frame_result* result)
{
  const auto v            = ref();
  const auto reader       = detail::reader_of(depth, camera, range, color, settings_.voxel_size);
  const auto pose         = to_rigid_motion(camera_to_world);
  const auto pixels       = std::int64_t{depth.width} * depth.height;
  const auto color_stride = detail::checked_stride(color.row_stride, color.width, "row_stride of the colour image");
  const bool has_color    = pixels > 0 && color.data != nullptr && color.width > 0 && color.height > 0;
  const auto color_camera = has_color && color.camera ? *color.camera
                            : has_color               ? camera.resized(color.width, color.height)
                                                      : camera;
  if (has_color) {
    detail::require_camera(color_camera);
    detail::require(color_camera.width == color.width, "width of the colour camera", color_camera.width, "the image's");
    detail::require(color_camera.height == color.height, "height of the colour camera", color_camera.height,
                    "the image's");
  }
  if (pixels > 0) {
    Space::for_each(stream_, pixels,
                    detail::allocate_depth<T, Policies>{v.table, state_.data(), storage_.updated.data(), reader, camera,
                                                        pose, v.truncation, v.inverse_voxel_size / block_side});
    Space::template for_each_tile<voxels_per_block>(
      stream_, &state_.data()->updated, storage_.updated.size(),
      detail::update_depth<T, Voxel, Policies>{v, state_.data(), storage_.updated.data(), reader, camera,
                                               has_color ? color.data : nullptr, color_camera, color_stride, pose,
                                               1.0f / v.truncation});
  }
  finish(pixels, result);
}

template <class Space, class Voxel, class Policies>
template <depth_pixel T>
frame_result volume<Space, Voxel, Policies>::integrate(const depth_view<T>& depth, const color_view& color,
                                                       const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                                                       const depth_range& range)
{
  integrate_async(depth, color, camera, camera_to_world, range, result_.data());
  return wait_for_result();
}

}  // namespace cutsdf::inline v0
