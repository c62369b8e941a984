// Probe policies: in which order a probe goes through the table, and how it ends.
#pragma once

#include <cutsdf/grid/coordinate.hpp>
#include <cutsdf/space/atomic.hpp>

#include <concepts>

namespace cutsdf::inline v0 {

/// No slot: the probe gave up, or the key is not in the table.
inline constexpr std::uint32_t no_slot = 0xffffffffu;

/// A probe policy has a static
///   `walk(std::uint32_t first, std::uint32_t mask, block_key key, load, claim) -> std::uint32_t`
/// that looks for `key` slot by slot, from slot first (modulo mask + 1) on, where the next is first + 1 unless the
/// policy says otherwise: `load(slot)` reads a slot's key, and `claim(slot)`, for one that was read as empty, says
/// whose it is after all: `key` (it is ours now), another key that was quicker, or empty_key to end the probe. It
/// returns the slot of `key`, or no_slot when the probe ended without it or the policy gave up. And a static
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

/// How the lanes of a tile program are laid out: `threads` threads, each owning `lanes_per_thread` lanes, lane l of
/// them in thread l mod threads. Beside walk() it has a static
///   `walk_lanes(first, mask, key, active, load, claim, found)`,
/// all but `mask` and `load` arrays of a thread's lanes: walk() for those that are active, `found[k]` its result. Every
/// thread of a program calls it together.
// clang-format off
template <class T>
concept tile_probe_policy = probe_policy<T> && requires {
  { T::threads } -> std::convertible_to<int>;
  { T::lanes_per_thread } -> std::convertible_to<int>;
};
// clang-format on

namespace probe {

namespace detail {
/// Whether a claim is to be issued at every step, wanted or not. Such a claim comes in steps: `offer()` gives the key
/// to put in, `exchange(slot, offered, wanted)` what it found there, and where it was wanted and found nothing the slot
/// is ours: `publish(slot, take_place(slot))`.
// clang-format off
template <class Claim>
concept issued_at_every_step = requires { requires Claim::every_step; };
// clang-format on

/// Visits `count` (> 0) slots at most, leaving as soon as the probe is resolved. The inner loop only reads: with the
/// compare-exchange outside, it is a few instructions long.
template <class Load, class Claim>
CUTSDF_HD std::uint32_t leave_early(std::uint32_t first, std::uint32_t mask, std::uint32_t count, block_key key,
                                    const Load& load, const Claim& claim)
{
  std::uint32_t slot = first & mask;
  if constexpr (issued_at_every_step<Claim>) {
    const block_key offered = claim.offer();
    for (; count > 0; --count) {
      block_key seen         = load(slot);
      const bool open        = is_empty(seen);
      const block_key before = claim.exchange(slot, offered, open);
      if (open) {
        seen = is_empty(before) ? offered : before;
        if (is_empty(before) && !is_empty(offered)) { claim.publish(slot, claim.take_place(slot)); }
      }
      if (seen == key) { return slot; }
      if (is_empty(seen)) { return no_slot; }
      slot = (slot + 1) & mask;
    }
    return no_slot;
  }
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

/// Looks at all slots of an aligned bucket of N, then at another bucket, by double hashing; ends as unbounded does. The
/// slots of a bucket come in the order first ^ 0, first ^ 1, ...: neighbours in one 32-byte sector of memory first, and
/// a bucket of the default size is the 64 bytes that a GPU fetches at once. In a nearly full table a chain stays short,
/// for what overflows a bucket does not push its neighbours'.
template <std::uint32_t N = 4>
struct bucketed {
  static_assert(N > 0 && (N & (N - 1)) == 0, "cutsdf::probe::bucketed<N>: N must be a power of two");

  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return capacity; }

  template <class Load, class Claim>
  CUTSDF_HD static std::uint32_t walk(std::uint32_t first, std::uint32_t mask, block_key key, const Load& load,
                                      const Claim& claim)
  {
    std::uint32_t start = first & mask;
    std::uint32_t slot  = start;
    std::uint32_t seen  = 0;  // slots, without the present one
    block_key found     = load(slot);
    for (;;) {
      while (found != key && !is_empty(found)) {
        if (seen == mask) { return no_slot; }
        ++seen;
        if (seen % N == 0) { start = (start + step(key)) & mask; }
        slot  = start ^ (seen % N);
        found = load(slot);
      }
      if (found == key) { return slot; }
      found = claim(slot);
      if (is_empty(found)) { return no_slot; }
    }
  }

 private:
  /// From bucket to bucket: an odd number of them, so that all are visited. Not the hash again: keys that share a
  /// bucket should part.
  CUTSDF_HD static constexpr std::uint32_t step(block_key key)
  {
    return (static_cast<std::uint32_t>(key * 0x9fb21c651e98df25ull >> 35) | 1u) * N;
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

/// What a tile language without early exit compiles to: every lane runs all N steps. A resolved lane still loads, and
/// with exchange::unmasked still issues its compare-exchange. The loop is unrolled. Loses blocks as bounded<N> does.
template <std::uint32_t N>
struct lockstep {
  static_assert(N > 0, "cutsdf::probe::lockstep<N>: N must be at least 1");

  static constexpr int threads          = 128;
  static constexpr int lanes_per_thread = 2;

  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return N < capacity ? N : capacity; }

  /// One lane by itself.
  template <class Load, class Claim>
  CUTSDF_HD static std::uint32_t walk(std::uint32_t first, std::uint32_t mask, block_key key, const Load& load,
                                      const Claim& claim)
  {
    std::uint32_t found[1];
    walk_lanes({first}, mask, {key}, {true}, load, {claim}, found);
    return found[0];
  }

  /// The lanes of one thread, step by step together; `found[k]` becomes the slot of lane k's key, or no_slot. A lane
  /// that is not active is resolved from the start.
  template <int Lanes, class Load, class Claim>
  CUTSDF_HD static void walk_lanes(const std::uint32_t (&first)[Lanes], std::uint32_t mask,
                                   const block_key (&key)[Lanes], const bool (&active)[Lanes], const Load& load,
                                   const Claim (&claim)[Lanes], std::uint32_t (&found)[Lanes])
  {
    std::uint32_t slot[Lanes];
    bool resolved[Lanes];
    for (int k = 0; k < Lanes; ++k) {
      slot[k]     = first[k] & mask;
      resolved[k] = !active[k];
      found[k]    = no_slot;
    }
    block_key offered[Lanes]{};
    if constexpr (detail::issued_at_every_step<Claim>) {
      for (int k = 0; k < Lanes; ++k) {
        offered[k] = claim[k].offer();
      }
    }
    CUTSDF_UNROLLED
    for (std::uint32_t step = 0; step < N; ++step) {
      block_key seen[Lanes];
      bool open[Lanes];
      for (int k = 0; k < Lanes; ++k) {
        seen[k] = load(slot[k]);
        open[k] = !resolved[k] && is_empty(seen[k]);
      }
      if constexpr (detail::issued_at_every_step<Claim>) {
        // Stage by stage for all lanes, as a tile language does it: the trips to memory of a thread's lanes overlap.
        bool won[Lanes];
        std::uint32_t place[Lanes];
        for (int k = 0; k < Lanes; ++k) {
          const block_key before = claim[k].exchange(slot[k], offered[k], open[k]);
          won[k]                 = open[k] && is_empty(before) && !is_empty(offered[k]);
          if (open[k]) { seen[k] = is_empty(before) ? offered[k] : before; }
        }
        for (int k = 0; k < Lanes; ++k) {
          place[k] = won[k] ? claim[k].take_place(slot[k]) : 0;
        }
        for (int k = 0; k < Lanes; ++k) {
          if (won[k]) { claim[k].publish(slot[k], place[k]); }
        }
      } else {
        for (int k = 0; k < Lanes; ++k) {
          if (open[k]) { seen[k] = claim[k](slot[k]); }
        }
      }
      for (int k = 0; k < Lanes; ++k) {
        const bool hit = !resolved[k] && seen[k] == key[k];
        found[k]       = hit ? slot[k] : found[k];
        resolved[k]    = resolved[k] || hit || (open[k] && is_empty(seen[k]));
        slot[k]        = resolved[k] ? slot[k] : (slot[k] + 1) & mask;
      }
    }
  }
};

/// An idealised tile language: no bound, but the program goes on until its deepest lane is done; resolved lanes idle,
/// also with exchange::unmasked.
template <int Lanes>
struct tile_uniform_of {
  static_assert(Lanes >= 1 && Lanes <= 1024, "cutsdf::probe::tile_uniform_of<Lanes>: a thread block has 1 to 1024");

  static constexpr int threads          = Lanes;
  static constexpr int lanes_per_thread = 1;

  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return capacity; }

  /// One lane by itself.
  template <class Load, class Claim>
  CUTSDF_HD static std::uint32_t walk(std::uint32_t first, std::uint32_t mask, block_key key, const Load& load,
                                      const Claim& claim)
  {
    return detail::leave_early(first, mask, mask + 1, key, load, claim);
  }

  /// The same as a whole program: every thread of the block calls this together.
  template <class Load, class Claim>
  CUTSDF_HD static void walk_lanes(const std::uint32_t (&first)[1], std::uint32_t mask, const block_key (&key)[1],
                                   const bool (&active)[1], const Load& load, const Claim (&claim)[1],
                                   std::uint32_t (&found)[1])
  {
    std::uint32_t slot = first[0] & mask;
    std::uint32_t left = active[0] ? mask + 1 : 0;
    found[0]           = no_slot;
    while (atomic::any_in_block(left > 0)) {
      // On the CPU the vote is the lane's own, so that the loop is its probe.
      if (left == 0) { continue; }
      block_key seen = load(slot);
      if (is_empty(seen)) {
        seen = claim[0](slot);
        if (is_empty(seen)) {
          left = 0;
          continue;
        }
      }
      if (seen == key[0]) {
        found[0] = slot;
        left     = 0;
      } else {
        slot = (slot + 1) & mask;
        --left;
      }
    }
  }
};

/// The same with the tile that the study's other tile programs have.
using tile_uniform = tile_uniform_of<256>;

}  // namespace probe
}  // namespace cutsdf::inline v0
