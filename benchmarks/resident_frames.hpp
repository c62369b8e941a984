// A recording in the memory of a space, ready to be fused frame after frame.
#pragma once

#include "../examples/fuse/frame.hpp"

#include <cutsdf/cutsdf.hpp>

#include <vector>

namespace bench {

template <class Space>
struct resident_frame {
  cutsdf::buffer<std::uint16_t, Space> depth;
  cutsdf::buffer<cutsdf::rgb8, Space> color;
  int color_width;
  int color_height;
  Eigen::Isometry3f pose;
};

/// Reads every frame of `source` into the space's memory.
template <class Space>
std::vector<resident_frame<Space>> read_frames(const fuse::frame_source& source, typename Space::stream_type stream)
{
  std::vector<resident_frame<Space>> frames;
  for (int i = 0; i < source.size(); ++i) {
    const fuse::frame f = source.read(i);
    frames.push_back({{std::span<const std::uint16_t>(f.depth.pixels), stream},
                      {std::span<const cutsdf::rgb8>(f.color.pixels), stream},
                      f.color.width,
                      f.color.height,
                      f.camera_to_world});
  }
  return frames;
}

/// Enqueues the fusion of a frame, without or with its colours.
template <class Volume>
void fuse_frame(Volume& volume, const resident_frame<typename Volume::space_type>& frame, const cutsdf::pinhole& camera,
                bool colored)
{
  const cutsdf::depth_view<std::uint16_t> depth{frame.depth.data(), camera.width, camera.height};
  const cutsdf::color_view color{colored ? frame.color.data() : nullptr, frame.color_width, frame.color_height};
  volume.integrate_async(depth, color, camera, frame.pose);
}

}  // namespace bench
