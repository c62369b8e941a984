// Growing and shrinking a volume.
#include "support/catch.hpp"

#include "support/counting_resource.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/volumes.hpp"

#include <array>
#include <cstring>

namespace cutsdf_test::reserves {

const Eigen::Vector3f origin = Eigen::Vector3f::Zero();

template <class Volume>
void fuse_colored_sphere(Volume& v)
{
  const auto positions = sphere_points(0.5, 100, 200);
  std::vector<rgb8> colors;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    colors.push_back({static_cast<std::uint8_t>(i % 256), static_cast<std::uint8_t>(i / 256 % 256), 99});
  }
  const auto points   = upload(positions);
  const auto uploaded = upload(colors);
  static_cast<void>(v.integrate({.positions = points.span(), .colors = uploaded.span()}, origin));
}

/// Values and colours of the observed voxels, bit by bit.
template <class Volume>
std::vector<std::uint32_t> bits_of(Volume& v)
{
  std::vector<vec3i> where;
  for (const auto& [voxel, value] : observed_voxels(v)) {
    where.push_back(voxel);
  }
  const auto values = read_voxels(v, where);
  const auto colors = read_colors(v, where);
  std::vector<std::uint32_t> bits;
  for (std::size_t i = 0; i < where.size(); ++i) {
    const std::array<float, 6> numbers{values[i].distance, values[i].weight, colors[i].rgb.x,
                                       colors[i].rgb.y,    colors[i].rgb.z,  colors[i].weight};
    for (const float f : numbers) {
      std::uint32_t word = 0;
      std::memcpy(&word, &f, sizeof word);
      bits.push_back(word);
    }
  }
  return bits;
}

TEMPLATE_TEST_CASE("reserve keeps every bit of every voxel", "[reserve]", default_volume, paper_volume, slot_volume,
                   bounded_volume, atomic_load_volume)
{
  TestType v({.block_capacity = 2048, .table_capacity = 1 << 14}, test_stream());
  fuse_colored_sphere(v);
  const auto blocks = blocks_of(v);
  const auto bits   = bits_of(v);
  REQUIRE(blocks.size() == 1104);
  REQUIRE(bits.size() > 60000);
  for (const auto& [block_capacity, table_capacity] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{5000, 0}, {1104, 1 << 15}, {3000, 1 << 13}}) {
    v.reserve(block_capacity, table_capacity);
    const auto report = v.report();
    REQUIRE(report.blocks == 1104);
    REQUIRE(report.table_entries == 1104);
    REQUIRE(report.frames == 1);
    if (!TestType::policies_type::index_type::from_slot) { REQUIRE(report.block_capacity == block_capacity); }
    if (table_capacity != 0) { REQUIRE(report.table_capacity == table_capacity); }
    REQUIRE(v.settings().table_capacity == report.table_capacity);
    REQUIRE(blocks_of(v) == blocks);
    REQUIRE(bits_of(v) == bits);
  }
  // It goes on as if nothing had happened.
  const auto points = upload(sphere_points(0.5, 100, 200));
  const auto frame  = v.integrate({.positions = points.span()}, origin);
  REQUIRE(frame.blocks == 1104);
  REQUIRE(frame.blocks_added == 0);
}

TEST_CASE("reserve refuses fewer places than there are blocks and changes nothing", "[reserve]")
{
  default_volume v({.block_capacity = 2048}, test_stream());
  fuse_colored_sphere(v);
  const auto before = v.report();
  const auto bits   = bits_of(v);
  REQUIRE_THROWS_AS(v.reserve(1103), invalid_argument);
  REQUIRE_THROWS_WITH(v.reserve(1103), contains("1103"));
  REQUIRE_THROWS_AS(v.reserve(0), invalid_argument);
  REQUIRE_THROWS_AS(v.reserve(4096, 1000), invalid_argument);
  REQUIRE(v.report().block_capacity == before.block_capacity);
  REQUIRE(v.report().bytes == before.bytes);
  REQUIRE(bits_of(v) == bits);
}

TEST_CASE("reserve refuses a table with fewer slots than there are blocks and changes nothing", "[reserve]")
{
  default_volume v({.block_capacity = 2048}, test_stream());
  fuse_colored_sphere(v);
  const auto bits = bits_of(v);
  REQUIRE_THROWS_AS(v.reserve(2048, 1024), error);
  REQUIRE(v.report().table_capacity == 4096);
  REQUIRE(v.report().blocks == 1104);
  REQUIRE(bits_of(v) == bits);
}

TEST_CASE("reserve with a bounded probe that cannot place a block changes nothing", "[reserve]")
{
  bounded_volume v({.block_capacity = 2048, .table_capacity = 1 << 14}, test_stream());
  fuse_colored_sphere(v);
  REQUIRE(v.report().blocks == 1104);
  const auto bits = bits_of(v);
  REQUIRE_THROWS_AS(v.reserve(2048, 2048), error);
  REQUIRE(v.report().table_capacity == 1 << 14);
  REQUIRE(v.report().blocks == 1104);
  REQUIRE(bits_of(v) == bits);
}

TEST_CASE("reserve without memory changes nothing", "[reserve]")
{
  counting_resource<test_space> memory;
  default_volume v({.block_capacity = 2048}, test_stream(), memory);
  fuse_colored_sphere(v);
  const auto bits = bits_of(v);
  const auto held = memory.held;
  memory.limit    = 1 << 20;
  REQUIRE_THROWS_AS(v.reserve(1 << 16), out_of_memory);
  memory.limit = ~std::size_t{0};
  REQUIRE(memory.held == held);
  REQUIRE(v.report().block_capacity == 2048);
  REQUIRE(v.settings().block_capacity == 2048);
  REQUIRE(bits_of(v) == bits);
}

TEST_CASE("a volume without memory throws and leaks nothing", "[reserve]")
{
  counting_resource<test_space> memory;
  memory.limit = 1 << 20;
  REQUIRE_THROWS_AS((default_volume({.block_capacity = 1 << 16}, test_stream(), memory)), out_of_memory);
  REQUIRE(memory.held == 0);
  REQUIRE(memory.blocks == 0);
}

TEST_CASE("blocks without storage are forgotten by reserve and found room for by the next frame", "[reserve]")
{
  default_volume v({.block_capacity = 100}, test_stream());
  fuse_colored_sphere(v);
  REQUIRE(v.report().blocks == 100);
  REQUIRE(v.report().table_entries > 100);
  v.reserve(2048);
  REQUIRE(v.report().blocks == 100);
  REQUIRE(v.report().table_entries == 100);
  const auto points = upload(sphere_points(0.5, 100, 200));
  const auto frame  = v.integrate({.positions = points.span()}, origin);
  REQUIRE(frame.blocks == 1104);
  REQUIRE(frame.blocks_added == 1004);
  REQUIRE(frame.blocks_dropped == 0);
}

TEST_CASE("reserve of an empty volume works", "[reserve]")
{
  default_volume v({.block_capacity = 1}, test_stream());
  v.reserve(2048);
  fuse_colored_sphere(v);
  REQUIRE(v.report().blocks == 1104);
  REQUIRE(v.report().drops.lost() == 0);
}

}  // namespace cutsdf_test::reserves
