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

/// Cells are grouped by 32 for the numbering of triangles, as voxels are for that of vertices.
inline constexpr int cell_groups = voxels_per_block / 32;

struct cells_ref {
  const marching_cubes_table* table;
  std::uint8_t* cases;      // a byte a cell
  std::uint32_t* in_group;  // triangles of each group; then of the groups before it in its block
  std::uint32_t* counts;    // triangles of each block
  std::uint32_t* first;     // triangles of all blocks before it
};

/// Finds each cell's case and marks the vertices that its triangles need. A cell belongs to its lowest voxel; one with
/// a corner that was never observed has no triangles.
template <class Voxel, class Policies>
struct classify_cells {
  volume_ref<Voxel, Policies> volume;
  surface_ref surface;
  cells_ref cells;
  float min_weight;

  struct context {
    std::int64_t place;
    bool stored;
  };
  CUTSDF_HD context prepare(std::int64_t tile) const
  {
    vec3i block;
    return {tile, volume.block_at(static_cast<std::uint32_t>(tile), block)};
  }
  CUTSDF_HD void operator()(const context& c, int lane) const
  {
    const int which                                = c.stored ? cell_case(c.place, voxel_in_block(lane)) : 0;
    cells.cases[c.place * voxels_per_block + lane] = static_cast<std::uint8_t>(which);
    const unsigned edges                           = cells.table->edges[which];
    if (edges == 0) { return; }
    atomic::add(cells.in_group + c.place * cell_groups + (lane >> 5), std::uint32_t{cells.table->triangles[which]});
    for (int edge = 0; edge < 12; ++edge) {
      if ((edges >> edge & 1u) != 0) { surface.mark(start_of(c.place, voxel_in_block(lane), edge), edge >> 2); }
    }
  }

  [[nodiscard]] CUTSDF_HD surface_ref::position start_of(std::int64_t place, vec3i cell, int edge) const
  {
    const int corner = marching_cubes_table::start_of(edge);
    return surface.resolve(place, cell + vec3i{corner & 1, corner >> 1 & 1, corner >> 2});
  }

 private:
  [[nodiscard]] CUTSDF_HD int cell_case(std::int64_t place, vec3i cell) const
  {
    int which = 0;
    for (int corner = 0; corner < 8; ++corner) {
      const auto p = surface.resolve(place, cell + vec3i{corner & 1, corner >> 1 & 1, corner >> 2});
      if (!volume.stored(p.place)) { return 0; }
      const voxel_value value = volume.read(p.place, p.index);
      if (!(value.weight > min_weight)) { return 0; }
      which |= (value.distance < 0.0f ? 1 : 0) << corner;
    }
    return which;
  }
};

struct count_triangles {
  cells_ref cells;
  CUTSDF_HD void operator()(std::int64_t place) const
  {
    std::uint32_t count = 0;
    for (int group = 0; group < cell_groups; ++group) {
      std::uint32_t& entry      = cells.in_group[place * cell_groups + group];
      const std::uint32_t added = entry;
      entry                     = count;
      count += added;
    }
    cells.counts[place] = count;
  }
};

template <class Voxel, class Policies>
struct emit_triangles {
  classify_cells<Voxel, Policies> cells;
  vec3<std::uint32_t>* triangles;

  CUTSDF_HD std::int64_t prepare(std::int64_t tile) const { return tile; }
  CUTSDF_HD void operator()(std::int64_t place, int lane) const
  {
    const cells_ref& c        = cells.cells;
    const std::uint8_t* cases = c.cases + place * voxels_per_block;
    const int which           = cases[lane];
    const int count           = c.table->triangles[which];
    if (count == 0) { return; }
    std::int64_t at = std::int64_t{c.first[place]} + c.in_group[place * cell_groups + (lane >> 5)];
    for (int before = lane & ~31; before < lane; ++before) {
      at += c.table->triangles[cases[before]];
    }
    for (int i = 0; i < count; ++i) {
      const std::uint8_t* edges = c.table->corners[which] + 3 * i;
      triangles[at + i] = {vertex(place, lane, edges[0]), vertex(place, lane, edges[1]), vertex(place, lane, edges[2])};
    }
  }

 private:
  [[nodiscard]] CUTSDF_HD std::uint32_t vertex(std::int64_t place, int lane, int edge) const
  {
    return cells.surface.vertex(cells.start_of(place, voxel_in_block(lane), edge), edge >> 2);
  }
};

}  // namespace detail

/// Extracts the zero surface by marching cubes: vertices where it crosses the edges between voxel centres (linear
/// interpolation), each shared by all cells that meet there, also across blocks; no vertex without a triangle; no
/// triangle in a cell with a corner that was never observed. Normals are the field's gradient, colours are
/// interpolated.
///
/// The order of vertices and triangles follows that of the blocks in the pool, which may differ from run to run; the
/// surface does not. O(blocks). Allocates its result and scratch (1 KiB a block; a slot with index::slot) and waits for
/// the sizes; the result is filled in the order of the stream. Throws error beyond 2^32 - 1 triangles.
template <class Space, class Voxel, class Policies>
mesh<Space> volume<Space, Voxel, Policies>::extract_mesh(const extract_options& options) const
{
  detail::require(options.min_weight >= 0.0f, "min_weight", options.min_weight, "zero or more");
  const auto v      = ref();
  const auto places = occupied_places();
  detail::surface<Space> surface(places, stream_, *memory_);
  const buffer<detail::marching_cubes_table, Space> table(std::span(&detail::marching_cubes, 1), stream_, *memory_);
  buffer<std::uint8_t, Space> cases(places * voxels_per_block, stream_, *memory_);
  buffer<std::uint32_t, Space> in_group(places * detail::cell_groups, stream_, *memory_);
  buffer<std::uint32_t, Space> counts(places + 1, stream_, *memory_);
  buffer<std::uint32_t, Space> first(places + 1, stream_, *memory_);
  in_group.fill_bytes(0);
  counts.fill_bytes(0);

  const detail::classify_cells<Voxel, Policies> classify{
    v, surface.ref(), {table.data(), cases.data(), in_group.data(), counts.data(), first.data()}, options.min_weight};
  surface.find_neighbours_of(v);
  surface.for_each_voxel(classify);
  Space::for_each(stream_, places, detail::count_triangles{classify.cells});
  const auto vertices  = surface.number_vertices();
  const auto triangles = surface.total(counts, first);

  mesh<Space> result{
    buffer<vec3f, Space>(vertices, stream_, *memory_), buffer<vec3f, Space>(vertices, stream_, *memory_),
    buffer<rgb8, Space>(vertices, stream_, *memory_), buffer<vec3<std::uint32_t>, Space>(triangles, stream_, *memory_)};
  if (triangles == 0) { return result; }
  surface.for_each_voxel(detail::emit_vertices<Voxel, Policies>{
    v, surface.ref(), {result.positions.data(), result.normals.data(), result.colors.data()}, options.min_weight});
  surface.for_each_voxel(detail::emit_triangles<Voxel, Policies>{classify, result.triangles.data()});
  return result;
}

}  // namespace cutsdf::inline v0
