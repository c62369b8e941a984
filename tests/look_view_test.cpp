// What ray casts know of a camera: the blocks in view and the pixels that may see a cell.
#include "support/catch.hpp"

#include <cutsdf/grid/trilinear.hpp>
#include <cutsdf/look/view.hpp>

#include "support/scenes.hpp"
#include "support/space.hpp"
#include "support/volumes.hpp"

#include <random>
#include <set>

namespace cutsdf_test::look_views {

constexpr float voxel_size = 0.01f;
constexpr double block_m   = 0.08;

detail::camera_view view_of(const pinhole& camera, const Eigen::Isometry3f& pose, float min_depth = 0.1f,
                            float max_depth = 1.0e30f)
{
  return detail::camera_view::of(camera, to_rigid_motion(pose), 1.0f / voxel_size, min_depth, max_depth);
}

/// The listed ones of `blocks`, which are all distinct.
std::vector<bool> listed(const std::vector<vec3i>& blocks, const detail::camera_view& view)
{
  block_table<test_space, policies<>> table(1 << 13, 1 << 12, test_stream());
  const auto in = upload(blocks);
  buffer<std::uint32_t, test_space> places(in.size(), test_stream());
  table.insert_async(in.span(), places.data());
  buffer<detail::listed_block, test_space> list(table.capacity(), test_stream());
  list.fill_bytes(0);
  buffer<detail::cast_counts, test_space> counts(1, test_stream());
  counts.fill_bytes(0);
  const std::int64_t pixels = std::int64_t{view.width} * view.height;
  buffer<float, test_space> depth(pixels, test_stream());
  test_space::for_each(
    test_stream(), std::max(table.block_capacity(), pixels),
    detail::list_blocks<policies<>>{table.ref(), view, list.data(), counts.data(), depth.data(), pixels});
  for (const float z : depth.to_host()) {
    REQUIRE(z == detail::list_blocks<policies<>>::nothing);
  }

  std::vector<bool> found(blocks.size(), false);
  const auto place_of = places.to_host();
  const auto entries  = list.to_host();
  const auto count    = counts.to_host().front().blocks;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto at = std::find(place_of.begin(), place_of.end(), entries[i].place) - place_of.begin();
    REQUIRE(static_cast<std::size_t>(at) < blocks.size());
    REQUIRE(!found[static_cast<std::size_t>(at)]);
    found[static_cast<std::size_t>(at)] = true;
    const vec3i steps                   = blocks[static_cast<std::size_t>(at)] * block_side - view.base;
    REQUIRE(entries[i].origin == to_float(steps));
  }
  return found;
}

/// Depths, in voxels, between which a pixel's ray is inside a cube; empty where it misses it.
std::pair<double, double> inside(const Eigen::Vector3d& lower, double size, const pinhole& camera,
                                 const Eigen::Isometry3f& pose, int u, int v)
{
  const Eigen::Vector3d ray((u - double{camera.cx}) / double{camera.fx}, (v - double{camera.cy}) / double{camera.fy},
                            1.0);
  const Eigen::Vector3d along  = pose.linear().cast<double>() * ray;
  const Eigen::Vector3d origin = pose.translation().cast<double>() / double{voxel_size};
  double from = 0.0, to = 1.0e30;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = (lower[axis] - origin[axis]) / along[axis];
    const double b = (lower[axis] + size - origin[axis]) / along[axis];
    from           = std::max(from, std::min(a, b));
    to             = std::min(to, std::max(a, b));
  }
  return {from, to};
}

/// The lowest corner of the cell whose lowest voxel this is.
Eigen::Vector3d corner_of(const vec3i& voxel) { return Eigen::Vector3d(voxel.x, voxel.y, voxel.z).array() + 0.5; }

