// The built-in scenes: what stands where, and how the camera goes through.
#pragma once

#include "shapes.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fuse {

/// Where the camera is and what it looks at; z is up, metres.
struct view_point {
  vec3f eye;
  vec3f target;
};

struct scene {
  std::vector<furniture> pieces;
  std::vector<view_point> path;  // the camera follows a closed smooth curve through these
  std::optional<vec3f> lamp;     // none: lit evenly
  bool noisy;                    // seen by a sensor with noise, or by a perfect one
  int frames;                    // how many show it well
};

/// Names for find_scene, as help texts list them.
std::string scene_names();

/// Throws problem for an unknown name.
scene find_scene(std::string_view name);

/// Where the camera is after `share` (in [0, 1)) of the path.
view_point along(const std::vector<view_point>& path, float share);

}  // namespace fuse
