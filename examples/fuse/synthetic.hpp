// A built-in scene as a source of frames, rendered when they are asked for.
#pragma once

#include "frame.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace fuse {

/// Frames of 640 x 480 along the scene's path, as many as the scene says unless `frames` is given. The same on every
/// machine. Throws problem for an unknown name.
std::unique_ptr<frame_source> open_scene(std::string_view name, std::optional<int> frames);

}  // namespace fuse
