// Numbers side by side. Kernels that are written over a number type run with float on the device, where neighbours are
// threads, and with a pack on the host, where they are lanes of a vector register: one text for both.
//
// For a number type F (float, or pack<float, N>):
//   integer_of<F>, mask_of<F>      what floor_to_int and a comparison give
//   select(mask, a, b)             a where the mask holds, b elsewhere; both were computed
//   any(mask), all(mask)           of the lanes
//   lanes_of<F>, lane(x, i)        how many, and one of them
//   lane_index<F>()                0, 1, ... N - 1
//   gather(from, index)            from[index], lane by lane (packs only)
#pragma once

#include <cutsdf/space/bits.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

// GCC decides how to compute with a vector when it reads the code, before that is inlined into a function for a
// processor with registers of that size. Where those have 512 bits, it would compare lane by lane, and fill lanes
// through memory. So the operations concerned name their instruction; hence a pack of sixteen exists in such functions
// only.
#if defined(__x86_64__) && defined(__OPTIMIZE__) && defined(__GNUC__) && !defined(__clang__) && !CUTSDF_DEVICE_PASS
#define CUTSDF_PACK_INSTRUCTIONS 1
#else
#define CUTSDF_PACK_INSTRUCTIONS 0
#endif

namespace cutsdf::inline v0 {

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"  // about calls that are not inlined, and here all are
#endif

/// N numbers of 32 bits. A mask is a pack of integers, each zero or all ones. Built on the vector types of GCC and
/// Clang, which become the target's registers, or several, or scalars, whatever it has.
template <class T, int N>
struct pack {
  static_assert(sizeof(T) == 4 && N >= 2 && (N & (N - 1)) == 0, "cutsdf::pack: a power of two of 32-bit numbers");
#if CUTSDF_DEVICE_PASS
  typedef T native;  // device code knows no vector types, and does not run this: it only has to compile
  typedef T wrapping;
#else
  // Integers that overflow go on at the other end: lanes that are computed and not used may do so.
  typedef std::conditional_t<std::is_integral_v<T>, std::uint32_t, T> wrapping
    __attribute__((vector_size(N * 4), aligned(16)));
  // No more alignment than a register of the baseline has: GCC has something to say about arguments that have more.
  typedef T native __attribute__((vector_size(N * 4), aligned(16)));
#endif

  native v;

