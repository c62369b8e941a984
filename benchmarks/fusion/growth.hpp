// How time grows with the scene: a camera in the middle of a sphere sees all of its wall that its image covers, so that
// the blocks in view and on the surface grow with the square of the radius, while the image stays the same.
#pragma once

#include "frames.hpp"

#include <cmath>

namespace bench {

/// The wall of a sphere, seen from its centre with a wide lens.
class sphere_view {
 public:
  sphere_view(session& s, double radius)
    : radius_(radius), depth_(std::span<const std::uint16_t>(image(radius)), s.stream())
  {
  }

  [[nodiscard]] cutsdf::volume_settings settings() const
  {
    constexpr double blocks_per_square = 1000.0;  // 640 were counted at 1 cm; the last metre is for small radii
    return {.block_capacity = static_cast<std::int64_t>(blocks_per_square * (radius_ + 1.0) * (radius_ + 1.0))};
  }

  void fuse(volume& v, cutsdf::frame_result* result = nullptr) const
  {
    const cutsdf::depth_view<std::uint16_t> view{depth_.data(), lens.width, lens.height};
    v.integrate_async(view, lens, Eigen::Isometry3f::Identity(), {}, result);
  }

  [[nodiscard]] double image_bytes() const { return static_cast<double>(depth_.bytes()); }

 private:
  static constexpr cutsdf::pinhole lens{320.0f, 320.0f, 319.5f, 239.5f, 640, 480};

  static std::vector<std::uint16_t> image(double radius)
  {
    constexpr double millimetres = 1000.0;  // in a metre
    std::vector<std::uint16_t> pixels;
    for (int v = 0; v < lens.height; ++v) {
      for (int u = 0; u < lens.width; ++u) {
        const double x = (u - static_cast<double>(lens.cx)) / static_cast<double>(lens.fx);
        const double y = (v - static_cast<double>(lens.cy)) / static_cast<double>(lens.fy);
        pixels.push_back(
          static_cast<std::uint16_t>(std::lround(radius * millimetres / std::sqrt(1.0 + x * x + y * y))));
      }
    }
    return pixels;
  }

  double radius_;
  cutsdf::buffer<std::uint16_t, space> depth_;
};

/// Warm frames of a sphere's wall; every voxel of it in view is updated again. `least_bytes`: refused below.
inline void time_wall(benchmark::State& state, session& s, double radius, double least_bytes)
{
  const sphere_view view(s, radius);
  volume v(view.settings(), s.stream());
  cutsdf::buffer<cutsdf::frame_result, space> result(1, s.stream());
  view.fuse(v, result.data());
  const auto blocks = static_cast<double>(result.to_host().front().blocks_updated);
  require_complete(v.report());
  const double voxel_bytes = 2.0 * geometry_bytes<volume::voxel_type> * static_cast<double>(count(v).updates);
  if (voxel_bytes < least_bytes) { throw refused("the scene is too small to leave the cache"); }

  constexpr int frames = on_host ? 2 : 20;
  measure(state, s, {view.image_bytes() + voxel_bytes, 1.0, blocks}, [&] {
    return s.time([&] {
      for (int i = 0; i < frames; ++i) {
        view.fuse(v);
      }
    }) / frames;
  });
  require_complete(v.report());
}

inline void time_wall_mesh(benchmark::State& state, session& s, double radius)
{
  const sphere_view view(s, radius);
  volume v(view.settings(), s.stream());
  view.fuse(v);
  require_complete(v.report());
  time_mesh(state, s, v);
}

inline std::vector<const char*> radii()
{
  std::vector<const char*> all{"0.3", "0.6", "1.2", "2.4", "4.8"};
  if (!on_host) { all.insert(all.end(), {"9.6", "19.2"}); }
  return all;
}

inline void add_growth(session& s)
{
  for (const char* const name : radii()) {
    const double radius = std::strtod(name, nullptr);
    add(std::string("growth/frame/") + name + "m", on_host ? 3 : 8,
        [&s, radius](benchmark::State& state) { time_wall(state, s, radius, 0.0); });
  }
  for (const char* const name : radii()) {
    const double radius = std::strtod(name, nullptr);
    add(std::string("growth/mesh/") + name + "m", on_host ? 3 : 20,
        [&s, radius](benchmark::State& state) { time_wall_mesh(state, s, radius); });
  }
}

#if CUTSDF_HAS_CUDA
/// A frame over a scene far larger than the second-level cache: how near the update comes to a copy. Allocation is part
/// of the time, and little of it.
inline void add_update(session& s)
{
  add("update/wall-19.2m", 8, [&s](benchmark::State& state) {
    int device = 0;
    int l2     = 0;
    cutsdf::detail::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    cutsdf::detail::check_cuda(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    time_wall(state, s, 19.2, 4.0 * l2);
  });
}
#endif

}  // namespace bench
