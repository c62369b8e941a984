// Probe policies: how a linear probe through the table ends.
#pragma once

#include <cutsdf/space/config.hpp>

#include <concepts>
#include <cstdint>

namespace cutsdf::inline v0 {

/// A probe policy has a static
///   `walk(std::uint32_t first, std::uint32_t mask, visit) -> bool`
/// that calls `visit(slot) -> bool` for slots first, first + 1, ... (modulo mask + 1) until visit returns true (the
/// probe is resolved: walk returns true) or the policy gives up (walk returns false); and
///   `bound(std::uint32_t capacity) -> std::uint32_t`,
/// the largest number of slots it visits: below the capacity, giving up means that the bound was reached, not that the
/// table is full.
template <class T>
concept probe_policy = requires(std::uint32_t n, bool (*visit)(std::uint32_t)) {
  { T::walk(n, n, visit) } -> std::same_as<bool>;
  { T::bound(n) } -> std::same_as<std::uint32_t>;
};

namespace probe {

/// Stops at the key or an empty slot, after at most one turn round the whole table: what CUDA C++ and Rust write.
struct unbounded {
  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return capacity; }

  template <class Visit>
  CUTSDF_HD static bool walk(std::uint32_t first, std::uint32_t mask, const Visit& visit)
  {
    std::uint32_t slot = first & mask;
    const auto last    = (first - 1) & mask;
    for (;;) {
      if (visit(slot)) { return true; }
      if (slot == last) { return false; }
      slot = (slot + 1) & mask;
    }
  }
};

/// Gives up after N slots: a compile-time bound, still with an exit of each thread's own. Loses blocks whose chain is
/// longer; each loss is counted.
template <std::uint32_t N>
struct bounded {
  static_assert(N > 0, "cutsdf::probe::bounded<N>: N must be at least 1");

  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return N < capacity ? N : capacity; }

  template <class Visit>
  CUTSDF_HD static bool walk(std::uint32_t first, std::uint32_t mask, const Visit& visit)
  {
    const std::uint32_t steps = bound(mask + 1);
    for (std::uint32_t step = 0; step < steps; ++step) {
      if (visit((first + step) & mask)) { return true; }
    }
    return false;
  }
};

}  // namespace probe
}  // namespace cutsdf::inline v0
