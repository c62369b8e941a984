// Many blocks at once: what the calls of block_table run.
#pragma once

#include <cutsdf/space/bits.hpp>
#include <cutsdf/space/cache.hpp>
#include <cutsdf/space/warp.hpp>
#include <cutsdf/table/block_table_ref.hpp>

namespace cutsdf::inline v0::detail {

/// Key of item i, given as a block or as its key; empty_key for one that no key can name. `read` reads its words.
template <class Read>
CUTSDF_HD block_key key_at(const vec3i* blocks, std::int64_t i, const Read& read)
{
  const vec3i block{read(&blocks[i].x), read(&blocks[i].y), read(&blocks[i].z)};
  return has_key(block) ? key_of(block) : empty_key;
}
template <class Read>
CUTSDF_HD block_key key_at(const block_key* keys, std::int64_t i, const Read& read)
{
  const block_key key = read(keys + i);
  return key >> 63 == 0 ? key : empty_key;
}

/// The same for items that are read for the last time.
template <class Item>
CUTSDF_HD block_key last_key_at(const Item* items, std::int64_t i)
{
  return key_at(items, i, [](const auto* address) { return cache::read_once(address); });
}

/// Finds or inserts one item a call.
template <class Policies, class Item>
struct insert_each {
  block_table_ref<Policies> table;
  const Item* items;
  std::uint32_t* indices;  // may be null

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const block_key key = last_key_at(items, i);
    std::uint32_t slot  = no_slot;
    if (!is_empty(key)) { slot = table.insert(block_of_key(key)); }
    if (indices != nullptr) { indices[i] = slot == no_slot ? no_index : table.index_at(slot); }
  }
};

/// Finds or inserts the items of a group of threads, several a thread. What is in the table already is answered first,
/// no thread waiting for another. For the rest the group goes round by round, an item a thread, with one addition to
/// the counter for all that are new.
template <class Policies, class Item>
struct insert_group {
  static constexpr bool launches_early = true;
  static constexpr int threads         = 256;
  static constexpr int rounds          = 2;
  static constexpr int size            = threads * rounds;  // items of a group

  block_table_ref<Policies> table;
  const Item* items;
  std::int64_t count;
  std::uint32_t* indices;  // may be null

  /// By rounds with an even number and with an odd one: some threads are in the next while others end the last.
  struct scratch {
    std::uint32_t winners[2];  // how many slots are new
    std::uint32_t place[2];    // of the first of them
  };

