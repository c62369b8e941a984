// What ray casts know beforehand of the depths at which there are blocks.
#include "support/catch.hpp"

#include <cutsdf/look/tiles.hpp>

#include "support/scenes.hpp"
#include "support/space.hpp"
#include "support/volumes.hpp"

#include <random>

namespace cutsdf_test::look_tiles {

using detail::depth_slabs;

constexpr float voxel_size = 0.01f;
constexpr double block_m   = 0.08;

/// The tiles of an image, on the host, with a pyramid that reads them there.
struct view_tiles {
  detail::ray_bundle rays;
  std::vector<detail::tile_depths> tiles;
  detail::tile_pyramid pyramid;
};

view_tiles tiles_of(const std::vector<vec3i>& blocks, const pinhole& camera, const Eigen::Isometry3f& pose,
                    float min_depth = 0.1f, float max_depth = 1.0e30f)
{
  block_table<test_space, policies<>> table(1 << 13, 1 << 12, test_stream());
  const auto in = upload(blocks);
  buffer<std::uint32_t, test_space> indices(in.size(), test_stream());
  table.insert_async(in.span(), indices.data());
  buffer<detail::tile_depths, test_space> tiles(detail::most_tiles, test_stream());
  tiles.fill_bytes(0);
  const auto motion  = to_rigid_motion(pose);
  const auto rays    = detail::rays_of(camera, motion, 1.0f / voxel_size, min_depth, max_depth);
  const auto pyramid = detail::tile_pyramid::over(camera.width, camera.height, tiles.data());
  REQUIRE(pyramid.size() <= detail::most_tiles);
  test_space::for_each(test_stream(), table.block_capacity(),
                       detail::enter_blocks<policies<>>::make(table.ref(), rays, pyramid, camera, motion));
  view_tiles result{rays, tiles.to_host(), pyramid};
  result.pyramid.tiles = result.tiles.data();
  return result;
}

/// Depths, in voxels, between which a pixel's ray is inside a block; empty where it misses it.
std::pair<double, double> inside(const vec3i& block, const pinhole& camera, const Eigen::Isometry3f& pose, int u, int v)
{
  const Eigen::Vector3d ray((u - double{camera.cx}) / double{camera.fx}, (v - double{camera.cy}) / double{camera.fy},
                            1.0);
  const Eigen::Vector3d along  = pose.linear().cast<double>() * ray;
  const Eigen::Vector3d origin = pose.translation().cast<double>() / double{voxel_size};
  const Eigen::Vector3d lower  = Eigen::Vector3d(block.x, block.y, block.z) * 8.0;
  double from = 0.0, to = 1.0e30;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = (lower[axis] - origin[axis]) / along[axis];
    const double b = (lower[axis] + 8.0 - origin[axis]) / along[axis];
    from           = std::max(from, std::min(a, b));
    to             = std::min(to, std::max(a, b));
  }
  return {from, to};
}

/// Every depth at which a pixel looks into a block is among those that its tiles tell.
void check_conservative(const std::vector<vec3i>& blocks, const pinhole& camera, const Eigen::Isometry3f& pose)
{
  const auto view = tiles_of(blocks, camera, pose);
  const int step  = std::max(1, camera.width / 40);
  int looked      = 0;
  for (int v = 0; v < camera.height; v += step) {
    for (int u = 0; u < camera.width; u += step) {
      const auto occupied = view.pyramid.around(u, v);
      for (const vec3i& block : blocks) {
        auto [from, to] = inside(block, camera, pose, u, v);
        from            = std::max(from, double{view.rays.nearest});
        if (!(from <= to)) { continue; }
        ++looked;
        for (int i = 0; i <= 8; ++i) {
          const auto depth = static_cast<float>(from + (to - from) * i / 8.0);
          INFO("pixel " << u << ", " << v << ", block " << block.x << ", " << block.y << ", " << block.z << ", depth "
                        << depth);
          REQUIRE(occupied.next(depth) == depth);
        }
      }
    }
  }
  REQUIRE((looked > 0 || camera.height < 20));
}

std::vector<vec3i> random_blocks(unsigned seed, int count, int reach)
{
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> coordinate(-reach, reach);
  std::vector<vec3i> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back({coordinate(random), coordinate(random), coordinate(random)});
  }
  return blocks;
}

