// What a voxel policy is.
#pragma once

#include <cutsdf/grid/coordinate.hpp>
#include <cutsdf/space/load_where.hpp>

#include <concepts>
#include <type_traits>

namespace cutsdf::inline v0 {

/// One measurement of one voxel.
struct observation {
  float distance;  // signed distance / truncation, in [-1, 1], positive in front of the surface
  float weight;    // > 0
  bool colored;
  rgb8 color;  // only when colored
};

/// In place of a distance: no measurement. Distances are at most 1, and a few units in the last place more where a
/// division was approximate.
inline constexpr float unseen = 2.0f;
CUTSDF_HD constexpr bool is_seen(float distance) { return distance < unseen; }

/// What all measurements of a voxel say together. `weight` 0: never observed, and `distance` means nothing.
struct voxel_value {
  float distance;  // signed distance / truncation, in [-1, 1]
  float weight;
};

/// Mean colour of a voxel, 0 to 255 a channel. `weight` 0: never coloured.
struct voxel_color {
  vec3f rgb;
  float weight;
};

/// A voxel policy stores voxels in arrays of its choice and folds observations into them. All its members are static,
/// and all but bind() are called in kernels (CUTSDF_HD):
///
///   arrays                            trivially copyable; pointers into the pool
///   bytes_per_voxel                   a block takes 512 times as many
///   bind(memory, voxels) -> arrays    lays the arrays out over `bytes_per_voxel * voxels` bytes aligned to 256; voxels
///                                     is a multiple of 512; all-zero bytes must mean "never observed"
///   wants_color(distance, truncation_vox) -> bool   whether a colour at that normalised distance is worth storing
///   add(arrays, i, observation)       from many threads at once
///   fold(arrays, i, observation)      by the only thread that touches voxel i
///   read(arrays, i) -> voxel_value;  read_color(arrays, i) -> voxel_color
///   copy(from, i, to, j)              voxel i of one pool to voxel j of another
///
/// and optionally, where it stores sums:
///
///   read_sums(arrays, i) -> voxel_value   weight * distance, and the weight; read() gives ieee::div() of the two, and
///                                         distance 0 where the weight is
///   read_color_sums(arrays, i) -> voxel_color   weight * colour, and the weight; read_color() gives the two divided
///
/// and, where weights are limited:
///
///   least_weight, most_weight         a point's weight outside makes the point invalid; else 1e-12 to 1e12
// clang-format off
template <class V>
concept voxel_policy =
  std::is_trivially_copyable_v<typename V::arrays> &&
  requires(typename V::arrays a, void* memory, std::int64_t i, const observation& o, float f) {
    { V::bytes_per_voxel } -> std::convertible_to<std::int64_t>;
    { V::bind(memory, i) } -> std::same_as<typename V::arrays>;
    { V::wants_color(f, f) } -> std::same_as<bool>;
    V::add(a, i, o);
    V::fold(a, i, o);
    { V::read(a, i) } -> std::same_as<voxel_value>;
    { V::read_color(a, i) } -> std::same_as<voxel_color>;
    V::copy(a, i, a, i);
  };

/// A voxel policy whose observations of weight 1 can be packed into words, so that those of up to 32 threads are added as
/// integers before one of them stores the sum; the order of observations must not matter then. Without it, each sample
/// of a point's band is added by itself.
///
///   packed(float distance) -> std::uint32_t;  packed(rgb8) -> packed_color {red_green, blue}, words as well
///   add_packed(arrays, i, packed)     a sum of packed distances, or of packed colours, from many threads at once
template <class V>
concept packing_voxel_policy =
  voxel_policy<V> &&
  requires(typename V::arrays a, std::int64_t i, float distance, rgb8 color, std::uint32_t word) {
    { V::packed(distance) } -> std::same_as<std::uint32_t>;
    { V::packed(color).red_green } -> std::convertible_to<std::uint32_t>;
    { V::packed(color).blue } -> std::convertible_to<std::uint32_t>;
    V::add_packed(a, i, word, true);
    V::add_packed(a, i, V::packed(color));
  };

/// A voxel policy whose geometry is read as one word, from which more than the sums is seen at a glance:
///
///   read_word(arrays, i) -> word       zero where never observed
///   sums_of(word) -> voxel_value       what read_sums() gives
///   is_heavier(word, weight) -> bool   whether its weight is above that
///   is_front(word), is_behind(word) -> bool   whether its distance is above, or below, zero
template <class V>
concept word_voxel_policy =
  voxel_policy<V> &&
  requires(typename V::arrays a, std::int64_t i, float weight) {
    { V::sums_of(V::read_word(a, i)) } -> std::same_as<voxel_value>;
    { V::is_heavier(V::read_word(a, i), weight) } -> std::same_as<bool>;
    { V::is_front(V::read_word(a, i)) } -> std::same_as<bool>;
    { V::is_behind(V::read_word(a, i)) } -> std::same_as<bool>;
  };

/// Less than every weight that an observation may have, and no number at which a division becomes slow: to divide by in
/// place of zero.
inline constexpr float below_all_weights = 1.0e-20f;

/// A voxel as it is stored, for those who read many: nothing is computed before it is asked for, so that reads are not
/// held up by conversions, nor these by divisions.
template <class Voxel>
class stored_value {
 public:
  CUTSDF_HD static stored_value read(const typename Voxel::arrays& a, std::int64_t i)
  {
    stored_value value;
    if constexpr (is_word) {
      value.word_ = Voxel::read_word(a, i);
    } else if constexpr (has_sums) {
      value.word_ = Voxel::read_sums(a, i);
    } else {
      value.word_ = Voxel::read(a, i);
    }
    return value;
  }

