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

/// A thread a word: every edge whose two ends were observed on different sides of the surface.
struct find_crossings {
  surface_ref surface;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const auto place     = static_cast<std::uint32_t>(i / words_per_block);
    const auto w         = static_cast<int>(i % words_per_block);
    const side_map& map  = surface.map;
    surface_block& block = map.blocks[place];
    const seen_mask s{};
    const behind_mask b{};

    const std::uint32_t seen   = map.moved<0, 0, 0>(s, place, w);
    const std::uint32_t behind = map.moved<0, 0, 0>(b, place, w);
    const std::uint32_t crossed[3]{seen & map.moved<1, 0, 0>(s, place, w) & (behind ^ map.moved<1, 0, 0>(b, place, w)),
                                   seen & map.moved<0, 1, 0>(s, place, w) & (behind ^ map.moved<0, 1, 0>(b, place, w)),
                                   seen & map.moved<0, 0, 1>(s, place, w) & (behind ^ map.moved<0, 0, 1>(b, place, w))};
    std::uint32_t vertices = 0;
    for (int axis = 0; axis < 3; ++axis) {
      block.words[w].crossed[axis] = crossed[axis];
      vertices += static_cast<std::uint32_t>(bits::count(crossed[axis]));
    }
    surface.sizes[i] = surface_size::of(vertices, 0).both;
    if (i == 0) { surface.sizes[surface.words] = 0; }
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
  const auto make = [&](std::int64_t count) {
    return surface_points<Space>{buffer<vec3f, Space>(count, stream_, *memory_),
                                 buffer<vec3f, Space>(count, stream_, *memory_),
                                 buffer<rgb8, Space>(count, stream_, *memory_)};
  };
  const auto places = occupied_places();
  if (places == 0) { return make(0); }
  const auto v = ref();
  detail::surface<Space> surface(places, stream_, *memory_);
  surface.mark(v, options.min_weight);
  surface.for_each_word(detail::find_crossings{surface.ref()});
  const auto count = surface.number().vertices();

  auto result = make(count);
  if (count == 0) { return result; }
  surface.emit(detail::emit_vertices<Voxel, Policies>{
    v, surface.ref(), {result.positions.data(), result.normals.data(), result.colors.data()}, options.min_weight});
  return result;
}

}  // namespace cutsdf::inline v0
