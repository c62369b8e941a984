// Index policies: where the number of a new block, its place in the pool, comes from.
#pragma once

#include <concepts>

namespace cutsdf::inline v0 {

/// An index policy has a static bool `from_slot`. One that has a static bool `per_warp` too, and true, is asked once
/// for all threads of a warp that need a place at the same time.
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

/// The same counter, for speed. Threads of a warp that meet, with one block or with several, exchange a key once and
/// take their places with one addition; in a bulk call all threads of a group do. On the device publication and wait
/// order nothing but the index itself: keys and voxels of a block that was inserted in the same kernel are not for
/// others to read.
struct warp_counter {
  static constexpr bool from_slot = false;
  static constexpr bool per_warp  = true;
};

/// The place is the slot: nothing to publish, nothing to wait for; the pool is as large as the table.
struct slot {
  static constexpr bool from_slot = true;
};

}  // namespace index
}  // namespace cutsdf::inline v0
