// What a voxel policy is.
#pragma once

#include <cutsdf/grid/coordinate.hpp>

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
/// and, where there is a faster way for what need not be the same to the last bit (ray casts):
///
///   read_approx(arrays, i) -> voxel_value   as read(), to a few units in the last place; any distance where weight is
///   0
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

}  // namespace cutsdf::inline v0
