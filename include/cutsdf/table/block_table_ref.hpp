// The hash table as kernels see it: a handful of pointers, passed by value.
//
//   entry (16 bytes)   key 8 | index 4 | stamp 4        all ones: empty, not published, never claimed
//   keys               key of the block at each place of the pool; all ones: no block there
//
// Insertion: a compare-exchange publishes the key. With index::counter the winner then takes a place from the counter,
// writes that place's key, and publishes the place with release; whoever matched the key meanwhile waits for it with
// acquire. When the pool is full the winner publishes `no_storage` instead: taking the key back would cut the probe
// chains that run across it and leave the waiting threads waiting for ever.
//
// With index::warp_counter threads of a warp that claim the same slot for the same key exchange once, and the winners
// take their places when all of them have done probing, with one addition. Nothing waits between an exchange and its
// publication, so that whoever waits is waiting for a thread that runs.
#pragma once

#include <cutsdf/policy/policies.hpp>
#include <cutsdf/space/atomic.hpp>
#include <cutsdf/space/cache.hpp>
#include <cutsdf/space/warp.hpp>

#include <type_traits>

namespace cutsdf::inline v0 {

/// Not in the table, or not published yet.
inline constexpr std::uint32_t no_index = 0xffffffffu;
/// In the table, but the pool had no room for it.
inline constexpr std::uint32_t no_storage = 0xfffffffeu;
struct alignas(16) table_entry {
  block_key key;
  std::uint32_t index;
  std::uint32_t stamp;
};
static_assert(sizeof(table_entry) == 16);

namespace detail {
template <class Policies, class Item>
struct insert_group;
}

/// Non-owning view of a block_table; trivially copyable, valid while the table lives (moving the owner keeps it).
///
/// A full pool does not fill the table: keys without storage leave about its last eighth empty, so that probes stay
/// short. Blocks beyond that get no key at all.
///
/// insert, find_slot, search, find, index_at and claim may run concurrently with each other from any number of threads
/// of the table's space; keys[] and places() are for when no insertion is running. With load::plain a lookup may miss a
/// block that was inserted in the same kernel (the first-level cache answers); an insertion never does. Blocks passed
/// in must satisfy has_key(). Expected O(1); the worst case is Probe::bound(capacity) slots.
template <class Policies>
struct block_table_ref {
  using policies_type = Policies;
  using hash_type     = typename Policies::hash_type;
  using probe_type    = typename Policies::probe_type;
  using load_type     = typename Policies::load_type;
  using index_type    = typename Policies::index_type;
  using exchange_type = typename Policies::exchange_type;
  using lookup_type   = typename Policies::lookup_type;

  static constexpr bool counts_per_warp = requires { requires index_type::per_warp; }
  &&!exchange_type::every_step;

  table_entry* entries;
  block_key* keys;
  std::uint32_t* used;  // distinct keys inserted, those without storage included
  std::uint32_t mask;   // table capacity - 1
  std::uint32_t block_capacity;
  std::uint64_t* scratch;      // where exchange::unmasked aims what must have no effect
  std::uint32_t scratch_mask;  // its slots - 1

  /// Finds or inserts a block; returns its slot, or no_slot when the probe gave up (see gives_up_at_bound()). The
  /// index may not be published yet when this returns; index_at() waits for it. `lane` says where in the scratch region
  /// exchange::unmasked aims.
  CUTSDF_HD std::uint32_t insert(vec3i block, std::uint32_t lane = 0) const
  {
    const block_key key = key_of(block);
    if constexpr (counts_per_warp) {
      bool won                 = false;
      const std::uint32_t slot = put(key, won);
      if (won) { static_cast<void>(publish(slot, key, atomic::take_number(used))); }
      return slot;
    } else {
      return probe_type::walk(hash_type::hash(block), mask, key, reader(), inserter{*this, key, lane});
    }
  }

  /// Slot of a block, or no_slot when it is not in the table.
  [[nodiscard]] CUTSDF_HD std::uint32_t find_slot(vec3i block) const
  {
    return lookup_type::walk(hash_type::hash(block), mask, key_of(block), reader(), visitor{});
  }

  /// What is known of a block after search() or insert().
  struct sighting {
    std::uint32_t slot;   // no_slot: it is not in the table
    std::uint32_t index;  // what index_at(slot) returns; no_index where that is still to be asked
    std::uint32_t stamp;  // of the slot, where it comes with the key; all ones where not
    std::uint32_t end;    // the empty slot at which a probe for it ended, or no_slot
    std::uint32_t full;   // not zero: no more keys are taken
  };