  pack() = default;
  CUTSDF_INLINE pack(T all)  // NOLINT: numbers mix with packs as they do with numbers
  {
    static_assert(N == 4 || N == 8 || N == 16);
#if CUTSDF_DEVICE_PASS
    v = all;
#else
    typedef T four __attribute__((vector_size(16)));
    const four q = {all, all, all, all};
    if constexpr (N == 4) {
      v = q;
    } else if constexpr (N == 8) {
      v = __builtin_shufflevector(q, q, 0, 1, 2, 3, 4, 5, 6, 7);  // GCC inserts one by one into a list of eight
    } else {
#if CUTSDF_PACK_INSTRUCTIONS
      if (!__builtin_constant_p(all)) {
        if constexpr (std::is_same_v<T, float>) {
          asm("vbroadcastss %1, %0" : "=v"(v) : "vm"(all));
        } else {
          asm("vpbroadcastd %1, %0" : "=v"(v) : "rm"(all));
        }
        return;
      }
#endif
      v = __builtin_shufflevector(q, q, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    }
#endif
  }

  [[nodiscard]] CUTSDF_INLINE static pack of(const native& lanes)
  {
    pack p;
    p.v = lanes;
    return p;
  }
  [[nodiscard]] CUTSDF_INLINE static pack load(const T* from)
  {
    pack p;
    std::memcpy(&p.v, from, sizeof p.v);
    return p;
  }
  CUTSDF_INLINE void store(T* to) const { std::memcpy(to, &v, sizeof v); }
  /// Numbers of another type, converted as static_cast does it.
  template <class From>
  [[nodiscard]] CUTSDF_INLINE static pack load_converted(const From* from)
  {
#if CUTSDF_DEVICE_PASS
    return pack(static_cast<T>(*from));
#else
    typedef From stored __attribute__((vector_size(N * sizeof(From)), aligned(16)));
    stored s;
    std::memcpy(&s, from, sizeof s);
    return of(__builtin_convertvector(s, native));
#endif
  }

  using mask = pack<std::int32_t, N>;

  /// The numbers as integers, or integers as numbers, bit by bit.
  [[nodiscard]] CUTSDF_INLINE mask bits() const
  {
    mask p;
    std::memcpy(&p.v, &v, sizeof v);
    return p;
  }
  [[nodiscard]] CUTSDF_INLINE static pack from_bits(mask bits)
  {
    pack p;
    std::memcpy(&p.v, &bits.v, sizeof p.v);
    return p;
  }
  /// Converted as static_cast does it.
  template <class To>
  [[nodiscard]] CUTSDF_INLINE pack<To, N> converted() const
  {
#if CUTSDF_DEVICE_PASS
    return pack<To, N>::of(static_cast<To>(v));
#else
    return pack<To, N>::of(__builtin_convertvector(v, typename pack<To, N>::native));
#endif
  }

  friend CUTSDF_INLINE mask operator<(pack a, pack b) { return compared<less>(a, b); }
  friend CUTSDF_INLINE mask operator<=(pack a, pack b) { return compared<less_or_equal>(a, b); }
  friend CUTSDF_INLINE mask operator>(pack a, pack b) { return compared<less>(b, a); }
  friend CUTSDF_INLINE mask operator>=(pack a, pack b) { return compared<less_or_equal>(b, a); }
  friend CUTSDF_INLINE mask operator==(pack a, pack b) { return compared<equal>(a, b); }
  friend CUTSDF_INLINE mask operator!=(pack a, pack b) { return compared<not_equal>(a, b); }
  friend CUTSDF_INLINE pack operator+(pack a, pack b) { return of(native(wrapping(a.v) + wrapping(b.v))); }
  friend CUTSDF_INLINE pack operator-(pack a, pack b) { return of(native(wrapping(a.v) - wrapping(b.v))); }
  friend CUTSDF_INLINE pack operator*(pack a, pack b) { return of(native(wrapping(a.v) * wrapping(b.v))); }
  friend CUTSDF_INLINE pack operator/(pack a, pack b) { return of(a.v / b.v); }
  friend CUTSDF_INLINE pack operator&(pack a, pack b) { return of(a.v & b.v); }
  friend CUTSDF_INLINE pack operator|(pack a, pack b) { return of(a.v | b.v); }
  friend CUTSDF_INLINE pack operator<<(pack a, int bits) { return of(a.v << bits); }
  friend CUTSDF_INLINE pack operator>>(pack a, int bits) { return of(a.v >> bits); }
  CUTSDF_INLINE pack operator-() const { return of(-v); }

  friend CUTSDF_INLINE pack select(mask m, pack a, pack b)
  {
    if constexpr (CUTSDF_PACK_INSTRUCTIONS != 0 && N == 16) {
      return from_bits((a.bits() & m) | (b.bits() & mask::of(~m.v)));
    } else {
      return of(m.v < 0 ? a.v : b.v);
    }
  }
  /// a0 b0 a1 b1 ... and the rest of it.
  friend CUTSDF_INLINE pack interleave_low(pack a, pack b) { return interleaved<0>(a, b); }
  friend CUTSDF_INLINE pack interleave_high(pack a, pack b) { return interleaved<N / 2>(a, b); }
  /// The sums of N / 2 words of 64 bits, each two lanes: its lower half first, as x86 and ARM have them in memory.
  friend CUTSDF_INLINE pack add_pairs(pack a, [[maybe_unused]] pack b)
  {
#if CUTSDF_DEVICE_PASS
    return a;
#else
    typedef std::uint64_t words __attribute__((vector_size(N * 4)));
    words x, y;
    std::memcpy(&x, &a.v, sizeof x);
    std::memcpy(&y, &b.v, sizeof y);
    x += y;
    std::memcpy(&a.v, &x, sizeof x);
    return a;
#endif
  }
  friend CUTSDF_INLINE T lane(pack a, int i)
  {
#if CUTSDF_DEVICE_PASS
    return a.v;
#else
    return a.v[i];
#endif
  }

 private:
  enum predicate : int { equal = 0, less = 1, less_or_equal = 2, not_equal = 4 };  // as instructions number them

  template <predicate Which>
  CUTSDF_INLINE static mask compared(pack a, pack b)
  {
#if CUTSDF_PACK_INSTRUCTIONS
    if constexpr (N == 16) {
      mask m;
      std::uint16_t bits;
      if constexpr (std::is_same_v<T, float>) {
        asm("vcmpps %3, %2, %1, %0" : "=Yk"(bits) : "v"(a.v), "vm"(b.v), "i"(static_cast<int>(Which)));
      } else {
        asm("vpcmpd %3, %2, %1, %0" : "=Yk"(bits) : "v"(a.v), "vm"(b.v), "i"(static_cast<int>(Which)));
      }
      asm("vpmovm2d %1, %0" : "=v"(m.v) : "Yk"(bits));
      return m;
    }
#endif
    if constexpr (Which == equal) {
      return mask::of(a.v == b.v);
    } else if constexpr (Which == less) {
      return mask::of(a.v < b.v);
    } else if constexpr (Which == less_or_equal) {
      return mask::of(a.v <= b.v);
    } else {
      return mask::of(a.v != b.v);
    }
  }

  template <int From>
  CUTSDF_INLINE static pack interleaved(pack a, [[maybe_unused]] pack b)
  {
    static_assert(N == 4 || N == 8 || N == 16);
#if CUTSDF_DEVICE_PASS
    return a;
#else
    constexpr int i = From;
    if constexpr (N == 4) {
      return of(__builtin_shufflevector(a.v, b.v, i, i + 4, i + 1, i + 5));
    } else if constexpr (N == 16) {
      return of(__builtin_shufflevector(a.v, b.v, i, i + 16, i + 1, i + 17, i + 2, i + 18, i + 3, i + 19, i + 4, i + 20,
                                        i + 5, i + 21, i + 6, i + 22, i + 7, i + 23));
    } else {
      return of(__builtin_shufflevector(a.v, b.v, i, i + 8, i + 1, i + 9, i + 2, i + 10, i + 3, i + 11));
    }
#endif
  }
};

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

namespace detail {
template <class F>
struct number_traits {
  using integer              = std::int32_t;
  using mask                 = bool;
  static constexpr int lanes = 1;
};
template <int N>
struct number_traits<pack<float, N>> {
  using integer              = pack<std::int32_t, N>;
  using mask                 = pack<std::int32_t, N>;
  static constexpr int lanes = N;
};
}  // namespace detail

template <class F>
using integer_of = typename detail::number_traits<F>::integer;
template <class F>
using mask_of = typename detail::number_traits<F>::mask;
template <class F>
inline constexpr int lanes_of = detail::number_traits<F>::lanes;

template <class T>
CUTSDF_INLINE T select(bool m, T a, T b)
{
  return m ? a : b;
}
template <class T>
CUTSDF_INLINE T lane(T a, int)
{
  return a;
}

/// The lanes of a pack in memory, to be taken by numbers that are not known before.
template <class Pack>
struct lanes_in_memory;
template <class T, int N>
struct lanes_in_memory<pack<T, N>> {
  T value[N];

