// Allocation policies: which blocks a depth image brings into being.
#pragma once

#include <concepts>

namespace cutsdf::inline v0 {

/// An allocation policy has a static bool `sees_through`.
// clang-format off
template <class T>
concept allocation_policy = requires {
  { T::sees_through } -> std::convertible_to<bool>;
};
// clang-format on

namespace allocation {

/// Those of the truncation band.
struct band {
  static constexpr bool sees_through = false;
};

/// Those between the smallest believed depth and the surface as well: what a camera has looked through is known to be
/// empty then, and what once stood there is carved away. Costs memory and time in proportion to the space seen.
struct free_space {
  static constexpr bool sees_through = true;
};

}  // namespace allocation
}  // namespace cutsdf::inline v0
