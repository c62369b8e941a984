// The smallest voxel: 4 bytes of geometry, 8 bytes of colour, apart.
//
//   geometry   31..16 mean distance, signed, steps of 1/32767   15..0 weight, steps of 1/16, stops at weight_limit
//   color      see color_word.hpp
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/voxel/color_word.hpp>

namespace cutsdf::inline v0::voxel {

/// A running mean in 16 bits: 12 bytes a voxel, half of what the default takes, and half the memory traffic of a depth
/// image. Each observation rounds the mean to 1/32767 of the truncation, so the order of observations shows; a voxel
/// that has been seen more than weight_limit times follows new observations as a moving average. Made for depth images:
/// points are added one sample at a time.
struct mean16 {
  struct arrays {
    std::uint32_t* geometry;
    std::uint64_t* color;
  };

  static constexpr std::int64_t bytes_per_voxel = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  static constexpr float color_front_vox        = 1.0f;
  static constexpr float color_back_vox         = 1.0f;
  static constexpr float distance_steps         = 32767.0f;
  static constexpr float weight_steps           = 16.0f;
  static constexpr float weight_limit           = 128.0f;  // the step that a full voxel still takes is 1/256 of the way
  static constexpr float least_weight           = 1.0f / weight_steps;
  static constexpr float most_weight            = weight_limit;

  static arrays bind(void* memory, std::int64_t voxels)
  {
    auto* color = static_cast<std::uint64_t*>(memory);
    return {reinterpret_cast<std::uint32_t*>(color + voxels), color};
  }

  template <class F>
  CUTSDF_INLINE static mask_of<F> wants_color(F distance, F truncation_vox)
  {
    const F voxels = ieee::mul(distance, truncation_vox);
    return (voxels <= F(color_front_vox)) & (voxels >= F(-color_back_vox));
  }

  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const observation& o)
  {
    std::uint32_t seen = atomic::load_relaxed(a.geometry + i);
    for (;;) {
      const std::uint32_t before = atomic::compare_exchange(a.geometry + i, seen, folded(seen, o.distance, o.weight));
      if (before == seen) { break; }
      seen = before;
    }
    if (o.colored) { color_word::add(a.color + i, o.color, o.weight); }
  }

  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const observation& o)
  {
    a.geometry[i] = folded(a.geometry[i], o.distance, o.weight);
    if (o.colored) { fold_color(a, i, o.color, o.weight); }
  }

  template <int N>
  CUTSDF_HD static void fold_column(const arrays& a, std::int64_t i, std::int64_t stride, const float (&distance)[N])
  {
    std::uint32_t words[N];
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      words[k] = load_where(is_seen(distance[k]), a.geometry + (i + k * stride));
    }
    CUTSDF_UNROLLED
    for (int k = 0; k < N; ++k) {
      if (is_seen(distance[k])) { a.geometry[i + k * stride] = folded(words[k], distance[k], 1.0f); }
    }
  }

  CUTSDF_HD static void fold_color(const arrays& a, std::int64_t i, rgb8 color, float weight)
  {
    a.color[i] = color_word::blended(a.color[i], color, weight);
  }

  CUTSDF_HD static voxel_value read(const arrays& a, std::int64_t i)
  {
    const std::uint32_t word = a.geometry[i];
    return {ieee::div(mean_of(word), distance_steps), ieee::mul(weight_of(word), 1.0f / weight_steps)};
  }

  CUTSDF_HD static voxel_color read_color(const arrays& a, std::int64_t i) { return color_word::read(a.color[i]); }

  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.geometry[j] = from.geometry[i];
    to.color[j]    = from.color[i];
  }

 private:
  CUTSDF_HD static float mean_of(std::uint32_t word)
  {
    return static_cast<float>(static_cast<std::int32_t>(word) >> 16);
  }
  CUTSDF_HD static float weight_of(std::uint32_t word) { return static_cast<float>(word & 0xffffu); }

  CUTSDF_HD static std::uint32_t folded(std::uint32_t word, float distance, float weight)
  {
    const auto added  = static_cast<float>(ieee::floor_to_int(ieee::add(ieee::mul(weight, weight_steps), 0.5f)));
    const float old   = weight_of(word);
    const float total = ieee::add(old, added);
    const float sum   = ieee::add(ieee::mul(mean_of(word), old), ieee::mul(ieee::mul(distance, distance_steps), added));
    const std::int32_t mean = ieee::floor_to_int(ieee::add(ieee::div(sum, total), 0.5f));
    constexpr float most    = weight_limit * weight_steps;
    return static_cast<std::uint32_t>(mean) << 16 | static_cast<std::uint32_t>(total < most ? total : most);
  }
};

static_assert(column_voxel_policy<mean16, block_side>);

}  // namespace cutsdf::inline v0::voxel
