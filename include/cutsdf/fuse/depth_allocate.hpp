// First pass over a depth image: inserts the blocks of the truncation band, and lists each once.
#pragma once

#include <cutsdf/frame.hpp>
#include <cutsdf/fuse/block_set.hpp>
#include <cutsdf/grid/band.hpp>
#include <cutsdf/grid/image.hpp>
#include <cutsdf/space/warp.hpp>

#include <algorithm>

namespace cutsdf::inline v0::detail {

/// The last routes that were walked: neighbouring pixels mostly share theirs.
template <class Integer>
class route_memory {
 public:
  CUTSDF_INLINE route_memory()
  {
    for (Integer& route : last_) {
      route = Integer(forgotten);
    }
  }

  /// In which lanes the route is remembered.
  [[nodiscard]] CUTSDF_INLINE Integer knows(Integer route) const
  {
    Integer known = route == last_[0];
    for (int i = 1; i < size; ++i) {
      known = known | (route == last_[i]);
    }
    return known;
  }

  CUTSDF_INLINE void remember(std::int32_t route)
  {
    last_[oldest_] = Integer(route);
    oldest_        = (oldest_ + 1) % size;
  }

 private:
  static constexpr int size               = 8;
  static constexpr std::int32_t forgotten = -2;  // no route, and not no_route either
  Integer last_[size];
  int oldest_{0};
};

/// How much longer than its depth a pixel's ray may be.
inline float longest_ray(const pinhole& camera)
{
  const auto widest = [](float centre, int size, float focal_length) {
    return std::max(std::abs(centre), std::abs(static_cast<float>(size) - centre)) / focal_length;
  };
  constexpr float margin = 1.01f;  // for rounding, and for a pose that is not quite a rotation
  return margin *
         std::hypot(widest(camera.cx, camera.width, camera.fx), widest(camera.cy, camera.height, camera.fy), 1.0f);
}

/// A depth up to which the band of every pixel lies within `distance` of a place on each axis, where the camera is
/// `away` from it; negative where there is none.
inline float reach_within(float distance, const vec3f& away, const pinhole& camera, float truncation)
{
  constexpr float margin = 1.01f;
  const float room       = distance / margin - std::max({std::abs(away.x), std::abs(away.y), std::abs(away.z)});
  const float reach      = room / longest_ray(camera) - truncation;
  return reach > 0.0f ? reach : -1.0f;
}

/// A depth up to which the band of every pixel is addressable; negative where there is none.
inline float addressable_reach(const pinhole& camera, const rigid_motion& pose, float truncation, float voxel_size)
{
  return reach_within(static_cast<float>(voxel_limit) * voxel_size, pose.translation, camera, truncation);
}

/// A depth up to which every block of every pixel's band has a name around `base`, and is addressable.
inline float named_reach(const pinhole& camera, const rigid_motion& pose, float truncation, float block_size,
                         vec3i base)
{
  const vec3f away = pose.translation - to_float(base) * block_size;
  return std::min(reach_within(static_cast<float>(block_names::reach - 1) * block_size, away, camera, truncation),
                  addressable_reach(camera, pose, truncation, block_size / block_side));
}

/// The block of a position in metres, or the nearest that has a key.
inline vec3i nearest_block(vec3f position, float inverse_block_size)
{
  const auto clamped = [&](float x) {
    const auto limit = static_cast<float>(key_bias);
    return static_cast<std::int32_t>(std::floor(std::clamp(x * inverse_block_size, -limit, limit - 1.0f)));
  };
  return {clamped(position.x), clamped(position.y), clamped(position.z)};
}

/// One call takes a tile of pixels. Where F is float a group of threads does, a pixel each, who ask the table once for
/// each block that they meet. Where F is a pack one thread does, row by row: of pixels that pass through the same
/// blocks in the same order as one before them in the tile, nothing more is asked of the table.
template <class F, class T, class Policies>
struct allocate_depth {
  using number = F;

  static constexpr bool launches_early = true;

