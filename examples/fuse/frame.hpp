// What every source of frames delivers, be it a folder or a built-in scene.
#pragma once

#include <cutsdf/grid/camera.hpp>

#include <cstdint>
#include <vector>

namespace fuse {

/// Pixels row by row, without padding.
template <class T>
struct image {
  int width{0};
  int height{0};
  std::vector<T> pixels{};

  [[nodiscard]] bool same_size(const image& other) const { return width == other.width && height == other.height; }
};

using depth_image = image<std::uint16_t>;
using color_image = image<cutsdf::rgb8>;

struct frame {
  depth_image depth;  // millimetres along the camera's z axis; 0 and 65535: nothing measured
  color_image color;  // of any size; without pixels: no colour
  Eigen::Isometry3f camera_to_world{Eigen::Isometry3f::Identity()};
};

/// A sequence of frames from one camera. read() may be called from several threads at once.
class frame_source {
 public:
  virtual ~frame_source() = default;

  /// Number of frames; at least 1.
  [[nodiscard]] virtual int size() const = 0;
  /// The camera of all depth images.
  [[nodiscard]] virtual cutsdf::pinhole camera() const = 0;
  [[nodiscard]] virtual bool has_color() const         = 0;
  /// Frame `i` of [0, size()). Throws problem when it cannot be had.
  [[nodiscard]] virtual frame read(int i) const = 0;
};

}  // namespace fuse