  /// find_slot() for who inserts what is missing.
  [[nodiscard]] CUTSDF_HD sighting search(vec3i block) const
  {
    sighting seen{no_slot, no_index, no_index, no_slot, 0};
    if constexpr (counts_per_warp) { seen.full = full_now(); }
    const auto read = [&](std::uint32_t slot) { return look(slot, seen.index, seen.stamp); };
    seen.slot       = lookup_type::walk(hash_type::hash(block), mask, key_of(block), read, ending_visitor{&seen.end});
    if (seen.slot == no_slot) { seen.index = seen.stamp = no_index; }  // they were those of the slot read last
    return seen;
  }

  /// insert() of a block that search() has not found, `seen` becoming what is known now. It goes on where that ended,
  /// and knows the place of a block that it has put in itself: up to three trips to memory less.
  CUTSDF_HD void insert(vec3i block, sighting& seen) const
  {
    if constexpr (counts_per_warp && std::is_same_v<lookup_type, probe_type>) {
      const block_key key = key_of(block);
      bool won            = false;
      block_key found     = empty_key;
      if (seen.end != no_slot) { found = claim_slot(seen.end, key, won, seen.full); }
      seen.slot = found == key ? seen.end : no_slot;
      // Somebody else's, or none was seen; one that stays empty says that no more keys are taken.
      if (found != key && (seen.end == no_slot || !is_empty(found))) { seen.slot = put(key, won); }
      if (won) { seen.index = publish(seen.slot, key, atomic::take_number(used)); }
    } else {
      seen.slot = insert(block);
    }
  }

  /// insert() for the lanes of one thread of a tile program; `slots[k]` is no_slot where a lane is not active. `lane`
  /// numbers lane 0 of this thread among all programs' lanes, lane k is `lane + k * threads`.
  template <int Lanes>
  CUTSDF_HD void insert_lanes(const vec3i (&blocks)[Lanes], const bool (&active)[Lanes], std::uint32_t lane,
                              std::uint32_t (&slots)[Lanes]) const
  {
    std::uint32_t first[Lanes];
    block_key key[Lanes];
    inserter claim[Lanes];
    for (int k = 0; k < Lanes; ++k) {
      first[k] = hash_type::hash(blocks[k]);
      key[k]   = key_of(blocks[k]);
      claim[k] = {*this, key[k], lane + static_cast<std::uint32_t>(k * probe_type::threads)};
    }
    probe_type::walk_lanes(first, mask, key, active, reader(), claim, slots);
  }

  /// find_slot() for the lanes of one thread of a tile program.
  template <int Lanes>
  CUTSDF_HD void find_lanes(const vec3i (&blocks)[Lanes], const bool (&active)[Lanes],
                            std::uint32_t (&slots)[Lanes]) const
  {
    std::uint32_t first[Lanes];
    block_key key[Lanes];
    visitor claim[Lanes];
    for (int k = 0; k < Lanes; ++k) {
      first[k] = hash_type::hash(blocks[k]);
      key[k]   = key_of(blocks[k]);
    }
    lookup_type::walk_lanes(first, mask, key, active, reader(), claim, slots);
  }

  /// Place in the pool of the block in `slot`, or no_storage. Spins until the thread that inserts it has published it.
  /// Orders nothing else on the device: voxels and keys[] written in the same kernel need an acquire of one's own.
  [[nodiscard]] CUTSDF_HD std::uint32_t index_at(std::uint32_t slot) const
  {
    if constexpr (index_type::from_slot) {
      return slot;
    } else {
      std::uint32_t index = index_now(slot);
      while (index == no_index) {
        atomic::wait_turn();
        if constexpr (counts_per_warp && CUTSDF_DEVICE_PASS != 0) {
          index = atomic::load_relaxed(&entries[slot].index);
        } else {
          index = atomic::load_acquire(&entries[slot].index);
        }
      }
      return index;
    }
  }

  /// Place in the pool of a block; no_index when it is not in the table, no_storage when it has no room.
  [[nodiscard]] CUTSDF_HD std::uint32_t find(vec3i block) const { return find_key(key_of(block)); }

  /// The same by the block's key.
  [[nodiscard]] CUTSDF_HD std::uint32_t find_key(block_key key) const
  {
    std::uint32_t index      = no_index;
    const std::uint32_t slot = seek(key, index);
    return index != no_index || slot == no_slot ? index : index_at(slot);
  }

  /// Whether this is the first call for `slot` since its stamp was another (any value but all ones). Exactly one of any
  /// number of concurrent callers with the same stamp is told so; different stamps must not be in use at once.
  [[nodiscard]] CUTSDF_HD bool claim(std::uint32_t slot, std::uint32_t stamp) const
  {
#if CUTSDF_DEVICE_PASS
    if (entries[slot].stamp == stamp) { return false; }
#else
    if (atomic::load_relaxed(&entries[slot].stamp) == stamp) { return false; }
#endif
    return atomic::exchange(&entries[slot].stamp, stamp) != stamp;
  }

