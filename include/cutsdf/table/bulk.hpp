// Many blocks at once: what the calls of block_table run.
#pragma once

#include <cutsdf/space/bits.hpp>
#include <cutsdf/table/block_table_ref.hpp>

namespace cutsdf::inline v0::detail {

/// A word that is read or written once: it is not to push what is needed again out of the device's cache.
template <class T>
CUTSDF_HD T read_once(const T* address)
{
#if CUTSDF_DEVICE_PASS
  return __ldcs(address);
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

/// Finds or inserts the items of a group of threads: one addition to the counter for all that are new.
template <class Policies, class Item>
struct insert_group {
  static constexpr int threads = 256;

  block_table_ref<Policies> table;
  const Item* items;
  std::int64_t count;
  std::uint32_t* indices;  // may be null

  struct scratch {
    std::uint32_t slot[threads];      // no_slot where there is nothing to wait for
    std::uint32_t won[threads / 32];  // by bits: whose slot is new
    std::uint32_t place;              // of the first of them
  };

  static std::int64_t groups(std::int64_t count) { return (count + threads - 1) / threads; }

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch& shared) const
  {
    const std::int64_t first = first_of(i);
    group.mark(shared.won, threads, [&](int k) { return put(first + k, shared.slot[k]); });
    std::uint32_t winners = 0;
    for (const std::uint32_t word : shared.won) {
      winners += static_cast<std::uint32_t>(bits::count(word));
    }
    if (winners != 0) {
      group.for_each(1, [&](int) { shared.place = atomic::fetch_add(table.used, winners); });
      group.for_each(threads, [&](int k) { publish(first + k, k, shared); });
    }
    // Not before all of the group is published: who waits would wait for itself.
    group.for_each(threads, [&](int k) {
      if (indices != nullptr && shared.slot[k] != no_slot) {
        write_once(indices + first + k, table.index_at(shared.slot[k]));
      }
    });
  }

 private:
  /// Puts an item's key in, or writes its index where that is known at once; whether a place is owed.
  CUTSDF_HD bool put(std::int64_t i, std::uint32_t& slot) const
  {
    slot = no_slot;
    if (i >= count) { return false; }
    const block_key key = key_at(items, i);
    std::uint32_t index = no_index;
    bool won            = false;
    if (!is_empty(key)) {
      const std::uint32_t home = hash::of_key<typename Policies::hash_type>(key) & table.mask;
      if (table.look(home, index) == key) {
        slot = home;
      } else {
        index = no_index;
        slot  = table.put(key, won);
      }
    }
    if (indices != nullptr && (slot == no_slot || index != no_index)) {
      write_once(indices + i, index);
      slot = no_slot;
    }
    return won;
  }

  /// Gives a new key its place.
  CUTSDF_HD void publish(std::int64_t i, int k, scratch& shared) const
  {
    const int word = k / 32;
    if ((shared.won[word] >> (k % 32) & 1) == 0) { return; }
    int before = bits::count(shared.won[word] & ((std::uint32_t{1} << (k % 32)) - 1));
    for (int other = 0; other < word; ++other) {
      before += bits::count(shared.won[other]);
    }
    const std::uint32_t place = shared.place + static_cast<std::uint32_t>(before);
    const std::uint32_t index = table.publish(shared.slot[k], key_at(items, i), place);
    if (indices != nullptr) { write_once(indices + i, index); }
    shared.slot[k] = no_slot;
  }

  /// First item of a group. Neighbours in the input often are one block, and a new one: groups that run at the same
  /// time take their items from far apart, so that they do not all wait for the same few insertions.
  [[nodiscard]] CUTSDF_HD std::int64_t first_of(std::int64_t group) const
  {
#if CUTSDF_DEVICE_PASS
    constexpr std::int64_t streams = 64;
    const std::int64_t each        = count / (threads * streams);
    if (group < each * streams) { group = group % streams * each + group / streams; }
#endif
    return group * threads;
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
