// Points of the zero surface, without triangles.
#pragma once

#include <cutsdf/extract/mesh.hpp>

namespace cutsdf::inline v0 {

/// Oriented, coloured points in the space of the volume. Positions in metres, world frame; normals unit, towards free
/// space; colours black where the volume has none.
template <class Space>
struct surface_points {
  buffer<vec3f, Space> positions;
  buffer<vec3f, Space> normals;
  buffer<rgb8, Space> colors;

  /// A copy in host memory, as a mesh without triangles (so that write_ply takes it). Waits.
  [[nodiscard]] host_mesh to_host() const { return {positions.to_host(), normals.to_host(), colors.to_host(), {}}; }
};

namespace detail {

/// Marks every edge whose two ends were observed on different sides of the surface.
template <class Voxel, class Policies>
struct mark_crossings {
  volume_ref<Voxel, Policies> volume;
  surface_ref surface;
  float min_weight;

  struct context {
    std::uint32_t place;
    bool stored;
  };
  CUTSDF_HD context prepare(std::int64_t tile) const
  {
    vec3i block;
    const auto place = static_cast<std::uint32_t>(tile);
    return {place, volume.block_at(place, block)};
  }
  CUTSDF_HD void operator()(const context& c, int lane) const
  {
    if (!c.stored) { return; }
    const voxel_value here = volume.read(c.place, lane);
    if (!(here.weight > min_weight)) { return; }
    const vec3i local = voxel_in_block(lane);
    const surface_ref::position own{c.place, lane};
    for (int axis = 0; axis < 3; ++axis) {
      const auto next = surface.resolve(c.place, local + vec3i{axis == 0, axis == 1, axis == 2});
      if (!volume.stored(next.place)) { continue; }
      const voxel_value there = volume.read(next.place, next.index);
      if (there.weight > min_weight && (here.distance < 0.0f) != (there.distance < 0.0f)) { surface.mark(own, axis); }
    }
  }
};

}  // namespace detail

/// Extracts one point per edge between neighbouring observed voxels that the surface crosses: the vertices of the mesh,
/// and those at the rim of what was observed, where cells are incomplete. Order as for extract_mesh. O(blocks).
/// Allocates its result and scratch and waits for the sizes; the result is filled in the order of the stream.
template <class Space, class Voxel, class Policies>
surface_points<Space> volume<Space, Voxel, Policies>::extract_points(const extract_options& options) const
{
  detail::require(options.min_weight >= 0.0f, "min_weight", options.min_weight, "zero or more");
  const auto v = ref();
  detail::surface<Space> surface(occupied_places(), stream_, *memory_);
  surface.find_neighbours_of(v);
  surface.for_each_voxel(detail::mark_crossings<Voxel, Policies>{v, surface.ref(), options.min_weight});
  const auto count = surface.number_vertices();

  surface_points<Space> result{buffer<vec3f, Space>(count, stream_, *memory_),
                               buffer<vec3f, Space>(count, stream_, *memory_),
                               buffer<rgb8, Space>(count, stream_, *memory_)};
  if (count == 0) { return result; }
  surface.for_each_voxel(detail::emit_vertices<Voxel, Policies>{
    v, surface.ref(), {result.positions.data(), result.normals.data(), result.colors.data()}, options.min_weight});
  return result;
}

}  // namespace cutsdf::inline v0
