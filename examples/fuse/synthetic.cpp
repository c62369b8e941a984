#include "synthetic.hpp"

#include "rooms.hpp"
#include "sensor.hpp"

#include <cutsdf/space/thread_pool.hpp>

#include <algorithm>

namespace fuse {
namespace {

/// z up in the world; in the camera x to the right, y down, z forward.
struct camera_axes {
  vec3f right, down, forward, eye;

  explicit camera_axes(const view_point& from) : eye(from.eye)
  {
    forward = normalised(from.target - from.eye);
    right   = normalised(cross(forward, {0.0f, 0.0f, 1.0f}));
    down    = cross(forward, right);
  }

  [[nodiscard]] vec3f to_world(vec3f v) const { return right * v.x + down * v.y + forward * v.z; }

  [[nodiscard]] Eigen::Isometry3f camera_to_world() const
  {
    Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
    pose.linear() << right.x, down.x, forward.x, right.y, down.y, forward.y, right.z, down.z, forward.z;
    pose.translation() << eye.x, eye.y, eye.z;
    return pose;
  }
};

hit nearest_hit(const scene& s, const ray& r)
{
  hit nearest;
  for (const furniture& piece : s.pieces) {
    nearest = piece.meet(r, nearest);
  }
  return nearest;
}

/// Light that falls on a surface: some from everywhere, more from above, the rest from the lamp, with its shadows.
float light_on(const scene& s, vec3f point, vec3f normal)
{
  if (!s.lamp) { return 1.0f; }
  const float ambient   = 0.50f + 0.12f * normal.z;
  const vec3f to_lamp   = *s.lamp - point;
  const vec3f direction = normalised(to_lamp);
  const float facing    = dot(normal, direction);
  if (facing <= 0.0f) { return ambient; }
  const ray ray_to_lamp{point, direction};
  const float distance = cutsdf::norm(to_lamp);
  const bool shadowed  = std::any_of(s.pieces.begin(), s.pieces.end(),
                                     [&](const furniture& piece) { return piece.blocks(ray_to_lamp, distance); });
  return shadowed ? ambient : ambient + 0.50f * facing;
}

cutsdf::rgb8 to_rgb8(vec3f color)
{
  const auto level = [](float x) { return static_cast<std::uint8_t>(std::clamp(x, 0.0f, 255.0f)); };
  return {level(color.x), level(color.y), level(color.z)};
}

class synthetic final : public frame_source {
 public:
  synthetic(scene s, int frames) : scene_(std::move(s)), frames_(frames) {}

  [[nodiscard]] int size() const override { return frames_; }
  [[nodiscard]] cutsdf::pinhole camera() const override { return {525.0f, 525.0f, 319.5f, 239.5f, 640, 480}; }
  [[nodiscard]] bool has_color() const override { return true; }

  [[nodiscard]] frame read(int i) const override
  {
    const cutsdf::pinhole lens = camera();
    const auto pixels          = static_cast<std::size_t>(lens.width) * static_cast<std::size_t>(lens.height);
    const camera_axes axes(along(scene_.path, static_cast<float>(i) / static_cast<float>(frames_)));
    frame f{{lens.width, lens.height, std::vector<std::uint16_t>(pixels)},
            {lens.width, lens.height, std::vector<cutsdf::rgb8>(pixels)},
            axes.camera_to_world()};
    threads_.run(lens.height, 8, [&](std::int64_t begin, std::int64_t end) {
      for (auto v = static_cast<int>(begin); v < static_cast<int>(end); ++v) {
        for (int u = 0; u < lens.width; ++u) {
          see(i, v * lens.width + u, {axes.eye, axes.to_world(lens.ray(u, v))}, f);
        }
      }
    });
    return f;
  }

 private:
  /// Fills one pixel. The ray's direction has length 1 along the camera's axis, so its t is a depth.
  void see(int number, int pixel, const ray& r, frame& f) const
  {
    const hit h = nearest_hit(scene_, r);
    if (!h) { return; }
    const vec3f normal = h.normal(r);
    const auto at      = static_cast<std::size_t>(pixel);
    f.color.pixels[at] = to_rgb8(h.color(r) * light_on(scene_, r.at(h.t), normal));
    if (!scene_.noisy) {
      f.depth.pixels[at] = exact_millimetres(h.t);
      return;
    }
    pixel_noise noise(number, pixel);
    f.depth.pixels[at] = noisy_millimetres(h.t, -dot(normal, normalised(r.direction)), noise);
  }

  scene scene_;
  int frames_;
  mutable cutsdf::thread_pool threads_;  // runs one loop at a time: read() may be called from anywhere
};

}  // namespace

std::unique_ptr<frame_source> open_scene(std::string_view name, std::optional<int> frames)
{
  scene s          = find_scene(name);
  const int number = frames.value_or(s.frames);
  return std::make_unique<synthetic>(std::move(s), number);
}

}  // namespace fuse