  CUTSDF_INLINE lanes_in_memory(pack<T, N> p) { p.store(value); }  // NOLINT: the same in another place
  CUTSDF_INLINE T operator[](int i) const { return value[i]; }
};

/// A bit for each lane of a mask, the first lane's the lowest.
template <int N>
CUTSDF_INLINE std::uint32_t lane_bits(pack<std::int32_t, N> m)
{
  static_assert(N <= 32);
#if CUTSDF_PACK_INSTRUCTIONS
  if constexpr (N == 16) {
    std::uint16_t signs;
    asm("vpmovd2m %1, %0" : "=Yk"(signs) : "v"(m.v));
    return signs;
  }
#endif
  std::uint32_t bits = 0;
#if defined(__SSE2__) && !CUTSDF_DEVICE_PASS
  if constexpr (N % 4 == 0) {
    __m128 quarters[N / 4];
    std::memcpy(quarters, &m.v, sizeof quarters);
    for (int i = 0; i < N / 4; ++i) {
      bits |= static_cast<std::uint32_t>(_mm_movemask_ps(quarters[i])) << 4 * i;
    }
    return bits;
  }
#endif
  for (int i = 0; i < N; ++i) {
    bits |= (lane(m, i) != 0 ? 1u : 0u) << i;
  }
  return bits;
}

/// from[index] in each lane.
template <int N>
CUTSDF_INLINE pack<float, N> gather(const float* from, pack<std::int32_t, N> index)
{
#if CUTSDF_PACK_INSTRUCTIONS
  if constexpr (N == 16) {
    pack<float, N> p(0.0f);
    std::uint16_t lanes = 0xffff;
    asm("vgatherdps (%2, %3, 4), %0 %{%1%}"
        : "+&v"(p.v), "+&Yk"(lanes)
        : "r"(from), "v"(index.v), "m"(*reinterpret_cast<const float(*)[]>(from)));
    return p;
  }
#endif
  float read[N];
  for (int i = 0; i < N; ++i) {
    read[i] = from[lane(index, i)];
  }
  return pack<float, N>::load(read);
}

CUTSDF_INLINE bool any(bool m) { return m; }
CUTSDF_INLINE bool all(bool m) { return m; }
template <int N>
CUTSDF_INLINE bool any(pack<std::int32_t, N> m)
{
  return lane_bits(m) != 0;
}
template <int N>
CUTSDF_INLINE bool all(pack<std::int32_t, N> m)
{
  return lane_bits(m) == ~std::uint32_t{0} >> (32 - N);
}

/// The first lane in which a mask holds, where it holds in any.
template <int N>
CUTSDF_INLINE int first_lane(pack<std::int32_t, N> m)
{
  return bits::lowest(lane_bits(m));
}

template <class F>
CUTSDF_INLINE integer_of<F> lane_index()
{
  if constexpr (lanes_of<F> == 1) {
    return 0;
  } else {
    std::int32_t index[lanes_of<F>];
    for (int i = 0; i < lanes_of<F>; ++i) {
      index[i] = i;
    }
    return integer_of<F>::load(index);
  }
}

}  // namespace cutsdf::inline v0
