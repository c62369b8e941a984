#include "shading.hpp"

#include <algorithm>
#include <cmath>

namespace fuse {
namespace {

using cutsdf::rgb8;
using cutsdf::vec3f;

constexpr rgb8 clay{205, 196, 184};

/// Clay where the volume has no colour, which a ray cast shows as black.
rgb8 color_at(const surface_view& view, std::size_t pixel)
{
  constexpr rgb8 none{0, 0, 0};
  return view.colors.empty() || view.colors[pixel] == none ? clay : view.colors[pixel];
}

rgb8 scaled(rgb8 color, float factor)
{
  const auto level = [factor](std::uint8_t x) {
    return static_cast<std::uint8_t>(std::clamp(static_cast<float>(x) * factor + 0.5f, 0.0f, 255.0f));
  };
  return {level(color.r), level(color.g), level(color.b)};
}

/// Dusk blue above, lighter below.
rgb8 background(int row, int rows)
{
  const float down = static_cast<float>(row) / static_cast<float>(std::max(rows - 1, 1));
  return {static_cast<std::uint8_t>(44.0f + 60.0f * down), static_cast<std::uint8_t>(52.0f + 62.0f * down),
          static_cast<std::uint8_t>(66.0f + 62.0f * down)};
}

}  // namespace

color_image shade(const surface_view& view)
{
  const auto& camera = view.camera;
  const auto pose    = cutsdf::to_rigid_motion(view.camera_to_world);
  color_image picture{camera.width, camera.height, std::vector<rgb8>(view.depth.size())};
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const int u = static_cast<int>(i) % camera.width;
    const int v = static_cast<int>(i) / camera.width;
    if (!(view.depth[i] > 0.0f)) {
      picture.pixels[i] = background(v, camera.height);
      continue;
    }
    const vec3f sight  = cutsdf::normalised(pose.rotate(camera.ray(u, v)));
    const float facing = std::abs(cutsdf::dot(view.normals[i], sight));
    // Some light from everywhere, or surfaces seen at a grazing angle would vanish.
    picture.pixels[i] = scaled(color_at(view, i), 0.3f + 0.75f * facing);
  }
  return picture;
}

}  // namespace fuse
