// Fusion of depth images: gather. One pass over the pixels inserts the blocks of the truncation band and lists them;
// one pass over the voxels of the listed blocks reads the image. No atomics on voxels.
#pragma once

#include <cutsdf/fuse/depth_allocate.hpp>
#include <cutsdf/fuse/depth_update.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0 {
namespace detail {

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
  const auto stride = checked_stride(depth.row_stride, depth.width, "row_stride of the depth image");
  require(stride <= std::numeric_limits<std::int32_t>::max() / std::max(depth.height, 1),
          "row_stride of the depth image", stride, "below 2^31 / height");  // pixels are numbered with 32 bits
  return {depth.data,
          static_cast<std::int32_t>(stride),
          depth.units_per_metre,
          {range.min_depth, std::min(range.max_depth, reach)}};
}

}  // namespace detail

template <class Space, class Voxel, class Policies>
template <depth_pixel T, class To>
void volume<Space, Voxel, Policies>::fuse_depth(To& to, const depth_view<T>& depth, const color_view& color,
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
  const auto end = end_of_frame(pixels, result);
  if (pixels == 0) {
    Space::once(to, end);
    return;
  }
  if (metres_.size() <= pixels) { metres_ = buffer<float, Space>(pixels + 1, stream_, *memory_); }
  Space::with_number([&](auto number) {
    using F                        = typename decltype(number)::type;
    using allocate                 = detail::allocate_depth<F, T, Policies>;
    using update                   = detail::update_depth<F, Voxel, Policies>;
    const float inverse_block_size = v.inverse_voxel_size / block_side;
    const vec3i base               = detail::nearest_block(pose.translation, inverse_block_size);
    const allocate insert{v.table,
                          state_.data(),
                          storage_.listed.data(),
                          reader,
                          camera,
                          pose,
                          v.truncation,
                          v.voxel_size,
                          inverse_block_size,
                          detail::addressable_reach(camera, pose, v.truncation, v.voxel_size),
                          base,
                          detail::named_reach(camera, pose, v.truncation, v.voxel_size * block_side, base),
                          metres_.data()};
    if constexpr (allocate::lanes == 1) {
      Space::template for_each_group<allocate::threads>(to, nullptr, allocate::tiles(camera), insert);
    } else {
      Space::for_each(to, allocate::tiles(camera), insert);
    }
    update fold{v,
                state_.data(),
                storage_.listed.data(),
                metres_.data(),
                camera,
                has_color ? color.data : nullptr,
                color_camera,
                color_stride,
                {},
                {},
                {},
                1.0f / v.truncation,
                end};
    fold.set_steps(pose);
    Space::template for_each_tile<update::calls_per_block>(to, &state_.data()->updated, storage_.listed.size(), fold);
  });
}

template <class Space, class Voxel, class Policies>
template <depth_pixel T>
void volume<Space, Voxel, Policies>::integrate_async(const depth_view<T>& depth, const color_view& color,
                                                     const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                                                     const depth_range& range, frame_result* result)
{
  fuse_depth(stream_, depth, color, camera, camera_to_world, range, result);
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
