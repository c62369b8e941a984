// Three numbers. What kernels and device arrays hold; Eigen stays at the host boundary.
#pragma once

#include <cutsdf/grid/arithmetic.hpp>
#include <cutsdf/grid/eigen.hpp>

#include <type_traits>

namespace cutsdf::inline v0 {

template <class T>
struct vec3 {
  T x, y, z;
};

/// Whether all three are equal; of packs, in which lanes.
template <class T>
CUTSDF_INLINE constexpr auto operator==(const vec3<T>& a, const vec3<T>& b) -> decltype(a.x == b.x)
{
  return static_cast<decltype(a.x == b.x)>((a.x == b.x) & (a.y == b.y) & (a.z == b.z));
}

using vec3f = vec3<float>;
using vec3i = vec3<std::int32_t>;

// F is float or a pack of floats.
template <class F>
CUTSDF_INLINE vec3<F> operator+(vec3<F> a, vec3<F> b)
{
  return {ieee::add(a.x, b.x), ieee::add(a.y, b.y), ieee::add(a.z, b.z)};
}
template <class F>
CUTSDF_INLINE vec3<F> operator-(vec3<F> a, vec3<F> b)
{
  return {ieee::sub(a.x, b.x), ieee::sub(a.y, b.y), ieee::sub(a.z, b.z)};
}
template <class F>
CUTSDF_INLINE vec3<F> operator*(vec3<F> a, std::type_identity_t<F> s)
{
  return {ieee::mul(a.x, s), ieee::mul(a.y, s), ieee::mul(a.z, s)};
}

CUTSDF_HD constexpr vec3i operator+(vec3i a, vec3i b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
CUTSDF_HD constexpr vec3i operator-(vec3i a, vec3i b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
CUTSDF_HD constexpr vec3i operator*(vec3i a, std::int32_t s) { return {a.x * s, a.y * s, a.z * s}; }

template <class F>
CUTSDF_INLINE F dot(vec3<F> a, vec3<F> b)
{
  return ieee::add(ieee::add(ieee::mul(a.x, b.x), ieee::mul(a.y, b.y)), ieee::mul(a.z, b.z));
}
CUTSDF_HD inline float norm(vec3f a) { return ieee::sqrt(dot(a, a)); }
CUTSDF_HD inline bool is_finite(vec3f a)
{
  return ieee::is_finite(a.x) && ieee::is_finite(a.y) && ieee::is_finite(a.z);
}
/// The unit vector, or zero for zero.
CUTSDF_HD inline vec3f normalised(vec3f a)
{
  const float length = norm(a);
  return length > 0.0f ? a * ieee::div(1.0f, length) : vec3f{0.0f, 0.0f, 0.0f};
}
CUTSDF_HD inline vec3f to_float(vec3i a)
{
  return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

/// The same vector in every lane.
template <class N, class T>
CUTSDF_INLINE vec3<N> broadcast(vec3<T> a)
{
  return {N(a.x), N(a.y), N(a.z)};
}
template <class Mask, class N>
CUTSDF_INLINE vec3<N> select(Mask m, vec3<N> a, vec3<N> b)
{
  return {select(m, a.x, b.x), select(m, a.y, b.y), select(m, a.z, b.z)};
}
/// The vector of one lane.
template <class N>
CUTSDF_INLINE auto lane(vec3<N> a, int i)
{
  return vec3<decltype(lane(a.x, i))>{lane(a.x, i), lane(a.y, i), lane(a.z, i)};
}

inline vec3f from_eigen(const Eigen::Vector3f& v) { return {v.x(), v.y(), v.z()}; }

static_assert(sizeof(vec3f) == 12, "arrays of points are packed");

/// 8-bit colour, the layout of a row of an RGB image.
struct rgb8 {
  std::uint8_t r, g, b;

  friend CUTSDF_HD constexpr bool operator==(const rgb8& a, const rgb8& b)
  {
    return a.r == b.r && a.g == b.g && a.b == b.b;
  }
};

static_assert(sizeof(rgb8) == 3, "rows of pixels are packed");

}  // namespace cutsdf::inline v0
