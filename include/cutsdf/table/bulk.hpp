// Many blocks at once: what the calls of block_table run.
#pragma once

#include <cutsdf/space/bits.hpp>
#include <cutsdf/space/warp.hpp>
#include <cutsdf/table/block_table_ref.hpp>

namespace cutsdf::inline v0::detail {

/// A word that is read or written once: it is not to push what is needed again out of the device's cache.
template <class T>
CUTSDF_HD T read_once(const T* address)
{
#if CUTSDF_DEVICE_PASS
#ifndef TUNE_CS
  return __ldg(address);
#else
  return __ldcs(address);
#endif
#else
  return *address;
#endif
}
CUTSDF_HD inline void write_once(std::uint32_t* address, std::uint32_t value)
{
#if CUTSDF_DEVICE_PASS
  __stcs(address, value);
#else
  *address = value;
#endif
}

/// Key of item i, given as a block or as its key; empty_key for one that no key can name.
CUTSDF_HD inline block_key key_at(const vec3i* blocks, std::int64_t i)
{
  const vec3i block{read_once(&blocks[i].x), read_once(&blocks[i].y), read_once(&blocks[i].z)};
  return has_key(block) ? key_of(block) : empty_key;
}
CUTSDF_HD inline block_key key_at(const block_key* keys, std::int64_t i)
{
  const block_key key = read_once(keys + i);
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

#ifndef TUNE_EACH
#define TUNE_EACH 4
#endif
#ifndef TUNE_THREADS
#define TUNE_THREADS 256
#endif
#ifndef TUNE_PAD
#define TUNE_PAD 0
#endif
/// Finds or inserts the items of a group of threads, several a thread. Those that are in the table already are answered
/// at once, nobody waiting for anybody; for the others the group goes round by round, an item a thread, with one
/// addition to the counter for all that are new.
template <class Policies, class Item>
struct insert_group {
  static constexpr int threads = TUNE_THREADS;
  static constexpr int rounds  = TUNE_EACH;
  static constexpr int size    = threads * rounds;  // items of a group
#ifdef TUNE_EARLY
  static constexpr bool launches_early = true;
#endif

  block_table_ref<Policies> table;
  const Item* items;
  std::int64_t count;
  std::uint32_t* indices;  // may be null

  struct scratch {
    std::uint32_t winners[2];  // in the rounds with an even number, and an odd one
    std::uint32_t place[2];    // of the first of them
#if TUNE_PAD
    std::uint32_t pad[TUNE_PAD / 4];
#endif
  };

  static std::int64_t groups(std::int64_t count) { return (count + size - 1) / size; }

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch& shared) const
  {
    const std::int64_t first = first_of(i);
    const bool whole         = first + size <= count;
    typename Group::template own<share> own;
    const bool any = group.any([&](int t) {
      own[t].open = whole ? find(first + t) : all;
      if (t == 0) { shared.winners[0] = 0; }
#if TUNE_PAD
      if (count == -1) shared.pad[t] = 0;
#endif
      return own[t].open != 0;
    });
    if (!any) { return; }
    CUTSDF_ROLLED
    for (int round = 0; round < rounds; ++round) {
      const int side = round & 1;  // one round's threads may still read what another's have begun to write
      group.for_each(threads, [&](int t) {
        share& mine          = own[t];
        const std::int64_t k = first + t + round * threads;
        mine.active          = (mine.open >> round & 1u) != 0 && k < count;
        put(k, mine);
#ifdef TUNE_PREFETCH
        if (round + 1 < rounds && k + threads < count) { prefetch(k + threads); }
#endif
        const std::uint32_t winners = warp::those(mine.won);
        if (winners != 0) {
          const auto of_warp = static_cast<std::uint32_t>(bits::count(winners));
          mine.before = warp::once([&] { return group.add(shared.winners[side], of_warp); }) + warp::before_this(winners);
        }
      });
      group.for_each(threads, [&](int t) {
        if (t != 0) { return; }
        const std::uint32_t winners = shared.winners[side];
        if (winners != 0) { shared.place[side] = atomic::fetch_add(table.used, winners); }
        shared.winners[side ^ 1] = 0;
      });
      group.run([&](int t) {
        share& mine = own[t];
        if (mine.won) { mine.index = table.publish(mine.slot, mine.key, shared.place[side] + mine.before); }
      });
      // Not before all of the group is published: who waits would wait for itself.
      group.run([&](int t) {
        share& mine = own[t];
        if (indices == nullptr || !mine.active) { return; }
        if (mine.slot != no_slot && mine.index == no_index) { mine.index = table.index_at(mine.slot); }
        write_once(indices + first + t + round * threads, mine.index);
      });
    }
  }

 private:
  static constexpr std::uint32_t all = (std::uint32_t{1} << rounds) - 1;

  /// What a thread knows of its items.
  struct share {
    std::uint32_t open;  // by bits: those that are not answered yet
    // Of the item of this round:
    bool active;
    bool won;              // its slot is new
    std::uint32_t before;  // how many others' are that come before it
    block_key key;
    std::uint32_t slot;   // no_slot: refused, or the probe gave up
    std::uint32_t index;  // no_index: not known yet
  };

  /// Answers a thread's items, `first` and every so many, that are found where their probes begin; the others by bits.
  CUTSDF_HD std::uint32_t find(std::int64_t first) const
  {
    block_key key[rounds];
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      key[k] = key_at(items + first, k * threads);
    }
    std::uint32_t index[rounds];
    bool known[rounds];
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      known[k] = table.look(hash::of_key<typename Policies::hash_type>(key[k]) & table.mask, index[k]) == key[k];
      known[k] = known[k] && index[k] != no_index;
      // Where most are new, so are the rest; what is fetched long before it is needed has left the cache by then.
      if (k == 0 && bits::count(warp::those(!known[0])) > 16) { return all; }
    }
    std::uint32_t open = 0;
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      if (!known[k]) {
        open |= 1u << k;
      } else if (indices != nullptr) {
        write_once(indices + first + k * threads, index[k]);
      }
    }
    return open;
  }

  /// Puts the key of item i in.
  CUTSDF_HD void put(std::int64_t i, share& mine) const
  {
    mine.won   = false;
    mine.slot  = no_slot;
    mine.index = no_index;
    mine.key   = mine.active ? key_at(items, i) : empty_key;
    if (is_empty(mine.key)) { return; }
    const std::uint32_t home = hash::of_key<typename Policies::hash_type>(mine.key) & table.mask;
#ifdef TUNE_XF
    if (mine.open == all) {
      if (table.claim_slot(home, mine.key, mine.won) == mine.key) {
        mine.slot = home;
      } else {
        mine.slot = table.put(mine.key, mine.won);
      }
      return;
    }
#endif
    if (table.look(home, mine.index) == mine.key) {
      mine.slot = home;
    } else {
      mine.index = no_index;
      mine.slot  = table.put(mine.key, mine.won);
    }
  }

#ifdef TUNE_PREFETCH
  CUTSDF_HD void prefetch(std::int64_t i) const
  {
#if CUTSDF_DEVICE_PASS
    const block_key key      = key_at(items, i);
    const std::uint32_t home = hash::of_key<typename Policies::hash_type>(key) & table.mask;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(table.entries + home)));
#endif
  }
#endif

  /// First item of a group. Neighbours in the input often are one block, and a new one: groups that run at the same
  /// time take their items from far apart, so that they do not all wait for the same few insertions.
  [[nodiscard]] CUTSDF_HD std::int64_t first_of(std::int64_t group) const
  {
#if CUTSDF_DEVICE_PASS
    constexpr std::uint32_t streams = 64;
    const auto each                 = static_cast<std::uint32_t>(count / (size * streams));
    const auto n                    = static_cast<std::uint32_t>(group);
    if (n < each * streams) { return static_cast<std::int64_t>(n % streams * each + n / streams) * size; }
#endif
    return group * size;
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
    write_once(indices + i, is_empty(key) ? no_index : table.find_key(key));
  }
};

}  // namespace cutsdf::inline v0::detail
