// Image files. Nothing here prints or exits: whatever libpng and libjpeg complain about becomes a problem that names
// the file. A file that ends early is a problem too.
#pragma once

#include "frame.hpp"

#include <filesystem>

namespace fuse {

/// Reads a PNG of one 16-bit channel, values as they are stored. Throws problem.
depth_image read_depth_png(const std::filesystem::path& file);

/// Reads an 8-bit RGB image from a PNG or, by its extension, a JPEG. Throws problem.
color_image read_color(const std::filesystem::path& file);

/// Writes an 8-bit RGB PNG. Throws problem.
void write_png(const std::filesystem::path& file, const color_image& picture);

}  // namespace fuse
