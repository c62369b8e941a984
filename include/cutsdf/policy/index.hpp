// Index policies: where the number of a new block, its place in the pool, comes from.
#pragma once

#include <concepts>

namespace cutsdf::inline v0 {

/// An index policy has a static bool `from_slot`.
// clang-format off
template <class T>
concept index_policy = requires {
  { T::from_slot } -> std::convertible_to<bool>;
};
// clang-format on

namespace index {

/// A counter gives the next free place, published after the key: blocks lie densely in the pool, and the table may be
/// of any size. A reader that sees the key before the index waits.
struct counter {
  static constexpr bool from_slot = false;
};

/// The place is the slot: nothing to publish, nothing to wait for; the pool is as large as the table.
struct slot {
  static constexpr bool from_slot = true;
};

}  // namespace index
}  // namespace cutsdf::inline v0
