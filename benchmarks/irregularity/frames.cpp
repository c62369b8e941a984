#include "frames.hpp"

#include "../../examples/fuse/problem.hpp"
#include "../../examples/fuse/recording.hpp"

namespace study {
namespace {

host_view unproject(const fuse::frame& frame, const cutsdf::pinhole& camera)
{
  constexpr float millimetres = 1000.0f;
  constexpr int farthest      = 10000;
  constexpr int nearest       = 100;
  host_view seen{{}, frame.camera_to_world.translation()};
  for (int v = 0; v < frame.depth.height; ++v) {
    for (int u = 0; u < frame.depth.width; ++u) {
      const int depth = frame.depth.pixels[static_cast<std::size_t>(v) * static_cast<std::size_t>(frame.depth.width) +
                                           static_cast<std::size_t>(u)];
      if (depth < nearest || depth > farthest) { continue; }
      const cutsdf::vec3f ray = camera.ray(u, v);
      const Eigen::Vector3f point =
        frame.camera_to_world * (Eigen::Vector3f(ray.x, ray.y, ray.z) * (static_cast<float>(depth) / millimetres));
      seen.points.push_back({point.x(), point.y(), point.z()});
    }
  }
  return seen;
}

}  // namespace

host_scene read_frames(const std::string& folder, int number)
{
  try {
    const auto recording = fuse::open_recording(folder, number + 1);
    if (recording->size() <= number) {
      throw cutsdf::error(folder + " has " + std::to_string(recording->size()) + " frames; the study needs " +
                          std::to_string(number + 1));
    }
    host_scene scene;
    for (int i = 0; i < number; ++i) {
      scene.before.push_back(unproject(recording->read(i), recording->camera()));
    }
    scene.now = unproject(recording->read(number), recording->camera());
    return scene;
  } catch (const fuse::problem& p) {
    throw cutsdf::error(p.what());
  }
}

}  // namespace study
