// The default voxel: 8 bytes of geometry that one 64-bit atomic updates, 16 bytes of colour, apart.
//
//   geometry   63..28 sum of weight * distance, signed, steps of 2^-13   27..0 sum of weights, steps of 2^-6
//   color      float sums of weight * red, green, blue, and of weights
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/voxel/voxel.hpp>

namespace cutsdf::inline v0::voxel {

/// Sums in fixed point: they do not depend on the order in which observations arrive, so the same measurements give the
/// same bits on every run and in every space. 24 bytes a voxel.
///
/// A distance is rounded to 1/8192 of the truncation, a weight to 1/64. When a voxel's weight reaches weight_limit both
/// sums are halved: from then on it follows new observations as a moving average (and the order of those that meet
/// there at the same time can be seen in its last bits). In a cloud without weights only some threads look at the
/// limit, chosen by a hash: points arranged against that hash could overflow a voxel after four times as much. Colour
/// is kept within a voxel of the surface; its sums are whole numbers, for points that weigh 1, and exact up to 2^24 /
/// 255 of them.
struct fixed_point {
  struct alignas(16) color_sums {
    float red;
    float green;
    float blue;
    float weight;
  };
  struct arrays {
    std::uint64_t* geometry;
    color_sums* color;
  };

  static constexpr std::int64_t bytes_per_voxel = sizeof(std::uint64_t) + sizeof(color_sums);
  static constexpr float color_front_vox        = 1.0f;
  static constexpr float color_back_vox         = 1.0f;
  static constexpr int weight_bits              = 28;
  static constexpr float distance_steps         = 8192.0f;
  static constexpr float weight_steps           = 64.0f;
  static constexpr float least_weight           = 1.0f / weight_steps;
  static constexpr float most_weight            = 8.0f;
  /// The field holds four times as much: what is added before somebody looks stays below (see add()).
  static constexpr std::uint64_t weight_limit = std::uint64_t{1} << 26;

  static arrays bind(void* memory, std::int64_t voxels)
  {
    auto* geometry = static_cast<std::uint64_t*>(memory);
    return {geometry, reinterpret_cast<color_sums*>(geometry + voxels)};
  }

  template <class F>
  CUTSDF_INLINE static mask_of<F> wants_color(F distance, F truncation_vox)
  {
    const F voxels = ieee::mul(distance, truncation_vox);
    return (voxels <= F(color_front_vox)) & (voxels >= F(-color_back_vox));
  }

  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const observation& o)
  {
    add(a.geometry + i, word_of(o.distance, o.weight), true);
    if (o.colored) {
      const float weight = rounded_weight(o.weight);
      add(a.color + i, {static_cast<float>(o.color.r) * weight, static_cast<float>(o.color.g) * weight,
                        static_cast<float>(o.color.b) * weight, weight});
    }
  }

  // Observations of weight 1, packed so that those of a warp can be added up before they are stored.

  static constexpr int packed_count_bits = 6;

  /// 31..6 distance, 5..0 how many.
  CUTSDF_HD static std::uint32_t packed(float distance)
  {
    return (static_cast<std::uint32_t>(steps_of(distance)) << packed_count_bits) + 1;
  }
  /// 31..19 red, 18..6 green, 5..0 how many; and blue.
  struct packed_color {
    std::uint32_t red_green;
    std::uint32_t blue;
  };
  CUTSDF_HD static packed_color packed(rgb8 color)
  {
    return {std::uint32_t{color.r} << 19 | std::uint32_t{color.g} << 6 | 1u, color.b};
  }