  block_table_ref<Policies> table;
  frame_state* state;
  listed_block* updated;
  depth_reader<T> depth;
  pinhole camera;
  rigid_motion camera_to_world;
  float truncation;
  float voxel_size;
  float inverse_block_size;
  float reach;    // addressable_reach()
  vec3i base;     // nearest_block() to the camera
  float named;    // named_reach()
  float* metres;  // the image for the second pass, without gaps between rows, and one pixel more: `nothing`

  /// What the second pass is told of a pixel without a measurement: infinitely far in front of everything.
  static constexpr float nothing = -std::numeric_limits<float>::infinity();

  static constexpr int lanes             = lanes_of<F>;
  static constexpr int threads           = 128;  // of a group, one for each pixel
  static constexpr int tile_width        = 16;
  static constexpr int tile_height       = lanes == 1 ? threads / tile_width : tile_width;
  static constexpr int elements_per_call = tile_width * tile_height;

  /// Of a multiprocessor: as many as it holds, for most of a group's time is spent waiting; fewer where long walks need
  /// registers.
  static constexpr int resident_threads = Policies::allocation_type::sees_through ? 1536 : 2048;

  [[nodiscard]] static std::int64_t tiles(const pinhole& camera)
  {
    const auto tiles = [](int pixels, int side) { return (std::int64_t{pixels} + side - 1) / side; };
    return tiles(camera.width, tile_width) * tiles(camera.height, tile_height);
  }

  /// What the threads of a group share.
  struct scratch {
    block_set<Policies::allocation_type::sees_through ? 11 : 9> met;
    float depths[threads];     // in metres; 0 where there is no measurement
    float ray_x[tile_width];   // of the tile's columns
    float ray_y[tile_height];  // of its rows
    std::uint32_t apart;       // whether each pixel has to insert its blocks itself
  };

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t tile, scratch& s) const
  {
    const corner first = corner_of(tile);
    group.for_each_thread([&](int i) {
      s.depths[i]       = 0.0f;
      const corner p    = pixel_of(i);
      const int u       = first.u + p.u;
      const int v       = first.v + p.v;
      const bool inside = u < camera.width && v < camera.height;
      const float raw   = inside ? depth.template stored<float>(u, v) : 0.0f;  // asked for first: others wait less
      s.met.template clear<threads>(i);
      static_assert(tile_height <= tile_width);
      if (i < tile_width) {
        const vec3f ray = camera.ray(first.u + i, first.v + i);
        s.ray_x[i]      = ray.x;
        if (i < tile_height) { s.ray_y[i] = ray.y; }
      }
      if (i == 0) {
        s.apart = 0;
        if (tile == 0) { metres[camera.width * camera.height] = nothing; }
      }
      if (!inside) { return; }
      const float z                = depth.metres(raw);
      s.depths[i]                  = z;
      metres[v * camera.width + u] = z > 0.0f ? z : nothing;
      if (!(z > 0.0f)) { state->drop(drop_cause::invalid_input); }
    });
    group.for_each_thread([&](int i) { meet(i, s); });
    group.for_each_thread([&](int i) {
      for (auto k = static_cast<std::uint32_t>(i); k < s.met.size; k += threads) {
        if (find_or_insert(block_names(base).block(s.met.at(k)), state->stamp) == no_slot) { s.apart = 1; }
      }
    });
    // Of a block that was refused each visit is counted.
    const bool apart = s.apart != 0;
    group.for_each_thread([&](int i) {
      if (apart) { insert_apart(i, s); }
    });
  }

  CUTSDF_INLINE void operator()(std::int64_t tile) const
  {
    const corner first = corner_of(tile);
    if (tile == 0) { metres[camera.width * camera.height] = nothing; }
    insert_tile(first.u, first.v);
  }

 private:
  using integer = integer_of<F>;
  using mask    = mask_of<F>;

  /// The band along a ray, in units of blocks.
  template <class N>
  struct band {
    vec3<N> front, back;
  };

  /// A point of a ray, in units of blocks.
  template <class N>
  [[nodiscard]] CUTSDF_INLINE vec3<N> position(vec3<N> direction, N z) const
  {
    return (broadcast<N>(camera_to_world.translation) + direction * z) * N(inverse_block_size);
  }

