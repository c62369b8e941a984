// From frames to a mesh and a view, in either space.
#pragma once

#include "fusion.hpp"
#include "read_ahead.hpp"

#include <algorithm>
#include <chrono>

namespace fuse {

/// Milliseconds that `work` takes.
template <class Work>
double milliseconds(const Work& work)
{
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

/// An image in the memory of `Space`; its memory is used again for every frame of the same size.
template <class T, class Space>
class resident_image {
 public:
  explicit resident_image(typename Space::stream_type stream) : stream_(stream), pixels_(0, stream) {}

  /// Copies; waits.
  void load(const image<T>& from)
  {
    const auto count = std::ssize(from.pixels);
    if (pixels_.size() != count) { pixels_ = cutsdf::buffer<T, Space>(count, stream_); }
    Space::copy_in(stream_, pixels_.data(), from.pixels.data(), pixels_.bytes());
    width_  = from.width;
    height_ = from.height;
  }

  [[nodiscard]] const T* data() const { return pixels_.data(); }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

 private:
  typename Space::stream_type stream_;
  cutsdf::buffer<T, Space> pixels_;
  int width_{0};
  int height_{0};
};

/// A volume that grows with what is fused, and the frame that is being fused.
template <class Space>
class fuser {
 public:
  fuser(const cutsdf::pinhole& camera, const fusion_settings& settings, typename Space::stream_type stream)
    : camera_(camera), range_{.max_depth = settings.max_depth},
      volume_({.voxel_size = settings.voxel, .truncation = settings.truncation, .block_capacity = first_capacity},
              stream),
      depth_(stream), color_(stream)
  {
    range_.min_depth = std::min(range_.min_depth, range_.max_depth);
  }

  void fuse(const frame& f, fusion_result& totals)
  {
    totals.upload_ms.push_back(milliseconds([&] {
      depth_.load(f.depth);
      color_.load(f.color);
    }));
    cutsdf::frame_result done;
    totals.integrate_ms.push_back(milliseconds([&] { done = integrate(f); }));
    if (first_frame_) { done = make_room_for_first(f, done); }
    first_frame_ = false;
    // A frame rarely needs more blocks than all frames before it together: twice the blocks is room for the next.
    if (2 * static_cast<std::int64_t>(done.blocks) > capacity()) { grow(); }
    totals.blocks_dropped += done.blocks_dropped;
  }

  [[nodiscard]] cutsdf::volume<Space>& volume() { return volume_; }

 private:
  static constexpr std::int64_t first_capacity = 1 << 16;

  [[nodiscard]] std::int64_t capacity() const { return volume_.settings().block_capacity; }
  void grow() { volume_.reserve(2 * capacity()); }

  cutsdf::frame_result integrate(const frame& f)
  {
    const cutsdf::depth_view<std::uint16_t> depth{depth_.data(), depth_.width(), depth_.height()};
    const cutsdf::color_view color{color_.data(), color_.width(), color_.height()};
    return volume_.integrate(depth, color, camera_, f.camera_to_world, range_);
  }

  /// Nobody knows how many blocks a frame needs before the first: it is fused again, into more room, until it fits.
  cutsdf::frame_result make_room_for_first(const frame& f, cutsdf::frame_result done)
  {
    while (done.blocks_dropped > 0) {
      volume_.clear();
      grow();
      done = integrate(f);
    }
    return done;
  }

  cutsdf::pinhole camera_;
  cutsdf::depth_range range_;
  cutsdf::volume<Space> volume_;
  resident_image<std::uint16_t, Space> depth_;
  resident_image<cutsdf::rgb8, Space> color_;
  bool first_frame_{true};
};

/// A camera of 640 x 480 that sees at least what `camera` sees, without distorting it.
inline cutsdf::pinhole view_camera(const cutsdf::pinhole& camera)
{
  constexpr int width  = 640;
  constexpr int height = 480;
  const float scale    = std::min(static_cast<float>(width) / static_cast<float>(camera.width),
                                  static_cast<float>(height) / static_cast<float>(camera.height));
  const auto centre    = [scale](float c, int from, int to) {
    return (c + 0.5f - 0.5f * static_cast<float>(from)) * scale + 0.5f * static_cast<float>(to) - 0.5f;
  };
  return {camera.fx * scale,
          camera.fy * scale,
          centre(camera.cx, camera.width, width),
          centre(camera.cy, camera.height, height),
          width,
          height};
}

template <class Space>
surface_view look(cutsdf::volume<Space>& volume, const cutsdf::pinhole& camera, const Eigen::Isometry3f& pose,
                  bool with_color)
{
  const auto image = volume.raycast(camera, pose);
  return {camera, pose, image.depth.to_host(), image.normals.to_host(),
          with_color ? image.colors.to_host() : std::vector<cutsdf::rgb8>{}};
}

/// Fuses every frame of `source`, then extracts the mesh and looks at it from the last pose. `ahead`: see read_ahead.
template <class Space>
fusion_result fuse_all(const frame_source& source, const fusion_settings& settings, const progress_callback& progress,
                       typename Space::stream_type stream, int ahead)
{
  fusion_result result;
  result.space = Space::name;
  fuser<Space> fuser(source.camera(), settings, stream);
  read_ahead frames(source, ahead);
  Eigen::Isometry3f last_pose = Eigen::Isometry3f::Identity();
  for (int i = 0; i < source.size(); ++i) {
    const frame f = frames.next();
    fuser.fuse(f, result);
    last_pose = f.camera_to_world;
    progress(i + 1);
  }
  result.report = fuser.volume().report();
  result.mesh   = fuser.volume().extract_mesh().to_host();
  result.view   = look(fuser.volume(), view_camera(source.camera()), last_pose, source.has_color());
  return result;
}

}  // namespace fuse
