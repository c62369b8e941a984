// Marching cubes over the whole volume: indexed, welded across blocks.
#pragma once

#include <cutsdf/extract/marching_cubes.hpp>
#include <cutsdf/extract/surface.hpp>

#include <vector>

namespace cutsdf::inline v0 {

/// A triangle mesh in host memory. Positions in metres, world frame.
struct host_mesh {
  std::vector<vec3f> positions;
  std::vector<vec3f> normals;                  // unit, towards free space (zero where the field is flat)
  std::vector<rgb8> colors;                    // black where the volume has no colour
  std::vector<vec3<std::uint32_t>> triangles;  // counter-clockwise seen from free space
};

/// The same in the space of the volume.
template <class Space>
struct mesh {
  buffer<vec3f, Space> positions;
  buffer<vec3f, Space> normals;
  buffer<rgb8, Space> colors;
  buffer<vec3<std::uint32_t>, Space> triangles;

  /// A copy in host memory. Waits.
  [[nodiscard]] host_mesh to_host() const
  {
    return {positions.to_host(), normals.to_host(), colors.to_host(), triangles.to_host()};
  }
};

namespace detail {

/// For the 32 cells of a word, as bits, which of their corners lie behind the surface.
struct cell_corners {
  std::uint32_t behind[8];

  CUTSDF_HD static cell_corners of(const side_map& map, std::uint32_t place, int w)
  {
    const behind_mask b{};
    return {{map.moved<0, 0, 0>(b, place, w), map.moved<1, 0, 0>(b, place, w), map.moved<0, 1, 0>(b, place, w),
             map.moved<1, 1, 0>(b, place, w), map.moved<0, 0, 1>(b, place, w), map.moved<1, 0, 1>(b, place, w),
             map.moved<0, 1, 1>(b, place, w), map.moved<1, 1, 1>(b, place, w)}};
  }

  /// Cells whose corners are not all on one side.
  [[nodiscard]] CUTSDF_HD std::uint32_t changing() const
  {
    std::uint32_t any = 0;
    std::uint32_t all = ~0u;
    CUTSDF_UNROLLED
    for (int corner = 0; corner < 8; ++corner) {
      any |= behind[corner];
      all &= behind[corner];
    }
    return any & ~all;
  }

  /// The case of a cell.
  [[nodiscard]] CUTSDF_HD int which(int cell) const
  {
    int bits = 0;
    CUTSDF_UNROLLED
    for (int corner = 0; corner < 8; ++corner) {
      bits |= static_cast<int>(behind[corner] >> cell & 1u) << corner;
    }
    return bits;
  }
};

/// A thread a word: which cells have triangles, and how many. A cell belongs to its lowest voxel; one with a corner
/// that was never observed has none.
struct find_cells {
  surface_ref surface;

  static constexpr bool likes_wide_target = true;

  CUTSDF_INLINE void operator()(std::int64_t i) const
  {
    const auto place     = static_cast<std::uint32_t>(i / words_per_block);
    const auto w         = static_cast<int>(i % words_per_block);
    surface_block& block = surface.map.blocks[place];

    std::uint32_t rest      = block.seen[w];
    std::uint32_t triangles = 0;
    if (rest != 0) {
      const auto corners = cell_corners::of(surface.map, place, w);
      rest &= corners.changing();
      if (rest != 0) { rest &= seen(place, w); }
      block.words[w].active = rest;
      for (; rest != 0; rest &= rest - 1) {
        const std::uint64_t word = marching_cubes_words::of(corners.which(bits::lowest(rest)));
        triangles += static_cast<std::uint32_t>(marching_cubes_words::triangles(word));
      }
    } else {
      block.words[w].active = 0;
    }
    surface.sizes[i] = surface_size::of(0, triangles).both;
  }

 private:
  /// Cells all of whose corners were observed.
  [[nodiscard]] CUTSDF_HD std::uint32_t seen(std::uint32_t place, int w) const
  {
    const side_map& map = surface.map;
    const seen_mask s{};
    return map.moved<1, 0, 0>(s, place, w) & map.moved<0, 1, 0>(s, place, w) & map.moved<1, 1, 0>(s, place, w) &
           map.moved<0, 0, 1>(s, place, w) & map.moved<1, 0, 1>(s, place, w) & map.moved<0, 1, 1>(s, place, w) &
           map.moved<1, 1, 1>(s, place, w);
  }
};

/// A thread a word: the vertices that the triangles of all cells around need, and how many.
struct find_vertices {
  surface_ref surface;

  static constexpr bool likes_wide_target = true;

