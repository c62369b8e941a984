// Meshes as PLY files.
#pragma once

#include <cutsdf/extract/mesh.hpp>

#include <bit>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace cutsdf::inline v0 {

/// Writes a binary little-endian PLY file with normals and colours. The file appears under its name only when it is
/// complete (written beside it as `<path>.part`, then renamed). Throws io_error naming the file and what is wrong, and
/// invalid_argument when normals or colours have another length than positions.
inline void write_ply(const std::filesystem::path& path, const host_mesh& mesh)
{
  static_assert(std::endian::native == std::endian::little, "cutsdf: write_ply expects a little-endian machine");
  const auto n = mesh.positions.size();
  detail::require(n <= 0x7fffffff, "number of vertices", n, "below 2^31, as PLY readers expect");
  detail::require(mesh.normals.size() == n, "number of normals", mesh.normals.size(), "the number of positions");
  detail::require(mesh.colors.size() == n, "number of colours", mesh.colors.size(), "the number of positions");

  std::string bytes =
    "ply\nformat binary_little_endian 1.0\ncomment positions in metres, world frame\n"
    "element vertex " +
    std::to_string(n) +
    "\nproperty float x\nproperty float y\nproperty float z\n"
    "property float nx\nproperty float ny\nproperty float nz\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\n"
    "element face " +
    std::to_string(mesh.triangles.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
  constexpr std::size_t vertex_bytes = 27, face_bytes = 13;
  bytes.reserve(bytes.size() + n * vertex_bytes + mesh.triangles.size() * face_bytes);
  const auto append = [&bytes](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (std::size_t i = 0; i < n; ++i) {
    append(mesh.positions[i]);
    append(mesh.normals[i]);
    append(mesh.colors[i]);
  }
  for (const auto& triangle : mesh.triangles) {
    append(std::uint8_t{3});
    append(triangle);
  }

  std::error_code failure;
  const auto target = std::filesystem::weakly_canonical(path, failure);  // a link stays, and what it names is written
  const auto kind   = std::filesystem::status(target, failure).type();
  if (kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::regular) {
    throw io_error(path.string() + ": is there and is no regular file");
  }
  failure.clear();  // a path that does not exist yet is no failure
  auto part = target;
  part += ".part";
  std::ofstream file(part, std::ios::binary);
  if (!file) { throw io_error(path.string() + ": cannot be written: " + std::generic_category().message(errno)); }
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) { failure = std::error_code(errno, std::generic_category()); }
  if (!failure) { std::filesystem::rename(part, target, failure); }
  if (failure) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw io_error(path.string() + ": cannot be written: " + failure.message());
  }
}

}  // namespace cutsdf::inline v0
