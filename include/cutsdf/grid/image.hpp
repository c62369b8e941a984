// Images that somebody else owns, in the memory of the space that reads them.
#pragma once

#include <cutsdf/grid/camera.hpp>
#include <cutsdf/space/cache.hpp>

#include <concepts>
#include <limits>
#include <optional>

namespace cutsdf::inline v0 {

template <class T>
concept depth_pixel = std::same_as<T, float> || std::same_as<T, std::uint16_t>;

/// A depth image: distance along the camera's z axis, row by row.
///
/// `units_per_metre` divides the stored number: 1 for float metres (the default for float), 1000 for millimetres (the
/// default for uint16), 5000 for TUM. `row_stride` counts pixels; 0 means `width`; rows lie within 2^31 pixels.
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
  std::int32_t row_stride;  // times the height, it fits as well
  float units_per_metre;
  depth_range range;

  /// What is stored at one pixel, or at several (F is float or a pack), as a number.
  template <class F>
  [[nodiscard]] CUTSDF_INLINE F stored(integer_of<F> u, integer_of<F> v) const
  {
    const integer_of<F> index = v * integer_of<F>(row_stride) + u;
    using integer             = std::conditional_t<std::same_as<T, float>, float, std::int32_t>;
    integer raw[lanes_of<F>];
    for (int i = 0; i < lanes_of<F>; ++i) {
      raw[i] = data[lane(index, i)];
    }
    return number<F>(raw);
  }

  /// The same for the first pixel given and its neighbours to the right, `count` of them inside the image; 0 elsewhere.
  template <class F>
  [[nodiscard]] CUTSDF_INLINE F stored_row(std::int32_t u, std::int32_t v, int count) const
  {
    constexpr int lanes = lanes_of<F>;
    const T* const from = data + (v * row_stride + u);
    if (count >= lanes) {
      if constexpr (std::same_as<T, float>) {
        return F::load(from);
      } else {
        return ieee::to_float(integer_of<F>::load_converted(from));
      }
    }
    std::conditional_t<std::same_as<T, float>, float, std::int32_t> raw[lanes]{};
    for (int i = 0; i < count; ++i) {
      raw[i] = from[i];
    }
    return number<F>(raw);
  }

  /// Asks for a row that stored_row() will read, also where it lies behind the image. Nothing on the device.
  CUTSDF_INLINE void prefetch(std::int32_t u, std::int32_t v) const
  {
    const std::int64_t pixel = std::int64_t{v} * row_stride + u;
    cache::prefetch(reinterpret_cast<std::uintptr_t>(data) + sizeof(T) * static_cast<std::uintptr_t>(pixel));
  }

  /// Metres of a stored number. Without branches.
  template <class F>
  [[nodiscard]] CUTSDF_INLINE F metres(F stored) const
  {
    const F depth    = ieee::div(stored, F(units_per_metre));
    mask_of<F> valid = ieee::is_finite(depth) & (depth >= F(range.min_depth)) & (depth <= F(range.max_depth));
    if constexpr (std::same_as<T, std::uint16_t>) { valid = valid & (stored != F(65535.0f)); }  // sensors' "nothing"
    return select(valid, depth, F(0.0f));
  }

 private:
  template <class F, class Stored>
  [[nodiscard]] CUTSDF_INLINE static F number(const Stored (&raw)[lanes_of<F>])
  {
    if constexpr (lanes_of<F> == 1) {
      return static_cast<F>(raw[0]);
    } else if constexpr (std::same_as<Stored, float>) {
      return F::load(raw);
    } else {
      return ieee::to_float(integer_of<F>::load(raw));
    }
  }
};

}  // namespace cutsdf::inline v0