TEST_CASE("slabs of depth follow each other", "[look]")
{
  REQUIRE(depth_slabs::index(0.0f) == 0);
  REQUIRE(depth_slabs::index(std::nextafter(depth_slabs::limit, 0.0f)) == 63);
  for (int i = 0; i < 64; ++i) {
    REQUIRE(depth_slabs::index(depth_slabs::start(i)) == i);
    REQUIRE(depth_slabs::start(i + 1) - depth_slabs::start(i) == (i < 32 ? 8.0f : 16.0f));
  }
}

TEST_CASE("the next depth with blocks is found", "[look]")
{
  detail::occupied_depths depths;
  REQUIRE(depths.next(10.0f) > 1.0e30f);
  depths.slabs = std::uint64_t{1} << 4 | std::uint64_t{1} << 40;
  REQUIRE(depths.next(0.0f) == depth_slabs::start(4));
  REQUIRE(depths.next(35.0f) == 35.0f);
  REQUIRE(depths.next(40.0f) == depth_slabs::start(40));
  REQUIRE(depths.next(depth_slabs::start(41)) > 1.0e30f);
  depths.beyond_first = 1.0e5f;
  depths.beyond_last  = 2.0e5f;
  REQUIRE(depths.next(depth_slabs::start(41)) == 1.0e5f);
  REQUIRE(depths.next(1.5e5f) == 1.5e5f);
  REQUIRE(depths.next(2.5e5f) > 1.0e30f);
}

TEST_CASE("no block is missing from the tiles that see it", "[look]")
{
  const auto camera = GENERATE(camera_of(64, 48, 60.0), camera_of(37, 29, 90.0), camera_of(1, 1, 40.0),
                               camera_of(161, 9, 120.0), camera_of(640, 481, 60.0));
  SECTION("all around the camera, some across its plane, some around the camera itself")
  {
    auto blocks = random_blocks(1, 60, 6);
    for (const vec3i& block : {vec3i{0, 0, 0}, vec3i{-1, 0, 0}, vec3i{0, -1, -1}, vec3i{1, 0, 0}}) {
      blocks.push_back(block);
    }
    check_conservative(blocks, camera, look_at({0.01, 0.02, 0.03}, {0.3, 0.5, 1.0}));
    check_conservative(blocks, camera, look_at({0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    check_conservative(blocks, camera, look_at({0.04, 0.04, 0.04}, {1.0, 0.2, -0.3}));
  }
  SECTION("far away, beyond the slabs")
  {
    check_conservative(random_blocks(2, 400, 200), camera, look_at({0.5, -1.0, 0.2}, {0.1, 0.2, 0.3}));
  }
  SECTION("far from the world's origin")
  {
    auto blocks = random_blocks(3, 200, 10);
    for (vec3i& block : blocks) {
      block = block + vec3i{20000, -30000, 10000};
    }
    const Eigen::Vector3d middle(20000 * block_m, -30000 * block_m, 10000 * block_m);
    check_conservative(blocks, camera, look_at(middle - Eigen::Vector3d(1.0, 0.5, 2.0), middle));
  }
}

TEST_CASE("tiles see nothing where there is nothing", "[look]")
{
  const auto camera = camera_of(64, 48, 60.0);
  const auto ahead  = look_at({0.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
  const auto empty  = [](const view_tiles& view) {
    for (const auto& tile : view.tiles) {
      if (tile.slabs != 0 || tile.beyond_last != 0) { return false; }
    }
    return true;
  };
  REQUIRE(empty(tiles_of({{0, 0, -5}}, camera, ahead)));              // behind
  REQUIRE(empty(tiles_of({{100, 0, 3}}, camera, ahead)));             // beside
  REQUIRE(empty(tiles_of({{0, 0, 3}}, camera, ahead, 1.0f)));         // before min_depth
  REQUIRE(empty(tiles_of({{0, 0, 30}}, camera, ahead, 0.1f, 1.0f)));  // beyond max_depth
  REQUIRE(!empty(tiles_of({{0, 0, 3}}, camera, ahead)));
}

TEST_CASE("images of any size have few tiles", "[look]")
{
  for (const auto& [width, height] : {std::pair{1, 1}, {640, 480}, {4096, 3072}, {1 << 30, 1}, {1, 65536}, {9, 7}}) {
    INFO(width << " x " << height);
    const auto pyramid = detail::tile_pyramid::over(width, height, nullptr);
    REQUIRE(pyramid.size() <= detail::most_tiles);
    REQUIRE(pyramid.columns_at(pyramid.levels - 1) == 1);
    REQUIRE(pyramid.rows_at(pyramid.levels - 1) == 1);
  }
  REQUIRE(detail::tile_pyramid::over(640, 480, nullptr).shift == 3);
}

}  // namespace cutsdf_test::look_tiles