  template <class N>
  [[nodiscard]] CUTSDF_INLINE band<N> band_at(vec3<N> ray, N z) const
  {
    const vec3<N> direction = camera_to_world.rotate(ray);
    const vec3<N> back      = position(direction, ieee::add(z, N(truncation)));
    if constexpr (Policies::allocation_type::sees_through) {
      return {position(direction, select(z > N(0.0f), N(depth.range.min_depth), N(0.0f))), back};
    } else {
      const N in_front = ieee::sub(z, N(truncation));
      return {position(direction, select(in_front > N(0.0f), in_front, N(0.0f))), back};
    }
  }

  struct corner {
    int u, v;
  };
  [[nodiscard]] CUTSDF_INLINE corner corner_of(std::int64_t tile) const
  {
    const auto index  = static_cast<std::uint32_t>(tile);
    const auto across = (static_cast<std::uint32_t>(camera.width) + tile_width - 1) / tile_width;
    return {static_cast<int>(index % across) * tile_width, static_cast<int>(index / across) * tile_height};
  }

  /// A thread's pixel within the tile: those of a warp are 8 x 4 neighbours, which share more blocks than 32 of a row.
  [[nodiscard]] CUTSDF_HD static corner pixel_of(int thread)
  {
    const auto i = static_cast<unsigned>(thread);
    return {static_cast<int>(i % 8 + i / 32 % 2 * 8), static_cast<int>(i / 8 % 4 + i / 64 * 4)};
  }

  [[nodiscard]] CUTSDF_HD band<float> band_of(int thread, float z, const scratch& s) const
  {
    const corner p = pixel_of(thread);
    return band_at({s.ray_x[p.u], s.ray_y[p.v], 1.0f}, z);
  }

  /// Collects the blocks of a pixel's band.
  CUTSDF_HD void meet(int thread, scratch& s) const
  {
    const float z = s.depths[thread];
    if (!(z > 0.0f)) { return; }
    if (z > named) {
      s.apart = 1;
      return;
    }
    const band<float> b = band_of(thread, z, s);
    block_walk<float>::make(b.front, b.back).for_each_name(block_names(base), [&](std::uint32_t name) {
      if (!s.met.add(name)) { s.apart = 1; }
    });
  }

  /// Inserts the blocks of a pixel's band one by one.
  CUTSDF_HD void insert_apart(int thread, const scratch& s) const
  {
    const float z = s.depths[thread];
    if (!(z > 0.0f)) { return; }
    const band<float> b = band_of(thread, z, s);
    if (in_range(b, z)) {
      insert(block_walk<float>::make(b.front, b.back), state->stamp);
    } else {
      state->drop(drop_cause::out_of_range);
    }
  }

  [[nodiscard]] CUTSDF_HD bool in_range(const band<float>& b, float z) const
  {
    return z <= reach || (addressable(b.front * block_side) && addressable(b.back * block_side));
  }

  CUTSDF_HD void insert_pixel(int u, int v) const
  {
    const float z                = depth.metres(depth.template stored<float>(u, v));
    metres[v * camera.width + u] = z > 0.0f ? z : nothing;
    if (!(z > 0.0f)) {
      state->drop(drop_cause::invalid_input);
      return;
    }
    const band<float> b = band_at(camera.ray(u, v), z);
    if (!in_range(b, z)) {
      state->drop(drop_cause::out_of_range);
      return;
    }
    insert(block_walk<float>::make(b.front, b.back), state->stamp);
  }