  /// This, or a voxel that was never observed.
  [[nodiscard]] CUTSDF_HD stored_value where(bool exists) const
  {
    stored_value value;
    value.word_ = exists ? word_ : word{};
    return value;
  }

  /// Whether its weight is above `weight`.
  [[nodiscard]] CUTSDF_HD bool is_heavier(float weight) const
  {
    if constexpr (is_word) {
      return Voxel::is_heavier(word_, weight);
    } else {
      return word_.weight > weight;
    }
  }
  /// Whether its distance is above zero; where it was observed.
  [[nodiscard]] CUTSDF_HD bool is_front() const
  {
    if constexpr (is_word) {
      return Voxel::is_front(word_);
    } else {
      return word_.distance > 0.0f;
    }
  }
  /// Whether its distance is below zero; where it was observed.
  [[nodiscard]] CUTSDF_HD bool is_behind() const
  {
    if constexpr (is_word) {
      return Voxel::is_behind(word_);
    } else {
      return word_.distance < 0.0f;
    }
  }

  /// As Voxel::read() gives it.
  [[nodiscard]] CUTSDF_HD float distance() const
  {
    const voxel_value value = sums();
    if constexpr (has_sums) {
      // Where nothing was observed both sums are zero. No choice: loops over distances become vectors.
      return ieee::div(value.distance, approx::larger(value.weight, below_all_weights));
    } else {
      return value.distance;
    }
  }

  /// To a few units in the last place; any number where the weight is 0.
  [[nodiscard]] CUTSDF_HD float approx_distance() const { return approx_distance(sums()); }
  [[nodiscard]] CUTSDF_HD static float approx_distance(const voxel_value& sums)
  {
    if constexpr (has_sums) {
      return approx::div(sums.distance, sums.weight);
    } else {
      return sums.distance;
    }
  }

  /// What read_sums() gives, or read() where the policy has no sums.
  [[nodiscard]] CUTSDF_HD voxel_value sums() const
  {
    if constexpr (is_word) {
      return Voxel::sums_of(word_);
    } else {
      return word_;
    }
  }

 private:
  static constexpr bool is_word = word_voxel_policy<Voxel>;
  static constexpr bool has_sums =
    is_word || requires(typename Voxel::arrays a, std::int64_t i) { { Voxel::read_sums(a, i) } -> std::same_as<voxel_value>; };

  static auto word_type()
  {
    if constexpr (is_word) {
      return decltype(Voxel::read_word(std::declval<typename Voxel::arrays>(), 0)){};
    } else {
      return voxel_value{};
    }
  }
  using word = decltype(word_type());

  word word_;
};

/// The same for colours.
template <class Voxel>
struct stored_color {
  voxel_color stored;

  CUTSDF_HD static stored_color read(const typename Voxel::arrays& a, std::int64_t i)
  {
    if constexpr (has_sums) {
      return {Voxel::read_color_sums(a, i)};
    } else {
      return {Voxel::read_color(a, i)};
    }
  }

  /// What a colour that was read is to be multiplied by, to a few units in the last place; any number where there is
  /// none.
  [[nodiscard]] CUTSDF_HD float approx_scale() const
  {
    return has_sums ? approx::div(1.0f, approx::larger(stored.weight, below_all_weights)) : 1.0f;
  }

 private:
  static constexpr bool has_sums = requires(typename Voxel::arrays a, std::int64_t i) {
    { Voxel::read_color_sums(a, i) } -> std::same_as<voxel_color>;
  };
};

/// A voxel policy that can also fold N voxels at once, `stride` apart, as space::device does with depth images: where it
/// reads all of them before it writes the first, they are waited for together.
///
///   fold_column(arrays, i, stride, distance[N])   distances of weight 1 into voxels i, i + stride, ...; none into those
///                                                 whose distance is `unseen`
///   fold_color(arrays, i, rgb8, float weight)     the colour that goes with a distance folded before
template <class V, int N>
concept column_voxel_policy =
  voxel_policy<V> && requires(typename V::arrays a, std::int64_t i, const float (&distance)[N], rgb8 color, float weight) {
    V::fold_column(a, i, i, distance);
    V::fold_color(a, i, color, weight);
  };

/// A voxel policy that can also fold a row of voxels at once, as space::host does with depth images. F is a pack:
///
///   fold_row(arrays, i, F distance, mask_of<F> seen)   distances of weight 1 into voxels i, i + 1, ... where seen
///   fold_color(arrays, i, rgb8, float weight)          the colour that goes with a distance folded before
///   wants_color(F distance, F truncation_vox)          by lane
template <class V, class F>
concept row_voxel_policy =
  voxel_policy<V> &&
  requires(typename V::arrays a, std::int64_t i, F distance, mask_of<F> seen, rgb8 color, float weight) {
    V::fold_row(a, i, distance, seen);
    V::fold_color(a, i, color, weight);
    { V::wants_color(distance, distance) } -> std::same_as<mask_of<F>>;
  };
// clang-format on

/// The weights that a voxel policy can take.
struct weight_range {
  float least;
  float most;
};
template <voxel_policy V>
constexpr weight_range weights_of()
{
  if constexpr (requires { V::least_weight + V::most_weight; }) {
    return {V::least_weight, V::most_weight};
  } else {
    return {1.0e-12f, 1.0e12f};
  }
}

}  // namespace cutsdf::inline v0
