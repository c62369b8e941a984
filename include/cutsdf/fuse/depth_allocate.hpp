// First pass over a depth image: inserts the blocks of the truncation band, and lists each once.
#pragma once

#include <cutsdf/frame.hpp>
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

/// A depth up to which the band of every pixel is addressable; negative where there is none.
inline float addressable_reach(const pinhole& camera, const rigid_motion& pose, float truncation, float voxel_size)
{
  const auto widest = [](float centre, int size, float focal_length) {
    return std::max(std::abs(centre), std::abs(static_cast<float>(size) - centre)) / focal_length;
  };
  constexpr float margin = 1.01f;  // for rounding, and for a pose that is not quite a rotation
  const float stretch =
    margin * std::hypot(widest(camera.cx, camera.width, camera.fx), widest(camera.cy, camera.height, camera.fy), 1.0f);
  const float limit = static_cast<float>(voxel_limit) * voxel_size / margin;
  const vec3f& t    = pose.translation;
  const float reach = (limit - std::max({std::abs(t.x), std::abs(t.y), std::abs(t.z)})) / stretch - truncation;
  return reach > 0.0f ? reach : -1.0f;
}

/// One call takes a tile of pixels: where F is float a single one, where F is a pack rows of as many. Of pixels that
/// pass through the same blocks in the same order as one before them in the tile, nothing more is asked of the table.
template <class F, class T, class Policies>
struct allocate_depth {
  using number = F;

  static constexpr bool launches_early = true;

  block_table_ref<Policies> table;
  frame_state* state;
  std::uint32_t* updated;
  depth_reader<T> depth;
  pinhole camera;
  rigid_motion camera_to_world;
  float truncation;
  float inverse_block_size;
  float reach;    // addressable_reach()
  float* metres;  // the image for the second pass, without gaps between rows: 0 where there is nothing

  static constexpr int lanes             = lanes_of<F>;
  static constexpr int tile_side         = lanes == 1 ? 1 : 16;
  static constexpr int elements_per_call = tile_side * tile_side;

  [[nodiscard]] static std::int64_t tiles(const pinhole& camera)
  {
    const auto tiles = [](int pixels, int side) { return (std::int64_t{pixels} + side - 1) / side; };
    if (lanes == 1) { return tiles(camera.width, 8) * tiles(camera.height, 4) * 32; }
    return tiles(camera.width, tile_side) * tiles(camera.height, tile_side);
  }

  CUTSDF_INLINE void operator()(std::int64_t tile) const
  {
    if constexpr (lanes == 1) {
      // The 32 pixels of a warp are a tile of 8 x 4: they share more blocks than 32 of a row.
      const auto index  = static_cast<std::uint32_t>(tile);
      const auto across = (static_cast<std::uint32_t>(camera.width) + 7) / 8;
      const auto u      = static_cast<int>(index / 32 % across * 8 + index % 8);
      const auto v      = static_cast<int>(index / 32 / across * 4 + index / 8 % 4);
      if (u < camera.width && v < camera.height) { insert_pixel(u, v); }
    } else {
      const auto index  = static_cast<std::uint32_t>(tile);
      const auto across = (static_cast<std::uint32_t>(camera.width) + tile_side - 1) / tile_side;
      insert_tile(static_cast<int>(index % across) * tile_side, static_cast<int>(index / across) * tile_side);
    }
  }

 private:
  using integer = integer_of<F>;
  using mask    = mask_of<F>;

  /// The band along a ray, in units of blocks.
  template <class N>
  struct band {
    vec3<N> front, back;
  };

  template <class N>
  [[nodiscard]] CUTSDF_INLINE band<N> band_at(vec3<N> ray, N z) const
  {
    const vec3<N> direction = camera_to_world.rotate(ray);
    const auto position     = [&](N at) CUTSDF_INLINE_LAMBDA {
      return (broadcast<N>(camera_to_world.translation) + direction * at) * N(inverse_block_size);
    };
    const vec3<N> back = position(ieee::add(z, N(truncation)));
    if constexpr (Policies::allocation_type::sees_through) {
      return {position(select(z > N(0.0f), N(depth.range.min_depth), N(0.0f))), back};
    } else {
      const N in_front = ieee::sub(z, N(truncation));
      return {position(select(in_front > N(0.0f), in_front, N(0.0f))), back};
    }
  }

  CUTSDF_HD void insert_pixel(int u, int v) const
  {
    const float z                = depth.metres(depth.template stored<float>(u, v));
    metres[v * camera.width + u] = z;
    if (!(z > 0.0f)) {
      state->drop(drop_cause::invalid_input);
      return;
    }
    const band<float> b = band_at(camera.ray(u, v), z);
    if (!addressable(b.front * block_side) || !addressable(b.back * block_side)) {
      state->drop(drop_cause::out_of_range);
      return;
    }
    insert(block_walk<float>::make(b.front, b.back), state->stamp);
  }

  CUTSDF_INLINE void insert_tile(int tile_u, int tile_v) const
  {
    const auto smaller        = [](int a, int b) { return a < b ? a : b; };
    const int end_u           = tile_u + smaller(camera.width - tile_u, tile_side);
    const int end_v           = tile_v + smaller(camera.height - tile_v, tile_side);
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
        const F z = depth.metres(depth.template stored_row<F>(u, v, count));
        store_row(z, metres + (v * camera.width + u), count);
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
    constexpr std::int32_t none = block_walk<F>::no_route;
    std::int32_t is_unknown[lanes], routes[lanes];
    unknown.store(is_unknown);
    route.store(routes);
    std::int32_t last = none;
    for (int i = 0; i < lanes; ++i) {
      if (is_unknown[i] == 0 || (routes[i] == last && last != none)) { continue; }
      // A route on which a block was refused stays unknown: whoever comes next is refused, and counted, as well.
      if (insert(walk.at(i), stamp) && routes[i] != none) {
        last = routes[i];
        memory.remember(last);
      }
    }
  }

  /// False when a block on the way was refused.
  CUTSDF_HD bool insert(const block_walk<float>& walk, std::uint32_t stamp) const
  {
    bool complete = true;
    walk.for_each_block([&](vec3i block) {
      std::uint32_t slot = table.find_slot(block);
      if (slot == no_slot) { slot = table.insert(block); }
      if (slot == no_slot) {
        state->drop(table.gives_up_at_bound() ? drop_cause::probe_bound : drop_cause::table_full);
        complete = false;
      } else if (warp::peers(slot).rank() == 0 && table.claim(slot, stamp)) {
        updated[atomic::fetch_add(&state->updated, std::uint32_t{1})] = slot;
      }
    });
    return complete;
  }
};

}  // namespace cutsdf::inline v0::detail
