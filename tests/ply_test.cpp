// Meshes as PLY files.
#include "support/catch.hpp"

#include <cutsdf/io/ply.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

namespace cutsdf_test::ply {

using namespace cutsdf;  // NOLINT: as in support/space.hpp

/// A folder of its own that goes away with the test.
class scratch_folder {
 public:
  scratch_folder()
    : path_(std::filesystem::temp_directory_path() / ("cutsdf-ply-" + std::to_string(std::random_device{}())))
  {
    std::filesystem::create_directories(path_);
  }
  scratch_folder(const scratch_folder&)            = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() { std::filesystem::remove_all(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::size_t files() const
  {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

std::string content(const std::filesystem::path& file)
{
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

host_mesh tetrahedron()
{
  return {{{0.0f, 0.0f, 0.0f}, {1.0f, 0.0f, 0.0f}, {0.0f, 1.5f, 0.0f}, {0.0f, 0.0f, -2.25f}},
          {{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}, {0.0f, 0.0f, -1.0f}},
          {{1, 2, 3}, {10, 13, 26}, {255, 0, 128}, {7, 8, 9}},
          {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
}

TEST_CASE("a PLY file holds the mesh byte by byte", "[ply]")
{
  const scratch_folder folder;
  const auto file = folder.path() / "mesh.ply";
  const auto mesh = tetrahedron();
  write_ply(file, mesh);
  REQUIRE(folder.files() == 1);

  const auto bytes      = content(file);
  const std::string end = "end_header\n";
  const auto start      = bytes.find(end);
  REQUIRE(start != std::string::npos);
  const auto header = bytes.substr(0, start);
  REQUIRE(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
  REQUIRE(header.find("element vertex 4\n") != std::string::npos);
  REQUIRE(header.find("element face 4\n") != std::string::npos);
  const std::vector<std::string> properties{
    "float x",  "float y",   "float z",     "float nx",   "float ny",
    "float nz", "uchar red", "uchar green", "uchar blue", "list uchar int vertex_ind"};
  std::size_t at = 0;
  for (const auto& property : properties) {
    const auto found = header.find("property " + property, at);
    INFO(property);
    REQUIRE(found != std::string::npos);
    at = found;
  }

  const char* data = bytes.data() + start + end.size();
  REQUIRE(bytes.size() - start - end.size() == 4 * 27 + 4 * 13);
  for (std::size_t i = 0; i < 4; ++i) {
    vec3f position{};
    vec3f normal{};
    rgb8 color{};
    std::memcpy(&position, data, 12);
    std::memcpy(&normal, data + 12, 12);
    std::memcpy(&color, data + 24, 3);
    REQUIRE(position == mesh.positions[i]);
    REQUIRE(normal == mesh.normals[i]);
    REQUIRE(color == mesh.colors[i]);
    data += 27;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    vec3<std::uint32_t> triangle{};
    REQUIRE(data[0] == 3);
    std::memcpy(&triangle, data + 1, 12);
    REQUIRE(triangle == mesh.triangles[i]);
    data += 13;
  }
}

TEST_CASE("an empty mesh is a valid PLY file", "[ply]")
{
  const scratch_folder folder;
  const auto file = folder.path() / "empty.ply";
  write_ply(file, host_mesh{});
  const auto bytes = content(file);
  REQUIRE(bytes.find("element vertex 0\n") != std::string::npos);
  REQUIRE(bytes.find("element face 0\n") != std::string::npos);
  REQUIRE(bytes.ends_with("end_header\n"));
}

TEST_CASE("writing replaces an older file", "[ply]")
{
  const scratch_folder folder;
  const auto file = folder.path() / "mesh.ply";
  std::ofstream(file) << std::string(100000, 'x');
  write_ply(file, tetrahedron());
  REQUIRE(content(file).starts_with("ply\n"));
  REQUIRE(content(file).size() < 1000);
  REQUIRE(folder.files() == 1);
}

TEST_CASE("a file that cannot be written is named and leaves nothing behind", "[ply]")
{
  const scratch_folder folder;
  const auto missing = folder.path() / "nowhere" / "mesh.ply";
  REQUIRE_THROWS_AS(write_ply(missing, tetrahedron()), io_error);
  REQUIRE_THROWS_WITH(write_ply(missing, tetrahedron()), contains(missing.string()));
  // A folder stands where the file should.
  const auto taken = folder.path() / "taken";
  std::filesystem::create_directory(taken);
  std::ofstream(taken / "inside") << "x";
  REQUIRE_THROWS_AS(write_ply(taken, tetrahedron()), io_error);
  REQUIRE(folder.files() == 1);
  REQUIRE(std::filesystem::exists(taken / "inside"));
}

TEST_CASE("a mesh whose arrays differ in length is refused", "[ply]")
{
  const scratch_folder folder;
  auto mesh = tetrahedron();
  mesh.normals.pop_back();
  REQUIRE_THROWS_AS(write_ply(folder.path() / "mesh.ply", mesh), invalid_argument);
  mesh = tetrahedron();
  mesh.colors.push_back({});
  REQUIRE_THROWS_AS(write_ply(folder.path() / "mesh.ply", mesh), invalid_argument);
  REQUIRE(folder.files() == 0);
}

TEST_CASE("what is no regular file is not replaced", "[ply]")
{
  const auto folder = std::filesystem::temp_directory_path() / "cutsdf_ply_test_folder.ply";
  std::filesystem::create_directories(folder);
  REQUIRE_THROWS_AS(write_ply(folder, host_mesh{}), io_error);
  REQUIRE(std::filesystem::is_directory(folder));
  std::filesystem::remove(folder);

  // A link stays a link; the file that it names is written.
  const auto target = std::filesystem::temp_directory_path() / "cutsdf_ply_test_target.ply";
  const auto link   = std::filesystem::temp_directory_path() / "cutsdf_ply_test_link.ply";
  std::filesystem::remove(target);
  std::filesystem::remove(link);
  write_ply(target, host_mesh{{{1.0f, 2.0f, 3.0f}}, {{0.0f, 0.0f, 1.0f}}, {{1, 2, 3}}, {}});
  const auto before = std::filesystem::file_size(target);
  std::filesystem::create_symlink(target, link);
  write_ply(link, host_mesh{});
  REQUIRE(std::filesystem::is_symlink(link));
  REQUIRE(std::filesystem::file_size(target) < before);
  std::filesystem::remove(link);
  std::filesystem::remove(target);
}

}  // namespace cutsdf_test::ply
