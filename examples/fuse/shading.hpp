// A picture of a surface.
#pragma once

#include "fusion.hpp"

namespace fuse {

/// Lit by a lamp at the camera: colour times the cosine between normal and line of sight, before a plain background.
color_image shade(const surface_view& view);

}  // namespace fuse
