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

/// div(1, a).
CUTSDF_HD inline float reciprocal(float a)
{
#if CUTSDF_DEVICE_PASS
  return __frcp_rn(a);
#else
  return 1.0f / a;
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
template <int N>
using floats = pack<float, N>;
template <int N>
using integers = pack<std::int32_t, N>;

template <class T, int N>
CUTSDF_INLINE pack<T, N> add(pack<T, N> a, pack<T, N> b)
{
  return a + b;
}
template <class T, int N>
CUTSDF_INLINE pack<T, N> sub(pack<T, N> a, pack<T, N> b)
{
  return a - b;
}
template <int N>
CUTSDF_INLINE floats<N> mul(floats<N> a, floats<N> b)
{
  return a * b;
}
template <int N>
CUTSDF_INLINE floats<N> div(floats<N> a, floats<N> b)
{
  return a / b;
}
template <int N>
CUTSDF_INLINE floats<N> reciprocal(floats<N> a)
{
  return floats<N>(1.0f) / a;
}
template <int N>
CUTSDF_INLINE floats<N> abs(floats<N> a)
{
  return floats<N>::from_bits(a.bits() & integers<N>(0x7fffffff));
}
template <int N>
CUTSDF_INLINE floats<N> to_float(integers<N> a)
{
  return a.template converted<float>();
}
template <int N>
CUTSDF_INLINE integers<N> truncate(floats<N> a)
{
  return a.template converted<std::int32_t>();
}
template <int N>
CUTSDF_INLINE integers<N> floor_to_int(floats<N> a)
{
  const integers<N> truncated = truncate(a);
  return truncated + (a < to_float(truncated));  // a mask that holds is -1
}
template <int N>
CUTSDF_INLINE integers<N> is_finite(floats<N> a)
{
  return (a.bits() & integers<N>(0x7f800000)) != integers<N>(0x7f800000);
}

}  // namespace cutsdf::inline v0::ieee

// Arithmetic for what need not be the same to the last bit in both spaces: fast on the device, to about two units in
// the last place.
namespace cutsdf::inline v0::approx {

/// a / b for |b| in [2^-126, 2^126]; anything for other b.
CUTSDF_HD inline float div(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
  return a * inverse;
#else
  return a / b;
#endif
}

/// 1 / sqrt(a) for normal numbers above 0.
CUTSDF_HD inline float rsqrt(float a)
{
#if CUTSDF_DEVICE_PASS
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a));
  return r;
#else
  return 1.0f / std::sqrt(a);
#endif
}

/// The larger of two; b where a is no number.
CUTSDF_HD inline float larger(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  return fmaxf(a, b);
#else
  return a > b ? a : b;  // an instruction, where fmaxf is a call
#endif
}

/// The smaller of two; b where a is no number.
CUTSDF_HD inline float smaller(float a, float b)
{
#if CUTSDF_DEVICE_PASS
  return fminf(a, b);
#else
  return a < b ? a : b;
#endif
}

CUTSDF_HD inline float from_bits(std::int32_t bits)
{
#if CUTSDF_DEVICE_PASS
  return __int_as_float(bits);
#else
  float a;
  __builtin_memcpy(&a, &bits, sizeof a);
  return a;
#endif
}

CUTSDF_HD inline std::int32_t to_bits(float a)
{
#if CUTSDF_DEVICE_PASS
  return __float_as_int(a);
#else
  std::int32_t bits;
  __builtin_memcpy(&bits, &a, sizeof bits);
  return bits;
#endif
}

}  // namespace cutsdf::inline v0::approx