  /// Why a probe that gave up did so: true when a bound below the capacity was reached, false when the table is full.
  [[nodiscard]] CUTSDF_HD bool gives_up_at_bound() const
  {
    return probe_type::bound(mask + 1) < mask + 1 || lookup_type::bound(mask + 1) < mask + 1;
  }

  /// Number of places in the pool that may hold a block: [0, places()) with keys[place] != empty_key.
  [[nodiscard]] CUTSDF_HD std::uint32_t places() const
  {
    if constexpr (index_type::from_slot) { return block_capacity; }
    const std::uint32_t n = atomic::load_relaxed(used);
    return n < block_capacity ? n : block_capacity;
  }

 private:
  template <class, class>
  friend struct detail::insert_group;

  /// Where, behind `used` and in another line of the cache, it is noted that only_markers_left().
  static constexpr int full_note = 32;

  [[nodiscard]] CUTSDF_HD auto reader() const
  {
    return [this](std::uint32_t slot) { return load_type::load(&entries[slot].key); };
  }

  /// Key in a slot, and with load::entry its index; no_index where that is not known.
  [[nodiscard]] CUTSDF_HD block_key look(std::uint32_t slot, std::uint32_t& index) const
  {
    std::uint32_t stamp;
    return look(slot, index, stamp);
  }

  /// The same, and with load::entry the stamp; no_index where that is not known.
  [[nodiscard]] CUTSDF_HD block_key look(std::uint32_t slot, std::uint32_t& index, std::uint32_t& stamp) const
  {
#if CUTSDF_DEVICE_PASS
    if constexpr (requires { requires load_type::whole_entry; }) {
      const ulonglong2 both = *reinterpret_cast<const ulonglong2*>(entries + slot);
      index                 = static_cast<std::uint32_t>(both.y);
      stamp                 = static_cast<std::uint32_t>(both.y >> 32);
      return both.x;
    }
#endif
    index = no_index;
    stamp = no_index;
    return load_type::load(&entries[slot].key);
  }

  /// Slot of a key, or no_slot. `index` becomes the key's where it came with it, no_index otherwise.
  [[nodiscard]] CUTSDF_HD std::uint32_t seek(block_key key, std::uint32_t& index) const
  {
    const auto read          = [&](std::uint32_t slot) { return look(slot, index); };
    const std::uint32_t slot = lookup_type::walk(hash::of_key<hash_type>(key), mask, key, read, visitor{});
    if (slot == no_slot) { index = no_index; }  // it was that of the slot read last
    return slot;
  }

  /// What is published of the index in a slot; no_index before that.
  [[nodiscard]] CUTSDF_HD std::uint32_t index_now(std::uint32_t slot) const
  {
#if CUTSDF_DEVICE_PASS
    return entries[slot].index;  // cached; stale only as "not published"
#else
    return atomic::load_acquire(&entries[slot].index);
#endif
  }

  /// find_key() that does not wait: no_index also for a key whose index is not published yet.
  [[nodiscard]] CUTSDF_HD std::uint32_t find_published(block_key key) const
  {
    std::uint32_t index      = no_index;
    const std::uint32_t slot = seek(key, index);
    return index != no_index || slot == no_slot ? index : index_now(slot);
  }

  /// insert() in two halves. This one puts the key in; where `won` becomes true the caller owes it a publish(), before
  /// it waits for anything.
  CUTSDF_HD std::uint32_t put(block_key key, bool& won) const
  {
    const std::uint32_t full = full_now();  // asked for together with the first key
    return probe_type::walk(hash::of_key<hash_type>(key), mask, key, reader(), claimer{*this, key, &won, full});
  }

  struct claimer {
    block_table_ref table;
    block_key key;
    bool* won;
    std::uint32_t full;
    CUTSDF_HD block_key operator()(std::uint32_t slot) const { return table.claim_slot(slot, key, *won, full); }
  };

  /// Whose a slot is that was read as empty: see probe_policy. `won` becomes true when it is this thread's.
  CUTSDF_HD block_key claim_slot(std::uint32_t slot, block_key key, bool& won, std::uint32_t full) const
  {
    block_key* const address = &entries[slot].key;
    if (full != 0) { return exchange_type::compare_exchange(address, empty_key, empty_key); }
    const warp::peers here(slot);
    const block_key spoken_for = here.first(key);
    const bool asks            = here.rank() == 0 || spoken_for != key;
    block_key before           = empty_key;
    if (asks) { before = exchange_type::compare_exchange(address, empty_key, key); }
    const block_key told = here.first(before);
    if (!asks) { before = told; }
    if (!is_empty(before)) { return before; }
    won = asks;
    return key;
  }

