// A colour in 8 bytes: a running mean.
//
//   63..48 weight   47..32 blue   31..16 green   15..0 red
//   channels are means in 1/256 steps, the weight counts 1/16 steps and stops at weight_limit
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/voxel/voxel.hpp>

namespace cutsdf::inline v0::voxel {

/// The mean is rounded to 1/256 of a level, and once its weight has reached weight_limit it follows new observations as
/// a moving average, so no number of observations overflows it.
struct color_word {
  static constexpr std::uint32_t weight_unit  = 16;
  static constexpr std::uint32_t weight_limit = 255 * weight_unit;

  CUTSDF_HD static std::uint64_t blended(std::uint64_t word, rgb8 color, float weight)
  {
    const auto unit    = static_cast<float>(weight_unit);
    const auto limit   = static_cast<float>(weight_limit);
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
    const auto kept = total < static_cast<std::int32_t>(weight_limit) ? total : static_cast<std::int32_t>(weight_limit);
    return mean(0, color.r) | mean(16, color.g) | mean(32, color.b) | static_cast<std::uint64_t>(kept) << 48;
  }

  CUTSDF_HD static voxel_color read(std::uint64_t word)
  {
    constexpr float level = 1.0f / 256.0f;
    const auto channel    = [&](int shift) { return static_cast<float>(word >> shift & 0xffff) * level; };
    return {{channel(0), channel(16), channel(32)},
            static_cast<float>(word >> 48) * (1.0f / static_cast<float>(weight_unit))};
  }

  /// From many threads at once.
  CUTSDF_HD static void add(std::uint64_t* word, rgb8 color, float weight)
  {
    std::uint64_t seen = atomic::load_relaxed(word);
    for (;;) {
      const std::uint64_t before = atomic::compare_exchange(word, seen, blended(seen, color, weight));
      if (before == seen) { return; }
      seen = before;
    }
  }
};

}  // namespace cutsdf::inline v0::voxel