/// Every block of whose cells a pixel sees one is listed.
void check_blocks(const std::vector<vec3i>& blocks, const pinhole& camera, const Eigen::Isometry3f& pose)
{
  const auto view  = view_of(camera, pose);
  const auto found = listed(blocks, view);
  const int step   = std::max(1, camera.width / 40);
  int looked       = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (int v = 0; v < camera.height; v += step) {
      for (int u = 0; u < camera.width; u += step) {
        const auto [from, to] = inside(corner_of(blocks[i] * block_side), block_side, camera, pose, u, v);
        if (!(std::max(from, double{view.nearest}) <= to)) { continue; }
        ++looked;
        INFO("pixel " << u << ", " << v << ", block " << blocks[i].x << ", " << blocks[i].y << ", " << blocks[i].z);
        REQUIRE(found[i]);
      }
    }
  }
  REQUIRE((looked > 0 || camera.height < 20));
}

std::vector<vec3i> random_blocks(unsigned seed, int count, int reach)
{
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> coordinate(-reach, reach);
  std::set<std::array<std::int32_t, 3>> distinct;
  for (int i = 0; i < count; ++i) {
    distinct.insert({coordinate(random), coordinate(random), coordinate(random)});
  }
  std::vector<vec3i> blocks;
  for (const auto& [x, y, z] : distinct) {
    blocks.push_back({x, y, z});
  }
  return blocks;
}

TEST_CASE("no block in view is missing from the list", "[look]")
{
  const auto camera = GENERATE(camera_of(64, 48, 60.0), camera_of(37, 29, 90.0), camera_of(1, 1, 40.0),
                               camera_of(161, 9, 120.0), camera_of(640, 481, 60.0));
  SECTION("all around the camera, some across its plane, some around the camera itself")
  {
    const auto blocks = random_blocks(1, 100, 3);
    check_blocks(blocks, camera, look_at({0.01, 0.02, 0.03}, {0.3, 0.5, 1.0}));
    check_blocks(blocks, camera, look_at({0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}));
    check_blocks(blocks, camera, look_at({0.04, 0.04, 0.04}, {1.0, 0.2, -0.3}));
  }
  SECTION("far away") { check_blocks(random_blocks(2, 400, 200), camera, look_at({0.5, -1.0, 0.2}, {0.1, 0.2, 0.3})); }
  SECTION("far from the world's origin")
  {
    auto blocks = random_blocks(3, 200, 10);
    for (vec3i& block : blocks) {
      block = block + vec3i{20000, -30000, 10000};
    }
    const Eigen::Vector3d middle(20000 * block_m, -30000 * block_m, 10000 * block_m);
    check_blocks(blocks, camera, look_at(middle - Eigen::Vector3d(1.0, 0.5, 2.0), middle));
  }
}

TEST_CASE("blocks out of view are not listed", "[look]")
{
  const auto camera = camera_of(64, 48, 60.0);
  const auto ahead  = look_at({0.0, 0.0, 0.0}, {0.0, 0.0, 1.0});
  const auto lists  = [&](const vec3i& block, float min_depth, float max_depth) {
    return static_cast<bool>(listed({block}, view_of(camera, ahead, min_depth, max_depth)).front());
  };
  REQUIRE(!lists({0, 0, -5}, 0.1f, 1.0e30f));   // behind
  REQUIRE(!lists({100, 0, 3}, 0.1f, 1.0e30f));  // beside
  REQUIRE(!lists({0, 0, 3}, 1.0f, 1.0e30f));    // before min_depth
  REQUIRE(!lists({0, 0, 30}, 0.1f, 1.0f));      // beyond max_depth
  REQUIRE(lists({0, 0, 3}, 0.1f, 1.0e30f));
}

