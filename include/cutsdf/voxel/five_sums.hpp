// Five float arrays: the layout of the paper.
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/voxel/voxel.hpp>

namespace cutsdf::inline v0::voxel {

/// Weighted sums of distance and the three channels, and the weight, each an array of its own: 20 bytes a voxel, five
/// float atomics a scattered observation. One weight serves distance and colour alike, so a volume should be given
/// colours always or never: given none, it reads as black with the distance's weight.
struct five_sums {
  struct arrays {
    float* distance;
    float* weight;
    float* red;
    float* green;
    float* blue;
  };

  static constexpr std::int64_t bytes_per_voxel = 5 * sizeof(float);

  static arrays bind(void* memory, std::int64_t voxels)
  {
    auto* first = static_cast<float*>(memory);
    return {first, first + voxels, first + 2 * voxels, first + 3 * voxels, first + 4 * voxels};
  }

  template <class F>
  CUTSDF_INLINE static mask_of<F> wants_color(F distance, F)
  {
    return distance == distance;
  }

  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const observation& o)
  {
    atomic::add(a.distance + i, o.distance * o.weight);
    atomic::add(a.weight + i, o.weight);
    if (o.colored) {
      atomic::add(a.red + i, static_cast<float>(o.color.r) * o.weight);
      atomic::add(a.green + i, static_cast<float>(o.color.g) * o.weight);
      atomic::add(a.blue + i, static_cast<float>(o.color.b) * o.weight);
    }
  }

  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const observation& o)
  {
    a.distance[i] = ieee::add(a.distance[i], ieee::mul(o.distance, o.weight));
    a.weight[i]   = ieee::add(a.weight[i], o.weight);
    if (o.colored) { fold_color(a, i, o.color, o.weight); }
  }

  template <int N>
  CUTSDF_INLINE static void fold_row(const arrays& a, std::int64_t i, pack<float, N> distance,
                                     mask_of<pack<float, N>> seen)
  {
    using F = pack<float, N>;
    const F nothing(-0.0f);  // changes no sum, not even 0 or -0
    (F::load(a.distance + i) + select(seen, distance, nothing)).store(a.distance + i);
    (F::load(a.weight + i) + select(seen, F(1.0f), nothing)).store(a.weight + i);
  }

  CUTSDF_HD static void fold_color(const arrays& a, std::int64_t i, rgb8 color, float weight)
  {
    const auto fold_channel = [weight](float& sum, std::uint8_t value) {
      sum = ieee::add(sum, ieee::mul(static_cast<float>(value), weight));
    };
    fold_channel(a.red[i], color.r);
    fold_channel(a.green[i], color.g);
    fold_channel(a.blue[i], color.b);
  }

  CUTSDF_HD static voxel_value read(const arrays& a, std::int64_t i)
  {
    const float weight = a.weight[i];
    return {weight > 0.0f ? ieee::div(a.distance[i], weight) : 0.0f, weight};
  }

  CUTSDF_HD static voxel_value read_sums(const arrays& a, std::int64_t i) { return {a.distance[i], a.weight[i]}; }

  CUTSDF_HD static voxel_color read_color_sums(const arrays& a, std::int64_t i)
  {
    return {{a.red[i], a.green[i], a.blue[i]}, a.weight[i]};
  }

  CUTSDF_HD static voxel_color read_color(const arrays& a, std::int64_t i)
  {
    const float weight = a.weight[i];
    if (!(weight > 0.0f)) { return {{0.0f, 0.0f, 0.0f}, 0.0f}; }
    const vec3f sum{a.red[i], a.green[i], a.blue[i]};
    return {{ieee::div(sum.x, weight), ieee::div(sum.y, weight), ieee::div(sum.z, weight)}, weight};
  }

  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.distance[j] = from.distance[i];
    to.weight[j]   = from.weight[i];
    to.red[j]      = from.red[i];
    to.green[j]    = from.green[i];
    to.blue[j]     = from.blue[i];
  }
};

static_assert(voxel_policy<five_sums>);

}  // namespace cutsdf::inline v0::voxel
