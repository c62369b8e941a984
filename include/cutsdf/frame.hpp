// What one call to integrate reports, and the counters it is made from.
#pragma once

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/table/block_table_ref.hpp>

namespace cutsdf::inline v0 {

/// Why a contribution was discarded.
enum class drop_cause : int {
  pool_full,      // its block has a key but no voxels: the pool was full
  table_full,     // its block has no key: every slot of the table is taken
  probe_bound,    // its block has no key: the probe gave up at the policy's bound
  out_of_range,   // its voxel or block lies outside [-2^20, 2^20) blocks
  invalid_input,  // a point or pixel that is no measurement: not finite, at the camera, outside the depth range
};
inline constexpr int drop_causes = 5;

/// The name of a cause as reports write it.
constexpr const char* name_of(drop_cause cause)
{
  constexpr const char* names[drop_causes] = {"pool_full", "table_full", "probe_bound", "out_of_range",
                                              "invalid_input"};
  return names[static_cast<int>(cause)];
}

/// Discarded contributions by cause. A contribution is a sample of a point's band; a voxel that a depth image would
/// have updated (pool_full), or a pixel's visit of a block (table_full, probe_bound), or a pixel (out_of_range); a
/// whole point or pixel for invalid_input.
struct drop_counts {
  std::uint64_t count[drop_causes]{};

  [[nodiscard]] CUTSDF_HD std::uint64_t operator[](drop_cause cause) const { return count[static_cast<int>(cause)]; }
  /// Everything but invalid_input: what was measured and lost.
  [[nodiscard]] std::uint64_t lost() const { return count[0] + count[1] + count[2] + count[3]; }
};

/// What one integrate did.
struct frame_result {
  std::uint64_t valid{0};           // points or pixels that were measurements
  std::uint64_t blocks{0};          // blocks in the volume afterwards
  std::uint64_t blocks_added{0};    // of these, new
  std::uint64_t blocks_updated{0};  // distinct blocks in the band, with storage or not (depth images; 0 for points)
  std::uint64_t blocks_dropped{0};  // distinct blocks this call needed that have a key but no storage
  drop_counts drops{};
};

namespace detail {

/// Counters in the space's memory: what the current frame has met so far, and totals.
struct frame_state {
  std::uint32_t stamp;    // number of the current frame, for claim(); never 0 or all ones
  std::uint32_t updated;  // length of the list of blocks in the band
  std::uint32_t used_before;
  std::uint32_t finished;  // of a kernel that closes the frame itself
  std::uint64_t blocks_dropped;
  std::uint64_t drops[drop_causes];
  std::uint64_t total_drops[drop_causes];
  std::uint64_t frames;

  CUTSDF_HD void drop(drop_cause cause) { atomic::count(&drops[static_cast<int>(cause)]); }
  CUTSDF_HD void drop(drop_cause cause, std::uint32_t n)
  {
    if (n != 0) { atomic::add(&drops[static_cast<int>(cause)], std::uint64_t{n}); }
  }
};

/// A block of the current frame's band: the centre of its first voxel, in the camera frame, and its place in the pool
/// (no_storage where there was no room).
struct alignas(16) listed_block {
  vec3f origin;
  std::uint32_t place;
};
static_assert(sizeof(listed_block) == 16);

/// Closes a frame: hands its counts out, adds them to the totals, makes ready for the next.
template <class Policies>
struct finish_frame {
  static constexpr bool launches_early = true;

  block_table_ref<Policies> table;
  frame_state* state;
  frame_result* result;   // may be null
  std::uint64_t offered;  // points or pixels

  CUTSDF_HD void operator()() const
  {
    const auto stored = [this](std::uint32_t used) {
      return std::uint64_t{used < table.block_capacity ? used : table.block_capacity};
    };
    frame_state& s           = *state;
    const std::uint32_t used = *table.used;
    // Relaxed: other threads of this kernel may have counted there.
    const std::uint64_t blocks_dropped = atomic::load_relaxed(&s.blocks_dropped);
    std::uint64_t drops[drop_causes];
    CUTSDF_UNROLLED
    for (int i = 0; i < drop_causes; ++i) {
      drops[i] = atomic::load_relaxed(&s.drops[i]);
    }
    if (result != nullptr) {
      frame_result r;
      r.valid          = offered - drops[static_cast<int>(drop_cause::invalid_input)];
      r.blocks         = stored(used);
      r.blocks_added   = stored(used) - stored(s.used_before);
      r.blocks_updated = s.updated;
      r.blocks_dropped = blocks_dropped;
      for (int i = 0; i < drop_causes; ++i) {
        r.drops.count[i] = drops[i];
      }
      *result = r;
    }
    for (int i = 0; i < drop_causes; ++i) {
      s.total_drops[i] += drops[i];
      s.drops[i] = 0;
    }
    s.blocks_dropped = 0;
    s.updated        = 0;
    s.used_before    = used;
    s.frames += 1;
    s.stamp = s.stamp + 1 == 0xffffffffu ? 1 : s.stamp + 1;
  }
};

struct start_state {
  frame_state* state;
  CUTSDF_HD void operator()() const
  {
    *state       = frame_state{};
    state->stamp = 1;
  }
};

}  // namespace detail
}  // namespace cutsdf::inline v0
