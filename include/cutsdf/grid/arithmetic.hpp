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

/// The same for a in [2^-100, 2^100]; any number, or none, for other a. No branch, so that several overlap.
CUTSDF_HD inline float reciprocal_of_normal(float a)
{
#if CUTSDF_DEVICE_PASS
  float guess;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(a));
  return __fmaf_rn(guess, __fmaf_rn(-a, guess, 1.0f), guess);  // what reciprocal() does where no exponent is extreme
#else
  return 1.0f / a;
#endif
}

/// floor_to_int() for |a| < 2^22; any number for other a.
CUTSDF_HD inline std::int32_t floor_of_small(float a)
{
#if CUTSDF_DEVICE_PASS
  // Two additions, where a conversion takes the pipe that also does reciprocals, at a quarter of the rate.
  constexpr float shift = 12582912.0f;  // 1.5 * 2^23: from here on floats are whole numbers
  return __float_as_int(__fadd_rd(a, shift)) - 0x4b400000;
#else
  return floor_to_int(a);
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

/// Whether a number lies in [0, limit), where limit is at most 2^22; `whole` becomes its integer part then. False for
/// NaN.
CUTSDF_HD inline bool truncate_below(float a, std::int32_t limit, std::int32_t& whole)
{
#if CUTSDF_DEVICE_PASS
  constexpr float shift = 8388608.0f;  // 2^23: what is below 0, too large or NaN comes out beyond the limit
  whole                 = __float_as_int(__fadd_rd(a, shift)) - 0x4b000000;
  return static_cast<std::uint32_t>(whole) < static_cast<std::uint32_t>(limit);
#else
  const bool inside = a >= 0.0f && a < static_cast<float>(limit);
  whole             = truncate(inside ? a : 0.0f);
  return inside;
#endif
}

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
CUTSDF_INLINE floats<N> reciprocal_of_normal(floats<N> a)
{
  return reciprocal(a);
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
CUTSDF_INLINE integers<N> floor_of_small(floats<N> a)
{
#if CUTSDF_PACK_INSTRUCTIONS
  if constexpr (N == 16) {
    floats<N> shifted;  // as on the device
    asm("vaddps %{rd-sae%}, %2, %1, %0" : "=v"(shifted.v) : "v"(a.v), "v"(floats<N>(12582912.0f).v));
    return shifted.bits() - integers<N>(0x4b400000);
  }
#endif
  return floor_to_int(a);
}
template <int N>
CUTSDF_INLINE integers<N> truncate_below(floats<N> a, std::int32_t limit, integers<N>& whole)
{
  // Compared as floats first: what is far outside does not fit an integer.
  const floats<N> zero(0.0f);
  const integers<N> inside = (a >= zero) & (a < floats<N>(static_cast<float>(limit)));
  whole                    = truncate(select(inside, a, zero));
  return inside;
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

}  // namespace cutsdf::inline v0::approx
