// A recording's depth frames, and what the fused volume costs to look at and to mesh.
//
// A frame's time is that of a pass over all frames, enqueued back to back, by their number. Cold: the pass starts from
// an empty volume; warm: from one that has every block already.
#pragma once

#include "counts.hpp"
#include "measure.hpp"

namespace bench {

/// The voxel of four bytes of geometry.
using small_volume = cutsdf::volume<space, cutsdf::voxel::mean16>;
/// The default that also marks what the camera looks through.
using carving_volume =
  cutsdf::volume<space, volume::voxel_type,
                 cutsdf::policies<cutsdf::hash::mixed, cutsdf::probe::bucketed<>, cutsdf::load::entry,
                                  cutsdf::index::warp_counter, cutsdf::visit::blocks, cutsdf::exchange::masked<>,
                                  cutsdf::probe::bucketed<>, cutsdf::allocation::free_space>>;

/// The volume that a recording is fused into. Surfaces have blocks by the square of the resolution, space by the cube.
template <class Volume = volume>
cutsdf::volume_settings room_settings(float voxel)
{
  constexpr bool carves          = Volume::policies_type::allocation_type::sees_through;
  constexpr double finest        = 0.005;
  constexpr double blocks_finest = carves ? 1 << 21 : 1 << 17;
  const double scale             = finest / static_cast<double>(voxel);
  return {.voxel_size     = voxel,
          .truncation     = band * voxel,
          .block_capacity = static_cast<std::int64_t>(blocks_finest * scale * scale * (carves ? scale : 1.0)) + 1};
}

/// Fuses all frames; `v` has lost nothing then. Waits.
template <class Volume>
void fuse_all(session& s, Volume& v, bool colored)
{
  for (const auto& f : s.frames()) {
    fuse_frame(v, f, s.camera(), colored);
  }
  require_complete(v.report());
}

/// What must move for a frame, as the mean of a pass: the depth image once, of the colour image what is used, every
/// voxel that is updated read and written.
template <class Voxel>
double frame_bytes(session& s, const voxel_counts& pass, bool colored)
{
  const auto frames     = static_cast<double>(s.frames().size());
  const auto& first     = s.frames().front();
  const double updates  = static_cast<double>(pass.updates) / frames;
  const double colors   = colored ? static_cast<double>(pass.color_updates) / frames : 0.0;
  const auto all_colors = static_cast<double>(first.color_width) * static_cast<double>(first.color_height);
  return static_cast<double>(first.depth.bytes()) + 2.0 * geometry_bytes<Voxel> * updates +
         2.0 * color_bytes<Voxel> * colors + sizeof(cutsdf::rgb8) * std::min(colors, all_colors);
}

/// Fuses frames by integrate_async.
template <class Volume>
struct by_launches {
  Volume& v;
  cutsdf::pinhole camera;
  void operator()(const session::frame& f, bool colored) { fuse_frame(v, f, camera, colored); }
};

#if CUTSDF_HAS_CUDA
/// Fuses frames by a graph.
template <class Volume>
struct by_graph {
  by_graph(Volume& v, const cutsdf::pinhole& camera) : graph(v, camera) {}
  void operator()(const session::frame& f, bool colored)
  {
    const auto& camera = graph.camera();
    graph.integrate_async({f.depth.data(), camera.width, camera.height},
                          {colored ? f.color.data() : nullptr, f.color_width, f.color_height}, f.pose);
  }
  cutsdf::depth_graph<Volume> graph;
};
#endif

template <class Volume, template <class> class Feed = by_launches>
void time_frames(benchmark::State& state, session& s, float voxel, bool colored, bool warm)
{
  const auto& frames = s.frames();
  const auto size    = static_cast<int>(frames.size());
  Volume v(room_settings<Volume>(voxel), s.stream());
  fuse_all(s, v, colored);
  const double bytes = frame_bytes<typename Volume::voxel_type>(s, count(v), colored);
  const auto blocks  = static_cast<double>(v.report().blocks);
  Feed<Volume> feed{v, s.camera()};
  const auto fuse = [&](int i) { feed(frames[static_cast<std::size_t>(i)], colored); };
  const auto pass = [&] {
    for (int i = 0; i < size; ++i) {
      fuse(i);
    }
  };

  if (!warm) { v.clear(); }
  const double single = median(s.time_each(size, fuse));
  const double host   = on_host ? 0.0 : s.time_enqueueing(pass) * to_us / size;
  measure(state, s, {bytes, 1.0, blocks, single, host}, [&] {
    if (!warm) { v.clear(); }
    return s.time(pass) / size;
  });
  require_complete(v.report());
}

/// What must move: the images. How much of the volume a ray has to see depends on the scene.
inline void time_raycast(benchmark::State& state, session& s, float voxel)
{
  volume v(room_settings(voxel), s.stream());
  fuse_all(s, v, s.has_color());
  const auto camera = s.camera();
  const auto pose   = s.frames().back().pose;
  auto image        = v.raycast(camera, pose);
  const auto depth  = image.depth.to_host();
  if (std::none_of(depth.begin(), depth.end(), [](float d) { return d > 0.0f; })) { throw refused("no surface seen"); }

  const auto pixels   = static_cast<double>(depth.size());
  const double bytes  = pixels * (sizeof(float) + sizeof(cutsdf::vec3f) + sizeof(cutsdf::rgb8));
  constexpr int casts = on_host ? 1 : 20;
  measure(state, s, {bytes, pixels, static_cast<double>(v.report().blocks)}, [&] {
    return s.time([&] {
      for (int i = 0; i < casts; ++i) {
        v.raycast_async(image, camera, pose);
      }
    }) / casts;
  });
}

/// What must move: distance and weight of every voxel, the colours of two voxels a vertex, the mesh.
inline double mesh_bytes(const cutsdf::mesh<space>& m, double blocks)
{
  const auto vertices = static_cast<double>(m.positions.size());
  return blocks * cutsdf::voxels_per_block * geometry_bytes<volume::voxel_type> +
         vertices * (2.0 * color_bytes<volume::voxel_type> + 2.0 * sizeof(cutsdf::vec3f) + sizeof(cutsdf::rgb8)) +
         static_cast<double>(m.triangles.bytes());
}

/// Extracts the mesh of a volume, again and again; the waits for its sizes are part of it.
inline void time_mesh(benchmark::State& state, session& s, const volume& v)
{
  double bytes     = 0.0;
  double triangles = 0.0;
  const auto n     = static_cast<double>(v.report().blocks);
  {
    const auto first = v.extract_mesh();
    bytes            = mesh_bytes(first, n);
    triangles        = static_cast<double>(first.triangles.size());
  }
  if (triangles == 0.0) { throw refused("no surface to mesh"); }
  measure(state, s, {bytes, triangles, n}, [&] { return s.time([&] { static_cast<void>(v.extract_mesh()); }); });
}

inline void add_frames(session& s)
{
  struct size {
    const char* name;
    float voxel;
  };
  constexpr size sizes[] = {{"2cm", 0.02f}, {"1cm", 0.01f}, {"5mm", 0.005f}};
  for (const auto& [name, voxel] : sizes) {
    const auto add_passes = [&, voxel = voxel](const std::string& what, bool colored, auto* time) {
      for (const bool warm : {false, true}) {
        add(std::string("frames/") + name + what + (warm ? "/warm" : "/cold"), on_host ? 1 : 8,
            [=, &s](benchmark::State& state) { time(state, s, voxel, colored, warm); });
      }
    };
    add_passes("/depth", false, time_frames<volume>);
    if (s.has_color()) { add_passes("/colour", true, time_frames<volume>); }
#if CUTSDF_HAS_CUDA
    add_passes("/graph", false, time_frames<volume, by_graph>);
    add_passes("/depth-4-bytes", false, time_frames<small_volume>);
    add_passes("/free-space", false, time_frames<carving_volume>);
#endif
  }
  for (const auto& [name, voxel] : sizes) {
    add(std::string("raycast/") + name, on_host ? 3 : 8,
        [&s, voxel = voxel](benchmark::State& state) { time_raycast(state, s, voxel); });
  }
  for (const auto& [name, voxel] : sizes) {
    add(std::string("mesh/") + name, on_host ? 3 : 20, [&s, voxel = voxel](benchmark::State& state) {
      volume v(room_settings(voxel), s.stream());
      fuse_all(s, v, s.has_color());
      time_mesh(state, s, v);
    });
  }
}

}  // namespace bench