  /// Gives a key its place and lets others find it; returns what they will find. Bulk: one of so many that the cache
  /// does not hold what they write.
  template <bool Bulk = false>
  CUTSDF_HD std::uint32_t publish(std::uint32_t slot, block_key key, std::uint32_t place) const
  {
    const bool stored = place < block_capacity;
    if (stored && !Bulk) { keys[place] = key; }
    if (stored && Bulk) { cache::write_once(keys + place, key); }
    const std::uint32_t index = stored ? place : no_storage;
    if constexpr (counts_per_warp && CUTSDF_DEVICE_PASS != 0) {
      if constexpr (Bulk) {
        cache::store_relaxed_last(&entries[slot].index, index);
      } else {
        atomic::store_relaxed(&entries[slot].index, index);
      }
    } else if constexpr (!index_type::from_slot) {
      atomic::store_release(&entries[slot].index, index);
    }
    if constexpr (counts_per_warp) {
      if (!stored && place >= mask - (mask >> 3)) { atomic::store_relaxed(used + full_note, 1u); }
    }
    return index;
  }

  /// What a lookup does at an empty slot: it ends.
  struct visitor {
    CUTSDF_HD block_key operator()(std::uint32_t) const { return empty_key; }
  };

  /// The same, and says at which.
  struct ending_visitor {
    std::uint32_t* end;
    CUTSDF_HD block_key operator()(std::uint32_t slot) const
    {
      *end = slot;
      return empty_key;
    }
  };

  /// What an insertion does at an empty slot.
  struct inserter {
    static constexpr bool every_step = exchange_type::every_step;

    block_table_ref table;
    block_key key;
    std::uint32_t lane;

    CUTSDF_HD block_key operator()(std::uint32_t slot) const
    {
      const block_key offered = offer();
      const block_key before  = exchange_type::compare_exchange(&table.entries[slot].key, empty_key, offered);
      if (!is_empty(before)) { return before; }
      if (!is_empty(offered)) { publish(slot, take_place(slot)); }
      return offered;
    }

    // The same in steps, for a probe that does not branch: offer() once, then exchange() at every slot and, where that
    // has won it (it was wanted, and found empty), take_place() and publish().

    /// The key; nothing where another key would be one too many: the exchange then only sees the truth, for the slot
    /// may only have looked empty.
    CUTSDF_HD block_key offer() const { return !index_type::from_slot && table.only_markers_left() ? empty_key : key; }

    /// The compare-exchange alone: at `slot` where it is wanted, in the scratch region where not. Returns what it
    /// found.
    CUTSDF_HD block_key exchange(std::uint32_t slot, block_key offered, bool wanted) const
    {
      block_key* const address = wanted ? &table.entries[slot].key : table.scratch + (lane & table.scratch_mask);
      return exchange_type::compare_exchange(address, empty_key, offered);
    }

    /// The place in the pool of a slot that was won; block_capacity or more when there is no room.
    CUTSDF_HD std::uint32_t take_place(std::uint32_t slot) const
    {
      const std::uint32_t taken = atomic::fetch_add(table.used, std::uint32_t{1});
      return index_type::from_slot ? slot : taken;
    }

    /// Lets others find the block at its place.
    CUTSDF_HD void publish(std::uint32_t slot, std::uint32_t place) const
    {
      static_cast<void>(table.publish(slot, key, place));
    }
  };

  /// Not zero where only_markers_left(), as it was noted; with counts_per_warp.
  [[nodiscard]] CUTSDF_HD std::uint32_t full_now() const
  {
#if CUTSDF_DEVICE_PASS
    return used[full_note];  // cached, and in a line that nobody adds to
#else
    return atomic::load_relaxed(used + full_note);
#endif
  }

  /// Whether the pool is full and the table nearly so: another marker would only make every probe longer.
  [[nodiscard]] CUTSDF_HD bool only_markers_left() const
  {
    if constexpr (counts_per_warp) { return full_now() != 0; }
#if CUTSDF_DEVICE_PASS
    const std::uint32_t keys_taken = *used;  // cached: a few markers too many do no harm, another trip to L2 would
#else
    const std::uint32_t keys_taken = atomic::load_relaxed(used);
#endif
    return keys_taken >= block_capacity && keys_taken > mask - (mask >> 3);
  }
};

static_assert(std::is_trivially_copyable_v<block_table_ref<policies<>>>);

}  // namespace cutsdf::inline v0
