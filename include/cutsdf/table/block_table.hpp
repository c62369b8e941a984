// The hash table that maps blocks to places in a pool: owner.
#pragma once

#include <cutsdf/space/buffer.hpp>
#include <cutsdf/table/bulk.hpp>

#include <bit>

namespace cutsdf::inline v0 {

/// Open-addressing hash table, 16 bytes an entry; move-only.
///
/// The table's capacity and the pool's are independent, except with index::slot, where the pool is as large as the
/// table. Keys are never removed, except by clear().
template <class Space, class Policies = policies<>>
class block_table {
 public:
  using space_type  = Space;
  using stream_type = typename Space::stream_type;
  using ref_type    = block_table_ref<Policies>;

  /// `table_capacity`: number of slots, a power of two in [2, 2^31]. `block_capacity`: places in the pool, in
  /// [1, 2^31]; ignored with index::slot. `scratch_slots`: words that exchange::unmasked aims at, a power of two;
  /// ignored otherwise. Empty at first. Does not wait. Throws invalid_argument or out_of_memory.
  block_table(std::int64_t table_capacity, std::int64_t block_capacity, stream_type stream,
              typename Space::resource& memory = Space::default_resource(), std::int64_t scratch_slots = 1 << 16)
    : stream_(stream), entries_(checked(table_capacity), stream, memory),
      keys_(places(table_capacity, block_capacity), stream, memory), used_(counter_words, stream, memory),
      scratch_(checked_scratch(scratch_slots), stream, memory)
  {
    clear();
  }

  [[nodiscard]] std::int64_t capacity() const noexcept { return entries_.size(); }
  [[nodiscard]] std::int64_t block_capacity() const noexcept { return keys_.size(); }
  [[nodiscard]] std::size_t bytes() const noexcept
  {
    return entries_.bytes() + keys_.bytes() + used_.bytes() + scratch_.bytes();
  }
  [[nodiscard]] stream_type stream() const noexcept { return stream_; }

  /// Runs later calls on another stream; the caller orders the two streams.
  void set_stream(stream_type stream) noexcept
  {
    stream_ = stream;
    entries_.set_stream(stream);
    keys_.set_stream(stream);
    used_.set_stream(stream);
    scratch_.set_stream(stream);
  }

  /// View for kernels. Whoever has it may write, also through a table that is const here.
  [[nodiscard]] ref_type ref() const noexcept
  {
    auto& self = const_cast<block_table&>(*this);
    return {self.entries_.data(),
            self.keys_.data(),
            self.used_.data(),
            static_cast<std::uint32_t>(capacity() - 1),
            static_cast<std::uint32_t>(block_capacity()),
            self.scratch_.data(),
            static_cast<std::uint32_t>(self.scratch_.size() - 1)};
  }

  /// Forgets every block. Does not wait.
  void clear()
  {
    entries_.fill_bytes(0xff);
    keys_.fill_bytes(0xff);
    used_.fill_bytes(0);
    scratch_.fill_bytes(0);  // no exchange with "empty" succeeds there
  }

  /// Number of distinct keys, those without storage included. Waits.
  [[nodiscard]] std::int64_t size() const
  {
    std::uint32_t used = 0;
    Space::copy_out(stream_, &used, used_.data(), sizeof used);
    return used;
  }

  /// Finds or inserts `blocks` (in the table's space, repeats allowed); `indices[i]` becomes the place of blocks[i],
  /// no_storage when the pool is full, or no_index when the probe gave up or the block has no key. `indices` may be
  /// null. Does not wait.
  void insert_async(std::span<const vec3i> blocks, std::uint32_t* indices) { insert_items(blocks, indices); }

  /// The same by keys; what no block has for a key, empty_key for one, gets no_index.
  void insert_keys_async(std::span<const block_key> keys, std::uint32_t* indices) { insert_items(keys, indices); }

  /// Looks `blocks` up (in the table's space); `indices[i]` as in insert_async, no_index for an absent block. Does not
  /// wait.
  void find_async(std::span<const vec3i> blocks, std::uint32_t* indices) const
  {
    Space::for_each(stream_, std::ssize(blocks), detail::find_each<Policies, vec3i>{ref(), blocks.data(), indices});
  }

  /// The same by keys.
  void find_keys_async(std::span<const block_key> keys, std::uint32_t* indices) const
  {
    Space::for_each(stream_, std::ssize(keys), detail::find_each<Policies, block_key>{ref(), keys.data(), indices});
  }

 private:
  /// The counter, and in the next line of the cache the note that block_table_ref leaves there.
  static constexpr std::int64_t counter_words = 64;

  template <class Item>
  void insert_items(std::span<const Item> items, std::uint32_t* indices)
  {
    if constexpr (ref_type::counts_per_warp) {
      using functor = detail::insert_group<Policies, Item>;
      Space::template for_each_group<functor::threads>(stream_, nullptr, functor::groups(std::ssize(items)),
                                                       functor{ref(), items.data(), std::ssize(items), indices});
    } else {
      Space::for_each(stream_, std::ssize(items), detail::insert_each<Policies, Item>{ref(), items.data(), indices});
    }
  }

  static constexpr std::int64_t most = std::int64_t{1} << 31;

  static std::int64_t checked(std::int64_t table_capacity)
  {
    detail::require(
      table_capacity >= 2 && table_capacity <= most && std::has_single_bit(static_cast<std::uint64_t>(table_capacity)),
      "table_capacity", table_capacity, "a power of two from 2 to 2^31");
    return table_capacity;
  }

  static std::int64_t places(std::int64_t table_capacity, std::int64_t block_capacity)
  {
    if (Policies::index_type::from_slot) { return table_capacity; }
    detail::require(block_capacity >= 1 && block_capacity <= most, "block_capacity", block_capacity, "from 1 to 2^31");
    return block_capacity;
  }

  static std::int64_t checked_scratch(std::int64_t slots)
  {
    if (!Policies::exchange_type::every_step) { return 0; }
    detail::require(slots >= 1 && slots <= most && std::has_single_bit(static_cast<std::uint64_t>(slots)),
                    "scratch_slots", slots, "a power of two from 1 to 2^31");
    return slots;
  }

  stream_type stream_;
  buffer<table_entry, Space> entries_;
  buffer<block_key, Space> keys_;
  buffer<std::uint32_t, Space> used_;
  buffer<std::uint64_t, Space> scratch_;
};

}  // namespace cutsdf::inline v0