  static std::int64_t groups(std::int64_t count) { return (count + size - 1) / size; }

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch& shared) const
  {
    const std::int64_t first = first_of(i);
    const bool whole         = first + size <= count;
    typename Group::template own<share> own;
    const bool open = group.any([&](int t) {
      if (t == 0) { shared.winners[0] = 0; }
      own[t].open = whole ? find(first + t) : every_round;
      return own[t].open != 0;
    });
    if (!open) { return; }
    CUTSDF_ROLLED
    for (int round = 0; round < rounds; ++round) {
      const int side = round & 1;
      group.for_each(threads, [&](int t) {
        const std::int64_t item = first + t + round * threads;
        own[t].active           = (own[t].open >> round & 1u) != 0 && item < count;
        put(item, own[t]);
        const std::uint32_t winners = warp::those(own[t].won);
        if (winners == 0) { return; }
        const auto add = [&] {
          return group.add(shared.winners[side], static_cast<std::uint32_t>(bits::count(winners)));
        };
        own[t].before = warp::once(add) + warp::before_this(winners);
      });
      group.once([&] {
        const std::uint32_t winners = shared.winners[side];
        if (winners != 0) { shared.place[side] = atomic::fetch_add(table.used, winners); }
        shared.winners[side ^ 1] = 0;
      });
      group.run([&](int t) {
        share& mine = own[t];
        if (mine.won) {
          mine.index = table.template publish<true>(mine.slot, mine.key, shared.place[side] + mine.before);
        }
      });
      // Not before all of the group is published: who waits would wait for itself.
      group.run([&](int t) {
        share& mine = own[t];
        if (indices == nullptr || !mine.active) { return; }
        if (mine.slot != no_slot && mine.index == no_index) { mine.index = table.index_at(mine.slot); }
        cache::write_once(indices + first + t + round * threads, mine.index);
      });
    }
  }

 private:
  static constexpr std::uint32_t every_round = (std::uint32_t{1} << rounds) - 1;

  /// What a thread knows of its items.
  struct share {
    std::uint32_t open;  // by bits, a round each: those that are not answered yet
    // Of the item of this round:
    bool active;
    bool won;              // its slot is new
    std::uint32_t before;  // how many new slots of the group come before it
    block_key key;
    std::uint32_t slot;   // no_slot: refused, or the probe gave up
    std::uint32_t index;  // no_index: not known yet
  };

  /// Answers what can be answered without waiting of a thread's items, `first` and every threads-th from there;
  /// returns the others, by bits.
  CUTSDF_HD std::uint32_t find(std::int64_t first) const
  {
    constexpr int several = 8;  // threads of a warp
    const auto read       = [](const auto* address) { return *address; };
    block_key key[rounds];
    std::uint32_t index[rounds];
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      key[k] = key_at(items + first, k * threads, read);
    }
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      cache::load_now(key[k]);
    }
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      const block_key seen = table.look(hash::of_key<typename Policies::hash_type>(key[k]) & table.mask, index[k]);
      if (seen != key[k]) { index[k] = no_index; }
      // A probe that begins at an empty slot is of a new key. Where several are new, so are more: what is fetched for
      // them long before it is needed would have left the cache by then.
      if (k == 0 && bits::count(warp::those(is_empty(seen))) >= several) { return every_round; }
    }
    std::uint32_t open = 0;
    CUTSDF_UNROLLED
    for (int k = 0; k < rounds; ++k) {
      if (index[k] == no_index) {
        open |= 1u << k;
      } else if (indices != nullptr) {
        cache::write_once(indices + first + k * threads, index[k]);
      }
    }
    if (open == 0) { return 0; }
    CUTSDF_ROLLED
    for (int k = 0; k < rounds; ++k) {
      if ((open >> k & 1u) == 0) { continue; }
      const block_key wanted   = key_at(items + first, k * threads, read);
      const std::uint32_t told = is_empty(wanted) ? no_index : table.find_published(wanted);
      if (told == no_index && !is_empty(wanted)) { continue; }
      if (indices != nullptr) { cache::write_once(indices + first + k * threads, told); }
      open &= ~(1u << k);
    }
    return open;
  }

  /// Puts the key of item i in.
  CUTSDF_HD void put(std::int64_t i, share& mine) const
  {
    mine.won   = false;
    mine.slot  = no_slot;
    mine.index = no_index;
    mine.key   = mine.active ? last_key_at(items, i) : empty_key;
    if (is_empty(mine.key)) { return; }
    const std::uint32_t home = hash::of_key<typename Policies::hash_type>(mine.key) & table.mask;
    if (table.look(home, mine.index) == mine.key) {
      mine.slot = home;
    } else {
      mine.index = no_index;
      mine.slot  = table.put(mine.key, mine.won);
    }
  }

  /// First item of a group. Neighbours in the input often are one block, and a new one: groups that run at the same
  /// time take their items from far apart, so that they do not all wait for the same few insertions.
  [[nodiscard]] CUTSDF_HD std::int64_t first_of(std::int64_t group) const
  {
#if CUTSDF_DEVICE_PASS
    constexpr std::uint32_t streams = 64;
    const auto each                 = static_cast<std::uint32_t>(count / (size * streams));
    const auto n                    = static_cast<std::uint32_t>(group);  // of 2^40 items at most
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
    const block_key key = last_key_at(items, i);
    cache::write_once(indices + i, is_empty(key) ? no_index : table.find_key(key));
  }
};

}  // namespace cutsdf::inline v0::detail
