// The default voxel: 8 bytes of geometry, 8 bytes of colour, apart.
//
//   geometry   float sum of weight * distance | float sum of weights
//   colour     63..48 weight   47..32 blue   31..16 green   15..0 red
//              channels are means in 1/256 steps, the weight counts 1/16 steps and stops at color_weight_limit
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/voxel/voxel.hpp>

namespace cutsdf::inline v0::voxel {

/// Weighted sums for distance, a running mean for colour: 16 bytes a voxel. The sums are floats: beyond 2^24 times the
/// weight of an observation, further ones no longer change them.
///
/// Colour has a weight of its own (frames without colour leave it alone) and is kept behind the surface and up to
/// color_front_vox in front of it: of the two voxels between which a surface passes, the one behind always has it. Its
/// mean is rounded to 1/256 of a level, and once its weight has reached color_weight_limit it follows new observations
/// as a moving average, so no number of observations overflows it.
struct compact {
  struct alignas(8) sums {
    float distance;
    float weight;
  };
  struct arrays {
    sums* geometry;
    std::uint64_t* color;
  };

  static constexpr std::int64_t bytes_per_voxel     = sizeof(sums) + sizeof(std::uint64_t);
  static constexpr float color_front_vox            = 1.0f;
  static constexpr std::uint32_t color_weight_unit  = 16;
  static constexpr std::uint32_t color_weight_limit = 255 * color_weight_unit;

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
    std::uint64_t seen = atomic::load_relaxed(a.color + i);
    for (;;) {
      const std::uint64_t before = atomic::compare_exchange(a.color + i, seen, blended(seen, o.color, o.weight));
      if (before == seen) { return; }
      seen = before;
    }
  }

  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const observation& o)
  {
    const sums old = a.geometry[i];
    a.geometry[i]  = {ieee::add(old.distance, ieee::mul(o.distance, o.weight)), ieee::add(old.weight, o.weight)};
    if (o.colored) { fold_color(a, i, o.color, o.weight); }
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
    a.color[i] = blended(a.color[i], color, weight);
  }

  CUTSDF_HD static voxel_value read(const arrays& a, std::int64_t i)
  {
    const sums s = a.geometry[i];
    return {s.weight > 0.0f ? ieee::div(s.distance, s.weight) : 0.0f, s.weight};
  }

  CUTSDF_HD static voxel_value read_approx(const arrays& a, std::int64_t i)
  {
    const sums s = a.geometry[i];
    return {approx::div(s.distance, s.weight), s.weight};
  }

  CUTSDF_HD static voxel_color read_color(const arrays& a, std::int64_t i)
  {
    const std::uint64_t word = a.color[i];
    constexpr float level    = 1.0f / 256.0f;
    const auto channel       = [&](int shift) { return static_cast<float>(word >> shift & 0xffff) * level; };
    return {{channel(0), channel(16), channel(32)},
            static_cast<float>(word >> 48) * (1.0f / static_cast<float>(color_weight_unit))};
  }

  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.geometry[j] = from.geometry[i];
    to.color[j]    = from.color[i];
  }

 private:
  CUTSDF_HD static std::uint64_t blended(std::uint64_t word, rgb8 color, float weight)
  {
    const auto unit    = static_cast<float>(color_weight_unit);
    const auto limit   = static_cast<float>(color_weight_limit);
    const float scaled = ieee::add(ieee::mul(weight, unit), 0.5f);
    const auto wanted  = static_cast<std::int32_t>(scaled < limit ? scaled : limit);
    const auto added   = wanted > 0 ? wanted : 1;
    const auto old     = static_cast<std::int32_t>(word >> 48);
    const auto total   = old + added;
    const auto mean    = [&](int shift, std::uint8_t value) {
      const auto before = static_cast<std::int32_t>(word >> shift & 0xffff);
      const auto change = (static_cast<std::int32_t>(value) * 256 - before) * added;
      const auto half   = change < 0 ? -total / 2 : total / 2;
      return static_cast<std::uint64_t>(before + (change + half) / total) << shift;
    };
    const auto kept =
      total < static_cast<std::int32_t>(color_weight_limit) ? total : static_cast<std::int32_t>(color_weight_limit);
    return mean(0, color.r) | mean(16, color.g) | mean(32, color.b) | static_cast<std::uint64_t>(kept) << 48;
  }
};

static_assert(voxel_policy<compact>);

}  // namespace cutsdf::inline v0::voxel
