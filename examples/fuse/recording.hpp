// A recording in a folder, in the layout of the 7-Scenes data set.
#pragma once

#include "frame.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace fuse {

/// Opens a folder of frame-NNNNNN.depth.png (16 bits, millimetres), frame-NNNNNN.pose.txt (camera to world, 4x4) and,
/// for all frames or none, frame-NNNNNN.color.jpg or .color.png. camera-intrinsics.txt (3x3) lies in the folder or in
/// its parent. Takes the first `most_frames` frames in the order of their numbers.
///
/// Throws problem when the folder, the intrinsics or the first frame cannot be used, or a file is missing; later frames
/// are looked into when they are read.
std::unique_ptr<frame_source> open_recording(const std::filesystem::path& folder, std::optional<int> most_frames);

}  // namespace fuse
