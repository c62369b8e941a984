// The distinct blocks that a group of threads meets: a small hash table in the memory that they share, so that the
// volume's table is asked once for each.
#pragma once

#include <cutsdf/grid/coordinate.hpp>
#include <cutsdf/space/atomic.hpp>
#include <cutsdf/space/warp.hpp>

namespace cutsdf::inline v0::detail {

/// Names for the blocks around another one, see block_itself: where they are from it, 10 bits an axis.
class block_names {
 public:
  static constexpr std::int32_t reach = 512;  // blocks to each side

  CUTSDF_HD explicit block_names(vec3i base) : base_(base - vec3i{reach, reach, reach}) {}

  /// Of a block within reach.
  [[nodiscard]] CUTSDF_HD std::uint32_t of(vec3i block) const { return packed(block) - packed(base_); }
  [[nodiscard]] CUTSDF_HD vec3i block(std::uint32_t name) const
  {
    return base_ + vec3i{static_cast<std::int32_t>(name & axis), static_cast<std::int32_t>(name >> bits & axis),
                         static_cast<std::int32_t>(name >> 2 * bits)};
  }

  CUTSDF_HD static constexpr std::uint32_t along_x() { return 1; }
  CUTSDF_HD static constexpr std::uint32_t along_y() { return 1u << bits; }
  CUTSDF_HD static constexpr std::uint32_t along_z() { return 1u << 2 * bits; }
  CUTSDF_HD static constexpr bool differ(std::uint32_t a, std::uint32_t b) { return a != b; }
  CUTSDF_HD static constexpr bool differ_on_x(std::uint32_t a, std::uint32_t b) { return ((a ^ b) & axis) != 0; }
  CUTSDF_HD static constexpr bool differ_on_y(std::uint32_t a, std::uint32_t b)
  {
    return ((a ^ b) & axis << bits) != 0;
  }
  CUTSDF_HD static constexpr bool differ_on_z(std::uint32_t a, std::uint32_t b)
  {
    return ((a ^ b) & axis << 2 * bits) != 0;
  }

 private:
  static constexpr int bits           = 10;
  static constexpr std::uint32_t axis = (1u << bits) - 1;
  static_assert(2 * reach == axis + 1);

  /// Of coordinates that need not fit: differences of such words do.
  CUTSDF_HD static std::uint32_t packed(vec3i block)
  {
    return static_cast<std::uint32_t>(block.x) + (static_cast<std::uint32_t>(block.y) << bits) +
           (static_cast<std::uint32_t>(block.z) << 2 * bits);
  }

  vec3i base_;
};

/// A set of names, in a group's scratch memory.
template <int CapacityLog2>
struct block_set {
  static constexpr int capacity = 1 << CapacityLog2;

  std::uint32_t names[capacity];  // nobody where free
  std::uint16_t order[capacity];  // the slots that are taken, in the order in which they were
  std::uint32_t size;

  /// What one of `Threads` threads does to empty it; all must have done it before anything else.
  template <int Threads>
  CUTSDF_HD void clear(int thread)
  {
    static_assert(capacity % Threads == 0);
    CUTSDF_UNROLLED
    for (int i = 0; i < capacity; i += Threads) {
      names[i + thread] = nobody;
    }
    if (thread == 0) { size = 0; }
  }

  /// From any number of threads at once. False when there is no room where the name belongs.
  CUTSDF_HD bool add(std::uint32_t name)
  {
    std::uint32_t slot = name * 0x9e3779b1u >> (32 - CapacityLog2);
    if (names[slot] == name) { return true; }
    CUTSDF_ROLLED
    for (int probe = 0; probe < most_probes; ++probe) {
      std::uint32_t found = names[slot];
      if (found == nobody) { found = take(slot, name); }
      if (found == name) { return true; }
      slot = (slot + 1) % capacity;
    }
    return false;
  }

  /// The i-th of `size` names; when nobody adds any more.
  [[nodiscard]] CUTSDF_HD std::uint32_t at(std::uint32_t i) const { return names[order[i]]; }

 private:
  static constexpr std::uint32_t nobody = 0xffffffffu;  // names have 30 bits
  static constexpr int most_probes      = 32;

  /// Whose a slot is that was found free. Threads of a warp that bring the same name try once.
  CUTSDF_HD std::uint32_t take(std::uint32_t slot, std::uint32_t name)
  {
    const warp::peers same(name);
    std::uint32_t before = nobody;
    if (same.rank() == 0) {
      before = atomic::compare_exchange(&names[slot], nobody, name);
      if (before == nobody) {
        order[atomic::fetch_add(&size, 1u)] = static_cast<std::uint16_t>(slot);
        before                              = name;
      }
    }
    return same.first(before);
  }
};

}  // namespace cutsdf::inline v0::detail
