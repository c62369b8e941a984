// Real frames as point clouds.
#pragma once

#include <cutsdf/cutsdf.hpp>

#include <string>
#include <vector>

namespace study {

/// Points in the world and where they were seen from, on the host.
struct host_view {
  std::vector<cutsdf::vec3f> points;
  Eigen::Vector3f camera;
};

/// What is fused: one view, after others outside the clock.
struct host_scene {
  std::vector<host_view> before;
  host_view now;
};

/// Frames 0 to `number` of a recording (see examples/fuse/recording.hpp for the layout), every pixel with a depth below
/// ten metres as a point. Throws cutsdf::error where the folder cannot be read, or in a program built without images.
host_scene read_frames(const std::string& folder, int number);

}  // namespace study
