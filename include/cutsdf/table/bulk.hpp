// Many blocks at once: what the calls of block_table run.
#pragma once

#include <cutsdf/space/warp.hpp>
#include <cutsdf/table/block_table_ref.hpp>

namespace cutsdf::inline v0::detail {

/// Key of item i, given as a block or as its key; empty_key for one that no key can name.
CUTSDF_HD inline block_key key_at(const vec3i* blocks, std::int64_t i)
{
  const vec3i block = blocks[i];
  return has_key(block) ? key_of(block) : empty_key;
}
CUTSDF_HD inline block_key key_at(const block_key* keys, std::int64_t i)
{
  const block_key key = keys[i];
  return key >> 63 == 0 ? key : empty_key;
}

/// Finds or inserts one item a call.
template <class Policies, class Item>
struct insert_each {
  block_table_ref<Policies> table;
  const Item* items;
  std::uint32_t* indices;  // may be null

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const block_key key = key_at(items, i);
    std::uint32_t slot  = no_slot;
    if (!is_empty(key)) { slot = table.insert(block_of_key(key)); }
    if (indices != nullptr) { indices[i] = slot == no_slot ? no_index : table.index_at(slot); }
  }
};

/// Finds or inserts several items a call, so that their trips to memory overlap, with one addition to the counter for
/// all that a warp adds. Needs calls(count) calls.
template <class Policies, class Item>
struct insert_together {
  static constexpr int number            = 4;
  static constexpr int elements_per_call = number;

  block_table_ref<Policies> table;
  const Item* items;
  std::int64_t count;
  std::uint32_t* indices;  // may be null
  std::int64_t tiles;      // in each stream, see first_of()

  /// Whole warps, for they act together.
  static std::int64_t calls(std::int64_t count) { return (count + warp * number - 1) / (warp * number) * warp; }

  static insert_together of(block_table_ref<Policies> table, std::span<const Item> items, std::uint32_t* indices)
  {
    return {table, items.data(), std::ssize(items), indices, calls(std::ssize(items)) / (tile * streams)};
  }

  CUTSDF_HD void operator()(std::int64_t call) const
  {
    const std::int64_t first = first_of(call);
    block_key key[number];
    block_key seen[number];
    std::uint32_t slot[number];
    std::uint32_t index[number];
    CUTSDF_UNROLLED
    for (int k = 0; k < number; ++k) {
      const std::int64_t i = first + k * warp;
      key[k]               = i < count ? key_at(items, i) : empty_key;
      slot[k]              = hash::of_key<typename Policies::hash_type>(key[k]) & table.mask;
    }
    CUTSDF_UNROLLED
    for (int k = 0; k < number; ++k) {
      index[k] = no_index;
      seen[k]  = is_empty(key[k]) ? key[k] : table.look(slot[k], index[k]);
    }
    std::uint32_t won  = 0;  // by bits
    std::uint32_t open = 0;
    CUTSDF_UNROLLED
    for (int k = 0; k < number; ++k) {
      if (seen[k] != key[k]) { index[k] = no_index; }
#if CUTSDF_X_TOGETHER
      if (!is_empty(key[k]) && is_empty(seen[k])) {
        bool mine = false;
        seen[k]   = table.claim_slot(slot[k], key[k], mine);
        if (mine) { won |= 1u << k; }
      }
#endif
      if (seen[k] != key[k]) { open |= 1u << k; }
    }
    // What one look did not settle is rare, or the rest waits anyway: one after the other, in one copy of the code.
    while (open != 0) {
      const std::uint32_t bit = open & (~open + 1);
      open ^= bit;
      block_key wanted = key[0];
      CUTSDF_UNROLLED
      for (int k = 1; k < number; ++k) {
        if (bit == 1u << k) { wanted = key[k]; }
      }
      bool mine                 = false;
      const std::uint32_t found = table.put(wanted, mine);
      if (mine) { won |= bit; }
      CUTSDF_UNROLLED
      for (int k = 0; k < number; ++k) {
        if (bit == 1u << k) { slot[k] = found; }
      }
    }
    publish(won, key, slot, index);
    if (indices == nullptr) { return; }
    CUTSDF_UNROLLED
    for (int k = 0; k < number; ++k) {
      const std::int64_t i = first + k * warp;
      if (i >= count) { continue; }
      if (index[k] == no_index && !is_empty(key[k]) && slot[k] != no_slot) { index[k] = table.index_at(slot[k]); }
      indices[i] = index[k];
    }
  }

 private:
  static constexpr std::int64_t warp    = 32;
  static constexpr std::int64_t tile    = 256;
  static constexpr std::int64_t streams = 64;

  /// First item of a call; the next ones follow a warp's width apart. Neighbours in the input often are one block, or
  /// one that is new: thread blocks that run at the same time take their items from far apart, so that they do not all
  /// wait for the same few insertions.
  [[nodiscard]] CUTSDF_HD std::int64_t first_of(std::int64_t call) const
  {
#if CUTSDF_DEVICE_PASS
    const std::int64_t t = call / tile;
    if (t < tiles * streams) { call = (t % streams * tiles + t / streams) * tile + call % tile; }
#endif
    return call / warp * (warp * number) + call % warp;
  }

  /// Takes places for what the warp has won, in one go, and lets others find it.
  CUTSDF_HD void publish(std::uint32_t won, const block_key (&key)[number], const std::uint32_t (&slot)[number],
                         std::uint32_t (&index)[number]) const
  {
    using whole = cutsdf::warp::whole;
    std::uint32_t winners[number];
    std::uint32_t all = 0;
    CUTSDF_UNROLLED
    for (int k = 0; k < number; ++k) {
      winners[k] = whole::ballot((won >> k & 1) != 0);
      all += whole::count(winners[k]);
    }
    if (all == 0) { return; }
    std::uint32_t place = whole::fetch_add(table.used, all);
    CUTSDF_UNROLLED
    for (int k = 0; k < number; ++k) {
      if ((won >> k & 1) != 0) { index[k] = table.publish(slot[k], key[k], place + whole::count_before(winners[k])); }
      place += whole::count(winners[k]);
    }
  }
};

/// Looks one item up a call.
template <class Policies, class Item>
struct find_each {
  block_table_ref<Policies> table;
  const Item* items;
  std::uint32_t* indices;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const block_key key = key_at(items, i);
    indices[i]          = is_empty(key) ? no_index : table.find_key(key);
  }
};

}  // namespace cutsdf::inline v0::detail
