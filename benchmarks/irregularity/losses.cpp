#include "losses.hpp"

#include "../../examples/fuse/image_io.hpp"
#include "../../examples/fuse/problem.hpp"

#include <cmath>
#include <limits>

namespace study {
namespace {

constexpr int side = 480;  // of one view, in pixels

struct box {
  cutsdf::vec3f lower{1e30f, 1e30f, 1e30f};
  cutsdf::vec3f upper{-1e30f, -1e30f, -1e30f};
};

box box_of(const std::vector<cutsdf::vec3f>& points)
{
  box b;
  for (const auto& p : points) {
    b.lower = {std::min(b.lower.x, p.x), std::min(b.lower.y, p.y), std::min(b.lower.z, p.z)};
    b.upper = {std::max(b.upper.x, p.x), std::max(b.upper.y, p.y), std::max(b.upper.z, p.z)};
  }
  return b;
}

cutsdf::rgb8 paint(const cutsdf::vec3f& position, const cutsdf::vec3f& normal, float voxel_size, const losses& all)
{
  const auto voxel_of = [&](float x) { return static_cast<std::int32_t>(std::floor(x / voxel_size)); };
  const auto key = cutsdf::key_of(cutsdf::block_of({voxel_of(position.x), voxel_of(position.y), voxel_of(position.z)}));
  // In few steps, so that the file stays small.
  const float light = 0.35f + 0.65f * std::round(12.0f * std::abs(normal.z)) / 12.0f;
  const auto shade  = [&](int level) { return static_cast<std::uint8_t>(static_cast<float>(level) * light); };
  if (all.lost.contains(key)) { return {shade(230), shade(40), shade(30)}; }
  if (all.touched.contains(key)) { return {shade(250), shade(165), shade(40)}; }
  return {shade(190), shade(195), shade(205)};
}

}  // namespace

void draw_losses(const std::string& file, const cutsdf::host_mesh& surface, float voxel_size, const losses& all)
{
  fuse::color_image picture{2 * side, side, std::vector<cutsdf::rgb8>(2 * side * side, cutsdf::rgb8{255, 255, 255})};
  std::vector<float> depth(picture.pixels.size(), std::numeric_limits<float>::infinity());
  const box b       = box_of(surface.positions);
  const float range = std::max(b.upper.x - b.lower.x, b.upper.y - b.lower.y);
  const float scale = 0.96f * side / range;
  // A vertex covers what its neighbours leave: they are at most a voxel's diagonal apart.
  const int reach = std::max(0, static_cast<int>(std::ceil(0.9f * voxel_size * scale)) / 2);
  for (std::size_t i = 0; i < surface.positions.size(); ++i) {
    const auto& p    = surface.positions[i];
    const auto color = paint(p, surface.normals[i], voxel_size, all);
    const float dx   = (p.x - 0.5f * (b.lower.x + b.upper.x)) * scale;
    const float dy   = (p.y - 0.5f * (b.lower.y + b.upper.y)) * scale;
    for (int back = 0; back < 2; ++back) {
      const int u   = static_cast<int>(std::lround((back != 0 ? -dx : dx) + 0.5f * side));
      const int v   = static_cast<int>(std::lround(dy + 0.5f * side));
      const float z = back != 0 ? -p.z : p.z;
      for (int y = std::max(0, v - reach); y <= std::min(side - 1, v + reach); ++y) {
        for (int x = std::max(0, u - reach); x <= std::min(side - 1, u + reach); ++x) {
          const auto at = static_cast<std::size_t>(y * 2 * side + back * side + x);
          if (z >= depth[at]) { continue; }
          depth[at]          = z;
          picture.pixels[at] = color;
        }
      }
    }
  }
  try {
    fuse::write_png(file, picture);
  } catch (const fuse::problem& p) {
    throw cutsdf::error(p.what());
  }
}

}  // namespace study
