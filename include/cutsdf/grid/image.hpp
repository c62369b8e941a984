// Images that somebody else owns, in the memory of the space that reads them.
#pragma once

#include <cutsdf/grid/camera.hpp>

#include <concepts>
#include <limits>
#include <optional>

namespace cutsdf::inline v0 {

template <class T>
concept depth_pixel = std::same_as<T, float> || std::same_as<T, std::uint16_t>;

/// A depth image: distance along the camera's z axis, row by row.
///
/// `units_per_metre` divides the stored number: 1 for float metres (the default for float), 1000 for millimetres (the
/// default for uint16), 5000 for TUM. `row_stride` counts pixels; 0 means `width`.
template <depth_pixel T>
struct depth_view {
  const T* data{nullptr};
  int width{0};
  int height{0};
  float units_per_metre{std::same_as<T, float> ? 1.0f : 1000.0f};
  std::int64_t row_stride{0};
};

/// An 8-bit RGB image taken from the pose of the depth image, of any resolution. Without a `camera` of its own it is
/// taken to show what the depth camera shows, resized. `row_stride` counts pixels; 0 means `width`.
struct color_view {
  const rgb8* data{nullptr};
  int width{0};
  int height{0};
  std::optional<pinhole> camera{};
  std::int64_t row_stride{0};
};

/// Which depths are believed, in metres: min_depth <= depth <= max_depth. Anything else is an invalid pixel, for
/// allocation and for fusion alike.
struct depth_range {
  float min_depth{0.1f};
  float max_depth{std::numeric_limits<float>::infinity()};
};

/// Reads depths in metres; 0 stands for every invalid one. The one validity predicate of the library.
template <depth_pixel T>
struct depth_reader {
  const T* data;
  std::int64_t row_stride;
  float units_per_metre;
  depth_range range;

  [[nodiscard]] CUTSDF_HD float metres(int u, int v) const
  {
    const T raw = data[v * row_stride + u];
    if constexpr (std::same_as<T, std::uint16_t>) {
      if (raw == 65535) { return 0.0f; }  // what sensors write where they saw nothing
    }
    const float depth = ieee::div(static_cast<float>(raw), units_per_metre);
    return ieee::is_finite(depth) && depth >= range.min_depth && depth <= range.max_depth ? depth : 0.0f;
  }
};

}  // namespace cutsdf::inline v0