  CUTSDF_INLINE void operator()(std::int64_t i) const
  {
    const auto place     = static_cast<std::uint32_t>(i / words_per_block);
    const auto w         = static_cast<int>(i % words_per_block);
    const side_map& map  = surface.map;
    surface_block& block = map.blocks[place];
    const active_mask a{};
    const behind_mask b{};

    // Four cells meet at an edge: those of the voxel it starts from and of its neighbours across it.
    const std::uint32_t own = map.moved<0, 0, 0>(a, place, w);
    const std::uint32_t x   = map.moved<-1, 0, 0>(a, place, w);
    const std::uint32_t y   = map.moved<0, -1, 0>(a, place, w);
    const std::uint32_t z   = map.moved<0, 0, -1>(a, place, w);
    const std::uint32_t at[3]{own | y | z | map.moved<0, -1, -1>(a, place, w),
                              own | x | z | map.moved<-1, 0, -1>(a, place, w),
                              own | x | y | map.moved<-1, -1, 0>(a, place, w)};
    std::uint32_t vertices = 0;
    if ((at[0] | at[1] | at[2]) != 0) {
      const std::uint32_t here = map.moved<0, 0, 0>(b, place, w);
      const std::uint32_t beyond[3]{map.moved<1, 0, 0>(b, place, w), map.moved<0, 1, 0>(b, place, w),
                                    map.moved<0, 0, 1>(b, place, w)};
      for (int axis = 0; axis < 3; ++axis) {
        const std::uint32_t crossed  = at[axis] & (here ^ beyond[axis]);
        block.words[w].crossed[axis] = crossed;
        vertices += static_cast<std::uint32_t>(bits::count(crossed));
      }
    } else {
      for (int axis = 0; axis < 3; ++axis) {
        block.words[w].crossed[axis] = 0;
      }
    }
    surface.sizes[i] |= vertices;
    if (i == 0) { surface.sizes[surface.words] = 0; }
  }
};

struct emit_triangles {
  surface_ref surface;
  vec3<std::uint32_t>* triangles;

  using scratch = item_list;

  static constexpr bool likes_wide_target = true;

  template <class Group>
  CUTSDF_INLINE void operator()(const Group& group, std::int64_t run, scratch& turn) const
  {
    const std::int64_t word = run * words_per_run;
    const auto left         = surface.words - word;
    const int words         = left < words_per_run ? static_cast<int>(left) : words_per_run;
    const auto first        = [&](int k) { return surface.before(word + k).triangles(); };
    emit_items(
      group, turn, words, first(0), first(words), first,
      [&](int k, const auto& put) CUTSDF_INLINE_LAMBDA {
        const auto place   = static_cast<std::uint32_t>((word + k) / words_per_block);
        const int w        = static_cast<int>((word + k) % words_per_block);
        std::uint32_t rest = surface.map.blocks[place].words[w].active;
        if (rest == 0) { return; }
        const auto corners = cell_corners::of(surface.map, place, w);
        for (; rest != 0; rest &= rest - 1) {
          const int cell  = bits::lowest(rest);
          const int which = corners.which(cell);
          const int count = marching_cubes_words::triangles(marching_cubes_words::of(which));
          CUTSDF_UNROLLED
          for (int n = 0; n < marching_cubes_table::most_triangles; ++n) {
            if (n < count) { put(static_cast<std::uint32_t>(k << 16 | cell << 11 | which << 3 | n)); }
          }
        }
      },
      [&](std::uint32_t triangle, std::uint32_t item) CUTSDF_INLINE_LAMBDA {
        const std::int64_t at = word + (item >> 16);
        const auto place      = static_cast<std::uint32_t>(at / words_per_block);
        const auto index      = static_cast<int>(at % words_per_block) * 32 + static_cast<int>(item >> 11 & 31u);
        emit(triangle, {place, index}, static_cast<int>(item >> 3 & 255u), static_cast<int>(item & 7u));
      });
  }

 private:
  CUTSDF_INLINE void emit(std::uint32_t triangle, stored_voxel cell, int which, int n) const
  {
    const std::uint64_t word = marching_cubes_words::of(which);
    const auto vertex        = [&](int k) {
      const int edge = marching_cubes_words::edge(word, 3 * n + k);
      return surface.vertex(surface.corner(cell, marching_cubes_table::start_of(edge)), edge >> 2);
    };
    triangles[triangle] = {vertex(0), vertex(1), vertex(2)};
  }
};

}  // namespace detail

/// Extracts the zero surface by marching cubes: vertices where it crosses the edges between voxel centres (linear
/// interpolation), each shared by all cells that meet there, also across blocks; no vertex without a triangle; no
/// triangle in a cell with a corner that was never observed. Normals are the field's gradient, colours are
/// interpolated.
///
/// The order of vertices and triangles follows that of the blocks in the pool, which may differ from run to run; the
/// surface does not. O(blocks). Allocates its result and scratch (0.55 KiB a block; a slot with index::slot) and waits
/// for the sizes; the result is filled in the order of the stream. Throws error from 2^32 - 1 vertices or triangles on.
template <class Space, class Voxel, class Policies>
mesh<Space> volume<Space, Voxel, Policies>::extract_mesh(const extract_options& options) const
{
  detail::require(options.min_weight >= 0.0f, "min_weight", options.min_weight, "zero or more");
  const auto make = [&](detail::surface_size size) {
    return mesh<Space>{buffer<vec3f, Space>(size.vertices(), stream_, *memory_),
                       buffer<vec3f, Space>(size.vertices(), stream_, *memory_),
                       buffer<rgb8, Space>(size.vertices(), stream_, *memory_),
                       buffer<vec3<std::uint32_t>, Space>(size.triangles(), stream_, *memory_)};
  };
  const auto places = occupied_places();
  if (places == 0) { return make({}); }
  const auto v = ref();
  detail::surface<Space> surface(places, stream_, *memory_);
  surface.mark(v, options.min_weight);
  surface.for_each_word(detail::find_cells{surface.ref()});
  surface.for_each_word(detail::find_vertices{surface.ref()});
  const auto size = surface.number();

  auto result = make(size);
  if (size.triangles() == 0) { return result; }
  surface.emit(detail::emit_vertices<Voxel, Policies>{
    v, surface.ref(), {result.positions.data(), result.normals.data(), result.colors.data()}, options.min_weight});
  surface.emit(detail::emit_triangles{surface.ref(), result.triangles.data()});
  return result;
}

}  // namespace cutsdf::inline v0