TEST_CASE("the pixels around a cell are all that see it, and few more", "[look]")
{
  const auto camera = GENERATE(camera_of(64, 48, 60.0), camera_of(161, 9, 120.0), camera_of(640, 481, 60.0));
  const auto reach  = GENERATE(2, 40, 900);  // voxels: across the camera's plane, close, far
  const Eigen::Vector3d eye(0.013, -0.021, 0.008);
  const auto pose = look_at(eye, {0.4, 0.3, 1.0});
  const auto view = view_of(camera, pose, 0.001f);
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int32_t> coordinate(-reach, reach);
  int seen = 0;
  for (int i = 0; i < 300; ++i) {
    const vec3i voxel{coordinate(random), coordinate(random), coordinate(random)};
    const auto box  = view.around_cell(view.centre(voxel - view.base));
    const auto cell = corner_of(voxel);
    // A tight box, where the whole cell is before the camera.
    const Eigen::Isometry3d to_camera = pose.cast<double>().inverse();
    Eigen::Vector2d least(1.0e30, 1.0e30), most(-1.0e30, -1.0e30);
    double nearest = 1.0e30;
    for (int c = 0; c < 8; ++c) {
      const Eigen::Vector3d p = to_camera * ((cell + Eigen::Vector3d(c & 1, c >> 1 & 1, c >> 2)) * double{voxel_size});
      const Eigen::Vector2d at(double{camera.fx} * p.x() / p.z() + double{camera.cx},
                               double{camera.fy} * p.y() / p.z() + double{camera.cy});
      least   = least.cwiseMin(at);
      most    = most.cwiseMax(at);
      nearest = std::min(nearest, p.z());
    }
    if (nearest > 3.0 * double{voxel_size} && box.left <= box.right && box.top <= box.bottom) {
      const double wide = (most - least).x(), high = (most - least).y();
      REQUIRE(box.right - box.left + 1 <= 1.5 * wide + 2.0);
      REQUIRE(box.bottom - box.top + 1 <= 1.5 * high + 2.0);
    }
    const int step = std::max(1, camera.width / 40);
    for (int v = 0; v < camera.height; v += step) {
      for (int u = 0; u < camera.width; u += step) {
        const auto [from, to] = inside(cell, 1.0, camera, pose, u, v);
        if (!(std::max(from, double{view.nearest}) <= to)) { continue; }
        ++seen;
        INFO("pixel " << u << ", " << v << ", cell " << voxel.x << ", " << voxel.y << ", " << voxel.z << ", box "
                      << box.left << " " << box.top << " " << box.right << " " << box.bottom);
        REQUIRE((box.left <= u && u <= box.right && box.top <= v && v <= box.bottom));
      }
    }
  }
  REQUIRE((seen > 0 || reach > 100));
}

TEST_CASE("the field of a cell by powers is the one between its corners", "[look]")
{
  // What rounding may do is far below the slack that casts allow where two cells meet (look/cells.hpp).
  constexpr double rounding = 2.0e-6;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> distance(-1.0f, 1.0f);
  std::uniform_real_distribution<float> inside(0.0f, 1.0f);
  for (int round = 0; round < 2000; ++round) {
    detail::trilinear corners, across;  // and the next cell along x
    for (int i = 0; i < 8; ++i) {
      corners.d[i] = distance(random);
      across.d[i]  = distance(random);
    }
    for (int i = 0; i < 8; i += 2) {
      across.d[i] = corners.d[i + 1];
    }
    const auto field = detail::trilinear_powers::of(corners);
    for (int i = 0; i < 8; ++i) {
      const vec3f corner{static_cast<float>(i & 1), static_cast<float>(i >> 1 & 1), static_cast<float>(i >> 2)};
      REQUIRE(std::abs(double{field.at(corner)} - double{corners.d[i]}) <= rounding);
    }
    const vec3f t{inside(random), inside(random), inside(random)};
    double expected = 0.0;
    for (int i = 0; i < 8; ++i) {
      const double x = (i & 1) != 0 ? double{t.x} : 1.0 - double{t.x};
      const double y = (i & 2) != 0 ? double{t.y} : 1.0 - double{t.y};
      const double z = (i & 4) != 0 ? double{t.z} : 1.0 - double{t.z};
      expected += x * y * z * double{corners.d[i]};
    }
    REQUIRE(std::abs(double{field.at(t)} - expected) <= rounding);
    const float here  = field.at({1.0f, t.y, t.z});
    const float there = detail::trilinear_powers::of(across).at({0.0f, t.y, t.z});
    REQUIRE(std::abs(double{here} - double{there}) <= rounding);
  }
}

}  // namespace cutsdf_test::look_views