  CUTSDF_INLINE void insert_tile(int tile_u, int tile_v) const
  {
    const auto smaller        = [](int a, int b) { return a < b ? a : b; };
    const int end_u           = tile_u + smaller(camera.width - tile_u, tile_width);
    const int end_v           = tile_v + smaller(camera.height - tile_v, tile_height);
    const std::uint32_t stamp = state->stamp;  // once: other threads write beside it
    route_memory<integer> memory;
    vec3i base{0, 0, 0};  // the block in which the tile's first route starts
    bool has_base        = false;
    std::int32_t invalid = 0;
    for (int u = tile_u; u < end_u; u += lanes) {
      const int count = smaller(end_u - u, lanes);
      vec3<F> ray     = camera.ray(integer(u) + lane_index<F>(), integer(0));
      integer valid(0);  // by lane, and negative: a mask that holds is -1
      for (int v = tile_v; v < end_v; ++v) {
        depth.prefetch(u + 2 * tile_width, v);
        const F z = depth.metres(depth.template stored_row<F>(u, v, count));
        store_row(select(z > F(0.0f), z, F(nothing)), metres + (v * camera.width + u), count);
        if (any(z > F(reach))) {
          for (int i = 0; i < count; ++i) {
            insert_pixel(u + i, v);
          }
          continue;
        }
        invalid += count;
        const mask seen = z > F(0.0f);
        if (!any(seen)) { continue; }
        valid                    = valid + seen;
        ray.y                    = F(camera.ray(u, v).y);
        const band<F> b          = band_at(ray, z);
        const block_walk<F> walk = block_walk<F>::make(b.front, b.back);
        if (!has_base) { base = lane(walk.first, first_lane(seen)); }
        has_base            = true;
        const integer route = walk.route(broadcast<integer>(base));
        const mask unknown  = select(memory.knows(route), mask(0), seen);
        if (any(unknown)) { insert_lanes(walk, route, unknown, stamp, memory); }
      }
      for (int i = 0; i < lanes; ++i) {
        invalid += lane(valid, i);
      }
    }
    state->drop(drop_cause::invalid_input, static_cast<std::uint32_t>(invalid));
  }

  CUTSDF_INLINE static void store_row(F row, float* to, int count)
  {
    if (count == lanes) {
      row.store(to);
      return;
    }
    for (int i = 0; i < count; ++i) {
      to[i] = lane(row, i);
    }
  }

  /// Walks the routes that memory does not know, and remembers them.
  CUTSDF_INLINE void insert_lanes(const block_walk<F>& walk, integer route, mask unknown, std::uint32_t stamp,
                                  route_memory<integer>& memory) const
  {
    const lanes_in_memory<integer> routes(route);
    const typename block_walk<F>::lanes walks(walk);
    for (std::uint32_t rest = lane_bits(unknown); rest != 0;) {
      const int i             = bits::lowest(rest);
      const std::int32_t next = routes[i];
      rest &= rest - 1;
      // A route on which a block was refused stays unknown: whoever comes next is refused, and counted, as well.
      if (insert(walks[i], stamp) && next != block_walk<F>::no_route) {
        memory.remember(next);
        rest &= ~lane_bits(route == integer(next));
      }
    }
  }

  /// False when a block on the way was refused.
  CUTSDF_HD bool insert(const block_walk<float>& walk, std::uint32_t stamp) const
  {
    bool complete = true;
    walk.for_each_block([&](vec3i block) {
      if (find_or_insert(block, stamp) == no_slot) {
        state->drop(table.gives_up_at_bound() ? drop_cause::probe_bound : drop_cause::table_full);
        complete = false;
      }
    });
    return complete;
  }

  /// The centre of a block's first voxel in the camera frame.
  [[nodiscard]] CUTSDF_HD vec3f first_centre(vec3i block) const
  {
    return camera_to_world.rotate_back(centre_vox(block * block_side) * voxel_size - camera_to_world.translation);
  }

  /// The block's slot, or no_slot; lists the block for the second pass unless it is on the list.
  CUTSDF_HD std::uint32_t find_or_insert(vec3i block, std::uint32_t stamp) const
  {
    auto seen = table.search(block);
    if (seen.slot == no_slot) { table.insert(block, seen); }
    if (seen.slot != no_slot && seen.stamp != stamp && table.claim(seen.slot, stamp)) {
      const std::uint32_t place = seen.index != no_index ? seen.index : table.index_at(seen.slot);
      if (place >= no_storage) { atomic::count(&state->blocks_dropped); }
      updated[atomic::take_number(&state->updated)] = {first_centre(block), place};
    }
    return seen.slot;
  }
};

}  // namespace cutsdf::inline v0::detail
