// Visit policies: how often the walk along a ray asks the table for the block it is in.
#pragma once

#include <concepts>

namespace cutsdf::inline v0 {

/// A visit policy has a static bool `every_sample`.
// clang-format off
template <class T>
concept visit_policy = requires {
  { T::every_sample } -> std::convertible_to<bool>;
};
// clang-format on

namespace visit {

/// One lookup a sample, whatever the sample before it found: what the paper's kernels do.
struct samples {
  static constexpr bool every_sample = true;
};

/// One lookup each time the ray enters another block. Voxels that can be summed beforehand (packing_voxel_policy) are
/// then fused by warps, see fuse/points_combined.hpp.
struct blocks {
  static constexpr bool every_sample = false;
};

}  // namespace visit
}  // namespace cutsdf::inline v0
