// Fusing all frames of a source: what goes in, what comes out, and where it can run.
#pragma once

#include "frame.hpp"

#include <cutsdf/cutsdf.hpp>

#include <functional>
#include <optional>
#include <string>

namespace fuse {

struct fusion_settings {
  float voxel;       // metres
  float truncation;  // metres
  float max_depth;   // metres
};

/// The surface as one camera sees it.
struct surface_view {
  cutsdf::pinhole camera{};
  Eigen::Isometry3f camera_to_world{Eigen::Isometry3f::Identity()};
  std::vector<float> depth{};            // metres, 0: nothing there
  std::vector<cutsdf::vec3f> normals{};  // world frame
  std::vector<cutsdf::rgb8> colors{};    // empty: the volume has no colour
};

struct fusion_result {
  std::string space{};                  // "device" or "host"
  std::optional<std::string> device{};  // the GPU's name
  cutsdf::volume_report report{};
  std::uint64_t blocks_dropped{0};     // blocks that a frame needed and that found no room, summed over the frames
  std::vector<double> upload_ms{};     // a frame's way into the space's memory
  std::vector<double> integrate_ms{};  // from the call until it is done
  cutsdf::host_mesh mesh{};
  surface_view view{};
};

/// Told the number of frames fused so far.
using progress_callback = std::function<void(int)>;

/// Fuse on the CPU or on the GPU. Throw what reading a frame throws, and cutsdf::error.
fusion_result fuse_on_host(const frame_source& source, const fusion_settings& settings,
                           const progress_callback& progress);
fusion_result fuse_on_device(const frame_source& source, const fusion_settings& settings,
                             const progress_callback& progress);

/// The name of the GPU that fuse_on_device would use; none where there is no usable GPU or the program was built
/// without CUDA, and then `why_not` says which.
std::optional<std::string> device_name(std::string& why_not);

}  // namespace fuse
