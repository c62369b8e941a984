// Probe policies: how a linear probe through the table ends.
#pragma once

#include <cutsdf/grid/coordinate.hpp>

#include <concepts>

namespace cutsdf::inline v0 {

/// No slot: the probe gave up, or the key is not in the table.
inline constexpr std::uint32_t no_slot = 0xffffffffu;

/// A probe policy has a static
///   `walk(std::uint32_t first, std::uint32_t mask, block_key key, load, claim) -> std::uint32_t`
/// that looks for `key` in slots first, first + 1, ... (modulo mask + 1): `load(slot)` reads a slot's key, and
/// `claim(slot)`, for one that was read as empty, says whose it is after all: `key` (it is ours now), another key that
/// was quicker, or empty_key to end the probe. It returns the slot of `key`, or no_slot when the probe ended without it
/// or the policy gave up. And a static
///   `bound(std::uint32_t capacity) -> std::uint32_t`,
/// the largest number of slots it visits: below the capacity, giving up means that the bound was reached, not that the
/// table is full.
// clang-format off
template <class T>
concept probe_policy = requires(std::uint32_t n, block_key key, block_key (*read)(std::uint32_t)) {
  { T::walk(n, n, key, read, read) } -> std::same_as<std::uint32_t>;
  { T::bound(n) } -> std::same_as<std::uint32_t>;
};
// clang-format on

namespace probe {

namespace detail {
/// Visits `count` (> 0) slots at most, leaving as soon as the probe is resolved. The inner loop only reads: with the
/// compare-exchange outside, it is a few instructions long.
template <class Load, class Claim>
CUTSDF_HD std::uint32_t leave_early(std::uint32_t first, std::uint32_t mask, std::uint32_t count, block_key key,
                                    const Load& load, const Claim& claim)
{
  std::uint32_t slot      = first & mask;
  const std::uint32_t end = (slot + count) & mask;
  block_key seen          = load(slot);
  for (;;) {
    while (seen != key && !is_empty(seen)) {
      slot = (slot + 1) & mask;
      if (slot == end) { return no_slot; }
      seen = load(slot);
    }
    if (seen == key) { return slot; }
    seen = claim(slot);
    if (is_empty(seen)) { return no_slot; }
  }
}
}  // namespace detail

/// Stops at the key or an empty slot, after at most one turn round the whole table: what CUDA C++ and Rust write.
struct unbounded {
  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return capacity; }

  template <class Load, class Claim>
  CUTSDF_HD static std::uint32_t walk(std::uint32_t first, std::uint32_t mask, block_key key, const Load& load,
                                      const Claim& claim)
  {
    return detail::leave_early(first, mask, mask + 1, key, load, claim);
  }
};

/// Gives up after N slots: a compile-time bound, still with an exit of each thread's own. Loses blocks whose chain is
/// longer; each loss is counted.
template <std::uint32_t N>
struct bounded {
  static_assert(N > 0, "cutsdf::probe::bounded<N>: N must be at least 1");

  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return N < capacity ? N : capacity; }

  template <class Load, class Claim>
  CUTSDF_HD static std::uint32_t walk(std::uint32_t first, std::uint32_t mask, block_key key, const Load& load,
                                      const Claim& claim)
  {
    return detail::leave_early(first, mask, bound(mask + 1), key, load, claim);
  }
};

}  // namespace probe
}  // namespace cutsdf::inline v0
