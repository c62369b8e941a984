// A voxel of float sums: 8 bytes of geometry, 8 bytes of colour, apart.
//
//   geometry   float sum of weight * distance | float sum of weights
//   color      see color_word.hpp
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/voxel/color_word.hpp>

namespace cutsdf::inline v0::voxel {

/// Weighted sums for distance, a running mean for colour: 16 bytes a voxel. The sums are floats: beyond 2^24 times the
/// weight of an observation, further ones no longer change them.
///
/// Any weight from 1e-12 to 1e12 counts as it is. Points are added one sample at a time, in an order that shows in the
/// last bits. Colour has a weight of its own (frames without colour leave it alone) and is kept behind the surface and
/// up to color_front_vox in front of it.
struct compact {
  struct alignas(8) sums {
    float distance;
    float weight;
  };
  struct arrays {
    sums* geometry;
    std::uint64_t* color;
  };

  static constexpr std::int64_t bytes_per_voxel = sizeof(sums) + sizeof(std::uint64_t);
  static constexpr float color_front_vox        = 1.0f;

  static arrays bind(void* memory, std::int64_t voxels)
  {
    auto* geometry = static_cast<sums*>(memory);
    return {geometry, reinterpret_cast<std::uint64_t*>(geometry + voxels)};
  }

  template <class F>
  CUTSDF_INLINE static mask_of<F> wants_color(F distance, F truncation_vox)
  {
    return ieee::mul(distance, truncation_vox) <= F(color_front_vox);
  }

  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const observation& o)
  {
    const sums term{ieee::mul(o.distance, o.weight), o.weight};
#if CUTSDF_DEVICE_PASS && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1201
    atomicAdd(reinterpret_cast<float2*>(a.geometry + i), make_float2(term.distance, term.weight));  // one message to L2
#else
    atomic::add(&a.geometry[i].distance, term.distance);
    atomic::add(&a.geometry[i].weight, term.weight);
#endif
    if (!o.colored) { return; }
    color_word::add(a.color + i, o.color, o.weight);
  }

  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const observation& o)
  {
    const sums old = a.geometry[i];
    a.geometry[i]  = {ieee::add(old.distance, ieee::mul(o.distance, o.weight)), ieee::add(old.weight, o.weight)};
    if (o.colored) { fold_color(a, i, o.color, o.weight); }
  }

  template <int N>
  CUTSDF_HD static void fold_column(const arrays& a, std::int64_t i, std::int64_t stride, const float (&distance)[N])
  {
    sums old[N];
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      old[k] = load_where(is_seen(distance[k]), a.geometry + (i + k * stride));
    }
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      if (is_seen(distance[k])) {
        a.geometry[i + k * stride] = {ieee::add(old[k].distance, distance[k]), ieee::add(old[k].weight, 1.0f)};
      }
    }
  }

  template <int N>
  CUTSDF_INLINE static void fold_row(const arrays& a, std::int64_t i, pack<float, N> distance,
                                     mask_of<pack<float, N>> seen)
  {
    using F = pack<float, N>;
    const F nothing(-0.0f);  // changes no sum, not even 0 or -0
    const F d      = select(seen, distance, nothing);
    const F w      = select(seen, F(1.0f), nothing);
    auto* const to = &a.geometry[i].distance;
    (F::load(to) + interleave_low(d, w)).store(to);
    (F::load(to + N) + interleave_high(d, w)).store(to + N);
  }

  CUTSDF_HD static void fold_color(const arrays& a, std::int64_t i, rgb8 color, float weight)
  {
    a.color[i] = color_word::blended(a.color[i], color, weight);
  }

  CUTSDF_HD static voxel_value read(const arrays& a, std::int64_t i)
  {
    const sums s = a.geometry[i];
    return {s.weight > 0.0f ? ieee::div(s.distance, s.weight) : 0.0f, s.weight};
  }

  CUTSDF_HD static voxel_value read_sums(const arrays& a, std::int64_t i)
  {
    const sums s = a.geometry[i];
    return {s.distance, s.weight};
  }

  CUTSDF_HD static voxel_color read_color(const arrays& a, std::int64_t i) { return color_word::read(a.color[i]); }

  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.geometry[j] = from.geometry[i];
    to.color[j]    = from.color[i];
  }
};

static_assert(column_voxel_policy<compact, block_side>);

}  // namespace cutsdf::inline v0::voxel