  /// `looks`: see add(). Sums of many always do.
  CUTSDF_HD static void add_packed(const arrays& a, std::int64_t i, std::uint32_t distances, bool looks)
  {
    constexpr std::uint32_t many = 16;
    const std::uint32_t count    = distances & 63u;
    const std::uint64_t weight   = count * static_cast<std::uint32_t>(weight_steps);
    const auto distance          = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(distances) >> 6});
    add(a.geometry + i, (distance << weight_bits) + weight, looks || count >= many);
  }
  CUTSDF_HD static void add_packed(const arrays& a, std::int64_t i, packed_color colors)
  {
    add(a.color + i, {static_cast<float>(colors.red_green >> 19), static_cast<float>(colors.red_green >> 6 & 0x1fffu),
                      static_cast<float>(colors.blue), static_cast<float>(colors.red_green & 63u)});
  }

  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const observation& o)
  {
    a.geometry[i] = limited(a.geometry[i] + word_of(o.distance, o.weight));
    if (o.colored) { fold_color(a, i, o.color, o.weight); }
  }

  template <int N>
  CUTSDF_HD static void fold_column(const arrays& a, std::int64_t i, std::int64_t stride, const float (&distance)[N])
  {
    std::uint64_t words[N];
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      words[k] = load_where(is_seen(distance[k]), a.geometry + (i + k * stride));
    }
    std::uint32_t full = 0;  // bits at the limit: where no voxel is seen there are none
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      words[k] += word_of(distance[k]);
      full |= static_cast<std::uint32_t>(words[k]) & limit_bits;
    }
    if (full != 0) {
      CUTSDF_UNROLLED
      for (int k = 0; k < N; ++k) {
        words[k] = limited(words[k]);
      }
    }
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      if (is_seen(distance[k])) { a.geometry[i + k * stride] = words[k]; }
    }
  }

  template <int N>
  CUTSDF_INLINE static void fold_row(const arrays& a, std::int64_t i, pack<float, N> distance,
                                     mask_of<pack<float, N>> seen)
  {
    using integers       = pack<std::int32_t, N>;
    const integers steps = select(
      seen, ieee::floor_of_small(ieee::add(ieee::mul(distance, pack<float, N>(distance_steps)), pack<float, N>(0.5f))),
      integers(0));
    // The halves of steps << weight_bits, and the weight.
    const integers lower  = (steps << weight_bits) + (seen & integers(static_cast<std::int32_t>(weight_steps)));
    const integers upper  = steps >> (32 - weight_bits);
    auto* const words     = reinterpret_cast<std::int32_t*>(a.geometry + i);  // load() and store() copy bytes
    const integers first  = add_pairs(integers::load(words), interleave_low(lower, upper));
    const integers second = add_pairs(integers::load(words + N), interleave_high(lower, upper));
    first.store(words);
    second.store(words + N);
    const integers at_limit = interleave_low(integers(static_cast<std::int32_t>(limit_bits)), integers(0));
    if (!any((first | second) & at_limit)) { return; }
    for (int k = 0; k < N; ++k) {  // one of them, perhaps
      if (lane(seen, k) != 0) { a.geometry[i + k] = limited(a.geometry[i + k]); }
    }
  }

  CUTSDF_HD static void fold_color(const arrays& a, std::int64_t i, rgb8 color, float weight)
  {
    const float w        = rounded_weight(weight);
    const color_sums old = a.color[i];
    a.color[i]           = {ieee::add(old.red, ieee::mul(static_cast<float>(color.r), w)),
                            ieee::add(old.green, ieee::mul(static_cast<float>(color.g), w)),
                            ieee::add(old.blue, ieee::mul(static_cast<float>(color.b), w)), ieee::add(old.weight, w)};
  }

  CUTSDF_HD static std::uint64_t read_word(const arrays& a, std::int64_t i) { return a.geometry[i]; }

  CUTSDF_HD static voxel_value sums_of(std::uint64_t word)
  {
    // The signed sum in two conversions of 32 bits, which cost a fraction of one of 64.
    const auto upper = static_cast<float>(static_cast<std::int32_t>(word >> 32));
    const auto lower = static_cast<float>(static_cast<std::uint32_t>(word) >> weight_bits);
    // Fused or not the result is the same: a product with a power of two is exact.
    const auto distance = upper * static_cast<float>(1 << (32 - weight_bits)) + lower;
    const auto weight   = static_cast<float>(static_cast<std::uint32_t>(word & weight_mask));
    return {ieee::mul(distance, 1.0f / distance_steps), ieee::mul(weight, 1.0f / weight_steps)};
  }

  CUTSDF_HD static bool is_heavier(std::uint64_t word, float weight)
  {
    const float steps = approx::smaller(ieee::mul(weight, weight_steps), static_cast<float>(weight_mask + 1));
    return static_cast<std::uint32_t>(word & weight_mask) > static_cast<std::uint32_t>(steps);
  }
  CUTSDF_HD static bool is_front(std::uint64_t word)
  {
    return static_cast<std::int64_t>(word) >= std::int64_t{1} << weight_bits;
  }
  CUTSDF_HD static bool is_behind(std::uint64_t word) { return static_cast<std::int64_t>(word) < 0; }

  CUTSDF_HD static voxel_value read_sums(const arrays& a, std::int64_t i) { return sums_of(a.geometry[i]); }

  CUTSDF_HD static voxel_value read(const arrays& a, std::int64_t i)
  {
    const voxel_value sums = read_sums(a, i);
    return {sums.weight > 0.0f ? ieee::div(sums.distance, sums.weight) : 0.0f, sums.weight};
  }

  CUTSDF_HD static voxel_color read_color_sums(const arrays& a, std::int64_t i)
  {
    const color_sums sums = a.color[i];
    return {{sums.red, sums.green, sums.blue}, sums.weight};
  }

  CUTSDF_HD static voxel_color read_color(const arrays& a, std::int64_t i)
  {
    const voxel_color sums = read_color_sums(a, i);
    if (!(sums.weight > 0.0f)) { return {{0.0f, 0.0f, 0.0f}, 0.0f}; }
    return {sums.rgb * ieee::div(1.0f, sums.weight), sums.weight};
  }

  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.geometry[j] = from.geometry[i];
    to.color[j]    = from.color[i];
  }

 private:
  static constexpr std::uint64_t weight_mask = (std::uint64_t{1} << weight_bits) - 1;

  CUTSDF_HD static std::int32_t steps_of(float distance)
  {
    static_assert(most_weight * distance_steps < 1 << 22);
    return ieee::floor_of_small(ieee::add(ieee::mul(distance, distance_steps), 0.5f));
  }
  CUTSDF_HD static std::uint32_t weight_steps_of(float weight)
  {
    return static_cast<std::uint32_t>(ieee::add(ieee::mul(weight, weight_steps), 0.5f));
  }
  CUTSDF_HD static float rounded_weight(float weight)
  {
    return ieee::mul(static_cast<float>(weight_steps_of(weight)), 1.0f / weight_steps);
  }

  CUTSDF_HD static std::uint64_t word_of(float distance, float weight)
  {
    const auto steps = static_cast<std::int64_t>(steps_of(ieee::mul(distance, rounded_weight(weight))));
    return (static_cast<std::uint64_t>(steps) << weight_bits) + weight_steps_of(weight);
  }

  /// The same for weight 1.
  CUTSDF_HD static std::uint64_t word_of(float distance)
  {
    const auto steps = static_cast<std::int64_t>(steps_of(distance));
    return (static_cast<std::uint64_t>(steps) << weight_bits) + static_cast<std::uint64_t>(weight_steps);
  }

  /// Those of a weight that has reached its limit.
  static constexpr auto limit_bits = static_cast<std::uint32_t>(weight_mask & ~(weight_limit - 1));

  /// Both sums halved where the weight has reached its limit.
  CUTSDF_HD static std::uint64_t limited(std::uint64_t word)
  {
    const std::uint64_t weight = word & weight_mask;
    if (weight < weight_limit) { return word; }
    const auto half = static_cast<std::uint64_t>(static_cast<std::int64_t>(word) >> (weight_bits + 1));
    return (half << weight_bits) + weight / 2;
  }

  /// Where sums of many threads meet, the limit is kept by those who look: an add that returns costs more.
  CUTSDF_HD static void add(std::uint64_t* word, std::uint64_t added, bool looks)
  {
    atomic::add(word, added);
    if (!looks) { return; }
    std::uint64_t seen = atomic::load_relaxed(word);
    while (limited(seen) != seen) {
      const std::uint64_t before = atomic::compare_exchange(word, seen, limited(seen));
      if (before == seen) { return; }
      seen = before;
    }
  }

  CUTSDF_HD static void add(color_sums* sums, const color_sums& added)
  {
#if CUTSDF_DEVICE_PASS && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1201
    atomicAdd(reinterpret_cast<float4*>(sums), make_float4(added.red, added.green, added.blue, added.weight));
#else
    atomic::add(&sums->red, added.red);
    atomic::add(&sums->green, added.green);
    atomic::add(&sums->blue, added.blue);
    atomic::add(&sums->weight, added.weight);
#endif
  }
};

static_assert(word_voxel_policy<fixed_point> && packing_voxel_policy<fixed_point> &&
              column_voxel_policy<fixed_point, block_side>);

}  // namespace cutsdf::inline v0::voxel
