// Float arithmetic that rounds after every operation in both spaces. Device compilers contract a*b+c into one rounding
// and fast-math replaces division; the names here forbid both, so that the CPU and the GPU pick the same voxel for the
// same input. (A host compiler that targets FMA hardware needs -ffp-contract=off for the same guarantee.)
#pragma once

#include <cutsdf/space/pack.hpp>

#include <cmath>
#include <cstdint>

namespace cutsdf::inline v0::ieee {

CUTSDF_HD inline float add(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}

CUTSDF_HD inline float sub(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}

CUTSDF_HD inline float mul(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

CUTSDF_HD inline float div(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  return __fdiv_rn(a, b);
#else
  return a / b;
#endif
}

CUTSDF_HD inline float sqrt(float a)
{
#if CUTSDF_DEVICE_PASS
  return __fsqrt_rn(a);
#else
  return std::sqrt(a);
#endif
}

/// Largest integer not above `a`; |a| must be below 2^31.
CUTSDF_HD inline std::int32_t floor_to_int(float a)
{
#if CUTSDF_DEVICE_PASS
  return __float2int_rd(a);
#else
  const auto truncated = static_cast<std::int32_t>(a);
  return truncated - static_cast<std::int32_t>(a < static_cast<float>(truncated));
#endif
}

/// False for NaN and the infinities, also where the compiler was told that neither exists.
CUTSDF_HD inline bool is_finite(float a)
{
#if CUTSDF_DEVICE_PASS
  const auto bits = static_cast<std::uint32_t>(__float_as_uint(a));
#else
  std::uint32_t bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
#endif
  return (bits & 0x7f800000u) != 0x7f800000u;
}

CUTSDF_HD inline float abs(float a) { return fabsf(a); }

CUTSDF_HD inline float to_float(std::int32_t a) { return static_cast<float>(a); }

/// The integer part; |a| must be below 2^31.
CUTSDF_HD inline std::int32_t truncate(float a) { return static_cast<std::int32_t>(a); }

// The same for packs.
template <int W>
using floats = pack<float, W>;
template <int W>
using integers = pack<std::int32_t, W>;

template <class T, int W>
CUTSDF_INLINE pack<T, W> add(pack<T, W> a, pack<T, W> b)
{
  return a + b;
}
template <class T, int W>
CUTSDF_INLINE pack<T, W> sub(pack<T, W> a, pack<T, W> b)
{
  return a - b;
}
template <int W>
CUTSDF_INLINE floats<W> mul(floats<W> a, floats<W> b)
{
  return a * b;
}
template <int W>
CUTSDF_INLINE floats<W> div(floats<W> a, floats<W> b)
{
  return a / b;
}
template <int W>
CUTSDF_INLINE floats<W> abs(floats<W> a)
{
  return floats<W>::from_bits(a.bits() & integers<W>(0x7fffffff));
}
template <int W>
CUTSDF_INLINE floats<W> to_float(integers<W> a)
{
  return a.template converted<float>();
}
template <int W>
CUTSDF_INLINE integers<W> truncate(floats<W> a)
{
  return a.template converted<std::int32_t>();
}
template <int W>
CUTSDF_INLINE integers<W> floor_to_int(floats<W> a)
{
  const integers<W> truncated = truncate(a);
  return truncated + (a < to_float(truncated));  // a mask that holds is -1
}
template <int W>
CUTSDF_INLINE integers<W> is_finite(floats<W> a)
{
  return (a.bits() & integers<W>(0x7f800000)) != integers<W>(0x7f800000);
}

}  // namespace cutsdf::inline v0::ieee
