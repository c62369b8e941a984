// Inputs that broke other systems, each with the right value.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/mesh_checks.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::hostile {

const Eigen::Vector3f origin          = Eigen::Vector3f::Zero();
const Eigen::Isometry3f identity_pose = Eigen::Isometry3f::Identity();

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

depth_view<float> view(const buffer<float, test_space>& image, int width, int height)
{
  return {.data = image.data(), .width = width, .height = height};
}

// ---- coordinates around zero ---------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("points left of zero land in negative voxels", "[hostile]", default_volume, paper_volume)
{
  const std::vector<std::pair<float, int>> expected{{-0.05f, -1}, {0.05f, 0}, {-0.5f, -5}, {0.0f, 0}, {-0.0f, 0}};
  for (const auto& [x, voxel_x] : expected) {
    INFO("x " << x);
    TestType v({.voxel_size = 0.1f, .truncation = 0.2f, .block_capacity = 64}, test_stream());
    const auto points = upload(std::vector<vec3f>{{x, 0.05f, 1.06f}});
    static_cast<void>(v.integrate({.positions = points.span()}, {x, 0.05f, -2.05f}));  // the ray keeps its x
    const auto voxels = observed_voxels(v);
    REQUIRE(voxels.size() == 5);
    for (const auto& [voxel, value] : voxels) {
      REQUIRE(voxel.x == voxel_x);
    }
  }
}

struct sides {
  std::array<int, 3> negative{};
  std::array<int, 3> positive{};
};

/// Observed voxels within the truncation of the plane, counted by the sign of each coordinate.
sides count_sides(const voxel_map& voxels, int axis, int reach)
{
  sides result;
  for (const auto& [voxel, value] : voxels) {
    const std::array<int, 3> c{voxel.x, voxel.y, voxel.z};
    if (c[static_cast<std::size_t>(axis)] < -reach || c[static_cast<std::size_t>(axis)] >= reach) { continue; }
    for (std::size_t i = 0; i < 3; ++i) {
      ++(c[i] < 0 ? result.negative : result.positive)[i];
    }
  }
  return result;
}

TEST_CASE("a plane of points through zero has equally many voxels on both sides", "[hostile]")
{
  for (int axis = 0; axis < 3; ++axis) {
    INFO("axis " << axis);
    std::vector<vec3f> points;
    for (int i = -40; i < 40; ++i) {
      for (int j = -40; j < 40; ++j) {
        const float a = (static_cast<float>(i) + 0.5f) * 0.05f;
        const float b = (static_cast<float>(j) + 0.5f) * 0.05f;
        points.push_back(axis == 0 ? vec3f{0.0f, a, b} : axis == 1 ? vec3f{a, 0.0f, b} : vec3f{a, b, 0.0f});
      }
    }
    Eigen::Vector3f camera = Eigen::Vector3f::Zero();
    camera[axis]           = -50.0f;
    default_volume v({.voxel_size = 0.1f, .truncation = 0.4f, .block_capacity = 1024}, test_stream());
    const auto uploaded = upload(points);
    static_cast<void>(v.integrate({.positions = uploaded.span()}, camera));
    const auto counted = count_sides(observed_voxels(v), axis, 4);
    REQUIRE(counted.negative[0] > 1000);
    for (std::size_t i = 0; i < 3; ++i) {
      REQUIRE(counted.negative[i] == counted.positive[i]);
    }
  }
}

TEST_CASE("an image of a plane through zero has equally many voxels on both sides", "[hostile]")
{
  const auto camera = camera_of(64, 64, 60.0);
  for (int axis = 0; axis < 3; ++axis) {
    INFO("axis " << axis);
    Eigen::Vector3d eye = Eigen::Vector3d::Zero();
    eye[axis]           = -2.0;
    const auto image    = upload(std::vector<float>(std::size_t{64} * 64, 2.0f));
    default_volume v({.voxel_size = 0.1f, .truncation = 0.4f, .block_capacity = 1024}, test_stream());
    static_cast<void>(v.integrate(view(image, 64, 64), camera, look_at(eye, Eigen::Vector3d::Zero())));
    const auto counted = count_sides(observed_voxels(v), axis, 4);
    REQUIRE(counted.negative[0] > 1000);
    for (std::size_t i = 0; i < 3; ++i) {
      if (static_cast<int>(i) == axis) {
        // Along the view the frustum widens: the far side has the more voxels, but as many layers.
        REQUIRE(counted.positive[i] >= counted.negative[i]);
      } else {
        REQUIRE(counted.negative[i] == counted.positive[i]);
      }
    }
  }
}

// ---- many blocks ---------------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("points in blocks that share a hash are both fused", "[hostile]", default_volume, paper_volume)
{
  constexpr float block_size = 0.08f;
  const std::vector<vec3i> blocks{{-6, -6, 90}, {6, 6, 90}};
  std::vector<vec3f> points;
  for (const auto& b : blocks) {
    points.push_back((to_float(b) + vec3f{0.5f, 0.5f, 0.5f}) * block_size);
  }
  TestType v({.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 16, .table_capacity = 1 << 20},
             test_stream());
  const auto uploaded = upload(points);
  const auto frame    = v.integrate({.positions = uploaded.span()}, origin);
  REQUIRE(frame.blocks == 2);
  REQUIRE(blocks_of(v) == block_set(blocks.begin(), blocks.end()));
}

template <class Volume>
frame_result fuse_centres(Volume& v, int reach)
{
  const auto points = upload(block_centres(reach, 90, 0.08));
  return v.integrate({.positions = points.span()}, origin);
}

/// A pixel per block: its ray passes through the middle of the block.
template <class Volume>
frame_result fuse_centres_image(Volume& v, int reach)
{
  const int side   = 2 * reach + 1;
  const float z    = 90.5f * 0.08f;
  const float mid  = static_cast<float>(reach) - 0.5f;
  const auto image = upload(std::vector<float>(static_cast<std::size_t>(side) * static_cast<std::size_t>(side), z));
  return v.integrate(view(image, side, side), pinhole{90.5f, 90.5f, mid, mid, side, side}, identity_pose);
}

block_set plane_blocks(int reach)
{
  block_set blocks;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      blocks.insert({x, y, 90});
    }
  }
  return blocks;
}

TEMPLATE_TEST_CASE("a plane of 81 x 81 blocks is allocated by one call", "[hostile]", default_volume, paper_volume,
                   slot_volume)
{
  const volume_settings settings{
    .voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 8192, .table_capacity = 16384};
  SECTION("of points")
  {
    TestType v(settings, test_stream());
    const auto frame = fuse_centres(v, 40);
    REQUIRE(frame.blocks == 6561);
    REQUIRE(frame.blocks_dropped == 0);
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(blocks_of(v) == plane_blocks(40));
  }
  SECTION("of pixels")
  {
    TestType v(settings, test_stream());
    const auto frame = fuse_centres_image(v, 40);
    REQUIRE(frame.blocks == 6561);
    REQUIRE(frame.blocks_updated == 6561);
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(blocks_of(v) == plane_blocks(40));
  }
}

// ---- no room -------------------------------------------------------------------------------------------------------

/// Number of contributions, where each weighs 1.
std::uint64_t contributions(const voxel_map& voxels)
{
  double sum = 0.0;
  for (const auto& [voxel, value] : voxels) {
    sum += double{value.weight};
  }
  return static_cast<std::uint64_t>(sum);
}

/// What a volume with room for 64 of 81 blocks must do, then with room for all.
template <class Volume, class Fuse>
void check_capacity_64(const Fuse& fuse)
{
  volume_settings settings{.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 128};
  Volume roomy(settings, test_stream());
  const auto complete = fuse(roomy);
  REQUIRE(complete.blocks == 81);
  REQUIRE(complete.blocks_dropped == 0);
  const auto all = observed_voxels(roomy);

  settings.block_capacity = 64;
  Volume v(settings, test_stream());
  const auto first = fuse(v);
  REQUIRE(first.blocks == 64);
  REQUIRE(first.blocks_added == 64);
  REQUIRE(first.blocks_dropped == 17);
  REQUIRE(first.valid == complete.valid);
  const auto kept = observed_voxels(v);
  REQUIRE(blocks_of(v).size() == 64);
  for (const auto& [voxel, value] : kept) {
    REQUIRE(value.weight == all.at(voxel).weight);
    REQUIRE(value.distance == all.at(voxel).distance);
  }
  // Each contribution is either in a voxel or counted.
  REQUIRE(kept.size() < all.size());
  REQUIRE(first.drops[drop_cause::pool_full] == contributions(all) - contributions(kept));
  REQUIRE(first.drops.lost() == first.drops[drop_cause::pool_full]);
  REQUIRE(v.report().table_entries == 81);

  // Again: nothing changes but the weights.
  const auto second = fuse(v);
  REQUIRE(second.blocks == 64);
  REQUIRE(second.blocks_added == 0);
  REQUIRE(second.blocks_dropped == 17);
  REQUIRE(second.drops[drop_cause::pool_full] == first.drops[drop_cause::pool_full]);
  REQUIRE(v.report().drops[drop_cause::pool_full] == 2 * first.drops[drop_cause::pool_full]);

  v.reserve(128);
  REQUIRE(v.report().blocks == 64);
  const auto third = fuse(v);
  REQUIRE(third.blocks == 81);
  REQUIRE(third.blocks_added == 17);
  REQUIRE(third.blocks_dropped == 0);
  REQUIRE(third.drops.lost() == 0);
  REQUIRE(blocks_of(v) == blocks_of(roomy));
  const auto now = observed_voxels(v);
  REQUIRE(now.size() == all.size());
  for (const auto& [voxel, value] : now) {
    REQUIRE(value.weight == (kept.contains(voxel) ? 3.0f : 1.0f) * all.at(voxel).weight);
    REQUIRE(value.distance == Approx(all.at(voxel).distance).margin(1e-6));
  }
}

TEMPLATE_TEST_CASE("room for 64 of 81 blocks of points", "[hostile]", default_volume, paper_volume)
{
  check_capacity_64<TestType>([](auto& v) { return fuse_centres(v, 4); });
}

TEMPLATE_TEST_CASE("room for 64 of 81 blocks of an image", "[hostile]", default_volume, paper_volume)
{
  check_capacity_64<TestType>([](auto& v) { return fuse_centres_image(v, 4); });
}

TEMPLATE_TEST_CASE("a table of 64 slots for 81 blocks reports what it lost", "[hostile]", default_volume, paper_volume,
                   slot_volume)
{
  const volume_settings roomy_settings{
    .voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 128, .table_capacity = 256};
  const volume_settings settings{.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 128, .table_capacity = 64};
  TestType roomy(roomy_settings, test_stream());
  static_cast<void>(fuse_centres(roomy, 4));
  const auto all = observed_voxels(roomy);

  TestType v(settings, test_stream());
  const auto frame = fuse_centres(v, 4);
  REQUIRE(frame.blocks == 64);
  const auto kept = observed_voxels(v);
  REQUIRE(frame.drops[drop_cause::table_full] == contributions(all) - contributions(kept));
  REQUIRE(frame.drops[drop_cause::table_full] > 0);
  REQUIRE(frame.drops.lost() == frame.drops[drop_cause::table_full]);
  for (const auto& [voxel, value] : kept) {
    REQUIRE(value.distance == all.at(voxel).distance);
  }

  TestType images(settings, test_stream());
  const auto from_image = fuse_centres_image(images, 4);
  REQUIRE(from_image.blocks == 64);
  REQUIRE(from_image.drops[drop_cause::table_full] == 17);  // each block is on the ray of one pixel
  REQUIRE(from_image.drops.lost() == 17);

  // After growing the table the same call completes it.
  v.reserve(128, 256);
  const auto again = fuse_centres(v, 4);
  REQUIRE(again.blocks == 81);
  REQUIRE(again.blocks_added == 17);
  REQUIRE(again.drops.lost() == 0);
}

TEST_CASE("a bounded probe reports what it lost", "[hostile]")
{
  // 961 blocks in 1024 slots: chains longer than eight.
  default_volume complete({.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 1024}, test_stream());
  REQUIRE(fuse_centres(complete, 15).blocks == 961);
  const auto all = observed_voxels(complete);
  bounded_volume v({.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 1024, .table_capacity = 1024},
                   test_stream());
  const auto frame = fuse_centres(v, 15);
  const auto kept  = observed_voxels(v);
  REQUIRE(frame.drops[drop_cause::probe_bound] == contributions(all) - contributions(kept));
  REQUIRE(frame.drops.lost() == frame.drops[drop_cause::probe_bound]);
  REQUIRE(frame.blocks == blocks_of(v).size());
  REQUIRE(frame.blocks < 961);
  bounded_volume images({.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 1024, .table_capacity = 1024},
                        test_stream());
  const auto from_image = fuse_centres_image(images, 15);
  REQUIRE(from_image.drops[drop_cause::probe_bound] == 961 - from_image.blocks);
  bounded_volume wide({.voxel_size = 0.01f, .truncation = 0.01f, .block_capacity = 1024, .table_capacity = 1 << 16},
                      test_stream());
  const auto found = fuse_centres(wide, 15);
  REQUIRE(found.blocks == 961);
  REQUIRE(found.drops.lost() == 0);
}

// ---- nothing to do -------------------------------------------------------------------------------------------------

void require_untouched(default_volume& v)
{
  test_stream().wait();
  REQUIRE(v.report().blocks == 0);
  REQUIRE(v.report().drops.lost() == 0);
  REQUIRE(observed_voxels(v).empty());
}

TEST_CASE("an empty cloud does nothing", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto frame = v.integrate(point_cloud{}, origin);
  REQUIRE(frame.valid == 0);
  REQUIRE(frame.blocks == 0);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 0);
  require_untouched(v);
  REQUIRE(v.report().frames == 1);
}

TEST_CASE("an image of 0 x 0 pixels does nothing", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{0, 0}, {64, 0}, {0, 48}}) {
    const auto frame = v.integrate(depth_view<float>{.data = nullptr, .width = width, .height = height},
                                   pinhole{50.0f, 50.0f, 0.0f, 0.0f, width, height}, identity_pose);
    REQUIRE(frame.valid == 0);
    REQUIRE(frame.blocks == 0);
    require_untouched(v);
    const auto color = upload(std::vector<rgb8>(4));
    const auto colored =
      v.integrate(depth_view<float>{.data = nullptr, .width = width, .height = height}, {color.data(), 2, 2},
                  pinhole{50.0f, 50.0f, 0.0f, 0.0f, width, height}, identity_pose);
    REQUIRE(colored.valid == 0);
    require_untouched(v);
  }
}

TEST_CASE("an image without data is refused", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  REQUIRE_THROWS_AS(
    v.integrate(depth_view<float>{.data = nullptr, .width = 32, .height = 24}, camera_of(32, 24, 60.0), identity_pose),
    invalid_argument);
  require_untouched(v);
}

TEST_CASE("settings that would take for ever or divide by nothing are refused with their value", "[hostile]")
{
  const auto refused = [](float voxel, float truncation) -> std::string {
    try {
      default_volume v({.voxel_size = voxel, .truncation = truncation, .block_capacity = 8}, test_stream());
    } catch (const invalid_argument& failure) {
      return failure.what();
    }
    return {};
  };
  REQUIRE(refused(1e-3f, 1e6f).find("1e+09") != std::string::npos);
  REQUIRE(refused(1e-40f, 1e-38f).find("inf") != std::string::npos);
  REQUIRE(refused(1e-8f, 1e-9f).find("1e-09") != std::string::npos);
}

TEST_CASE("an image without a valid pixel does nothing", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto camera = camera_of(32, 24, 60.0);
  for (const float nothing : {0.0f, nan, inf, -inf, -1.0f, 0.05f}) {
    INFO("depth " << nothing);
    const auto image = upload(std::vector<float>(std::size_t{32} * 24, nothing));
    const auto frame = v.integrate(view(image, 32, 24), camera, identity_pose);
    REQUIRE(frame.valid == 0);
    REQUIRE(frame.blocks_updated == 0);
    REQUIRE(frame.drops[drop_cause::invalid_input] == 32 * 24);
    require_untouched(v);
  }
  for (const std::uint16_t nothing : {std::uint16_t{0}, std::uint16_t{65535}, std::uint16_t{99}}) {
    const auto image = upload(std::vector<std::uint16_t>(std::size_t{32} * 24, nothing));
    const auto frame =
      v.integrate(depth_view<std::uint16_t>{.data = image.data(), .width = 32, .height = 24}, camera, identity_pose);
    REQUIRE(frame.valid == 0);
    REQUIRE(frame.drops[drop_cause::invalid_input] == 32 * 24);
    require_untouched(v);
  }
}

// ---- absurd depths -------------------------------------------------------------------------------------------------

TEST_CASE("one absurd pixel allocates nothing", "[hostile]")
{
  const auto camera = camera_of(64, 48, 60.0);
  const auto fuse   = [&](float absurd) {
    std::vector<float> depths(std::size_t{64} * 48, 5.0f);
    depths[std::size_t{20} * 64 + 30] = absurd;
    const auto image                  = upload(depths);
    auto v           = std::make_unique<default_volume>(volume_settings{.block_capacity = 1 << 15}, test_stream());
    const auto frame = v->integrate(view(image, 64, 48), camera, identity_pose);
    REQUIRE(frame.blocks_dropped == 0);
    REQUIRE(frame.drops.lost() == 0);
    return std::pair(std::move(v), frame);
  };
  const auto [without, plain] = fuse(0.0f);
  REQUIRE(plain.valid == 64 * 48 - 1);
  for (const float depth : {1.7e7f, 1.0e30f, inf, nan}) {
    INFO("depth " << depth);
    const auto [with, frame] = fuse(depth);
    REQUIRE(frame.valid == plain.valid);
    REQUIRE(frame.blocks == plain.blocks);
    REQUIRE(blocks_of(*with) == blocks_of(*without));
    REQUIRE(with->report().bytes == without->report().bytes);
  }
}

TEST_CASE("metres read as millimetres are no measurements", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto camera           = camera_of(32, 24, 60.0);
  const auto image            = upload(std::vector<float>(std::size_t{32} * 24, 2.5f));
  auto wrong_scale            = view(image, 32, 24);
  wrong_scale.units_per_metre = 1000.0f;
  const auto frame            = v.integrate(wrong_scale, camera, identity_pose);
  REQUIRE(frame.valid == 0);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 32 * 24);
  require_untouched(v);
}

// ---- where things are ----------------------------------------------------------------------------------------------

/// Crossings along an axis in the four columns of voxels around a ray that runs along the edges of voxels: those of
/// them that were observed.
template <class Volume>
std::vector<double> crossings_around(Volume& v, vec3i start, int axis)
{
  std::vector<double> found;
  for (int i = 0; i < 4; ++i) {
    const int a     = -(i & 1);
    const int b     = -(i >> 1);
    const double at = crossing_along(v, start + (axis == 0 ? vec3i{0, a, b} : vec3i{a, b, 0}), axis, 20);
    if (!std::isnan(at)) { found.push_back(at * 0.01); }
  }
  return found;
}

TEMPLATE_TEST_CASE("a camera one metre to the right that measures 2 m sees the surface there", "[hostile]",
                   default_volume, paper_volume)
{
  const pinhole camera{50.0f, 50.0f, 16.0f, 12.0f, 33, 25};
  std::vector<float> depths(std::size_t{33} * 25, 0.0f);
  depths[std::size_t{12} * 33 + 16] = 2.0f;  // the centre pixel alone
  const auto image                  = upload(depths);
  Eigen::Isometry3f pose            = Eigen::Isometry3f::Identity();
  pose.translation()                = Eigen::Vector3f(1.0f, 0.0f, 0.0f);

  SECTION("looking ahead")
  {
    TestType v({.block_capacity = 64}, test_stream());
    REQUIRE(v.integrate(view(image, 33, 25), camera, pose).valid == 1);
    const auto surface = crossings_around(v, {100, 0, 190}, 2);  // around (1, 0, 2)
    REQUIRE_FALSE(surface.empty());
    for (const double z : surface) {
      REQUIRE(z == Approx(2.0).margin(tolerance::position));
    }
    for (const auto& [voxel, value] : observed_voxels(v)) {
      REQUIRE(std::abs((voxel.x + 0.5) * 0.01 - 1.0) < 0.03);  // the pixel's own width
      REQUIRE(std::abs((voxel.y + 0.5) * 0.01) < 0.03);
    }
  }
  SECTION("after a quarter turn about y, which takes z to x")
  {
    pose.rotate(Eigen::AngleAxisf(0.5f * std::numbers::pi_v<float>, Eigen::Vector3f::UnitY()));
    TestType v({.block_capacity = 64}, test_stream());
    REQUIRE(v.integrate(view(image, 33, 25), camera, pose).valid == 1);
    const auto surface = crossings_around(v, {290, 0, 0}, 0);  // around (3, 0, 0)
    REQUIRE_FALSE(surface.empty());
    for (const double x : surface) {
      REQUIRE(x == Approx(3.0).margin(tolerance::position));
    }
    for (const auto& [voxel, value] : observed_voxels(v)) {
      REQUIRE(std::abs((voxel.z + 0.5) * 0.01) < 0.03);
      REQUIRE(std::abs((voxel.y + 0.5) * 0.01) < 0.03);
    }
  }
  SECTION("as a point")
  {
    TestType v({.block_capacity = 64}, test_stream());
    const auto points = upload(std::vector<vec3f>{{1.005f, 0.005f, 2.0f}});
    static_cast<void>(v.integrate({.positions = points.span()}, {1.005f, 0.005f, 0.0f}));
    REQUIRE(crossing_along(v, {100, 0, 190}, 2, 20) * 0.01 == Approx(2.0).margin(2e-6));
  }
}

TEST_CASE("a frame of the TUM camera has a mesh", "[hostile]")
{
  const pinhole camera{535.4f, 539.2f, 320.1f, 247.6f, 640, 480};
  const auto wall            = plane_distance({0.0, 0.0, -1.0}, -2.0);
  const auto ball            = sphere_distance({0.2, 0.1, 1.4}, 0.3);
  const auto scene           = [&](const Eigen::Vector3d& p) { return std::min(wall(p), ball(p)); };
  const auto raw             = quantised(render_depth(scene, camera, identity_pose), 5000.0f);
  const auto image           = upload(raw);
  constexpr float voxel_size = 4.0f / 512.0f;
  default_volume v({.voxel_size = voxel_size, .truncation = 5.0f * voxel_size, .block_capacity = 1 << 15},
                   test_stream());
  const auto frame = v.integrate(
    depth_view<std::uint16_t>{.data = image.data(), .width = 640, .height = 480, .units_per_metre = 5000.0f}, camera,
    identity_pose);
  REQUIRE(frame.valid == 640 * 480);
  REQUIRE(frame.drops.lost() == 0);
  const auto mesh = v.extract_mesh().to_host();
  REQUIRE(mesh.triangles.size() > 10000);
  const auto errors = surface_errors(mesh, scene);
  REQUIRE(errors.median < tolerance::depth_surface_mean_vox * voxel_size);
}

TEMPLATE_TEST_CASE("a voxel that projects to u = 10.9 reads pixel 11", "[hostile]", default_volume, paper_volume)
{
  std::vector<float> depths(16, 1.0f);
  depths[11]       = 2.0f;
  const auto image = upload(depths);
  TestType v({.block_capacity = 256}, test_stream());

  // The voxel (36, 0, 200) has its centre at (0.365, 0.005, 2.005) and projects to u = 10.9.
  const float fx = 2.9f * 2.005f / 0.365f;
  const pinhole camera{fx, 16.0f, 8.0f, 0.0f, 16, 1};
  REQUIRE(fx * 0.365f / 2.005f + 8.0f == Approx(10.9f));
  REQUIRE(v.integrate(view(image, 16, 1), camera, identity_pose).valid == 16);

  const auto far = read_one(v, {36, 0, 200});
  REQUIRE(far.weight == 1.0f);  // pixel 10 would hide it: 1 m in front
  REQUIRE(far.distance == Approx((2.0 - 2.005) / 0.04).margin(tolerance::voxel_distance));

  // At 1 m: (15, 0, 100) projects to u = 10.46 and reads pixel 10; (16, 0, 100) projects to 10.62 and reads pixel 11.
  const auto near = read_one(v, {15, 0, 100});
  REQUIRE(near.weight == 1.0f);
  REQUIRE(near.distance == Approx((1.0 - 1.005) / 0.04).margin(tolerance::voxel_distance));
}

TEST_CASE("the pixel grid does not shift a surface", "[hostile]")
{
  // A ramp: one pixel of shift would move it by half a voxel and more.
  const auto camera = camera_of(160, 120, 60.0);
  const auto ramp   = plane_distance(Eigen::Vector3d(-1.0, 0.0, -1.0), -std::sqrt(0.5));
  const auto image  = upload(render_depth(ramp, camera, identity_pose));
  default_volume v({.block_capacity = 8192}, test_stream());
  static_cast<void>(v.integrate(view(image, 160, 120), camera, identity_pose));
  double sum = 0.0;
  int count  = 0;
  for (int x = -20; x <= 20; ++x) {
    const double found = crossing_along(v, {x, 2, 60}, 2, 80) * 0.01;
    if (std::isnan(found)) { continue; }
    sum += found - (1.0 - (x + 0.5) * 0.01);
    ++count;
  }
  REQUIRE(count > 35);
  REQUIRE(std::abs(sum / count) < tolerance::depth_surface_mean_vox * 0.01);
}

// ---- points that are none ------------------------------------------------------------------------------------------

TEMPLATE_TEST_CASE("points that are no measurements are counted and change nothing", "[hostile]", default_volume,
                   paper_volume)
{
  TestType v({.block_capacity = 64}, test_stream());
  const std::vector<vec3f> bad{{nan, 0.0f, 1.0f},  {0.0f, nan, 1.0f},  {0.0f, 0.0f, nan},   {inf, 0.0f, 0.0f},
                               {0.0f, -inf, 1.0f}, {0.0f, 0.0f, 0.0f}, {-0.0f, 0.0f, -0.0f}};
  const auto points = upload(bad);
  const auto frame  = v.integrate({.positions = points.span()}, origin);
  REQUIRE(frame.valid == 0);
  REQUIRE(frame.drops[drop_cause::invalid_input] == bad.size());
  REQUIRE(frame.drops.lost() == 0);
  REQUIRE(frame.blocks == 0);
}

TEMPLATE_TEST_CASE("points with weights that are none are counted and change nothing", "[hostile]", default_volume,
                   paper_volume)
{
  TestType v({.block_capacity = 64}, test_stream());
  const auto points  = upload(std::vector<vec3f>(6, {0.005f, 0.005f, 0.505f}));
  const auto weights = upload(std::vector<float>{0.0f, -1.0f, nan, inf, -inf, 2.0f});
  const auto frame   = v.integrate({.positions = points.span(), .weights = weights.span()}, {0.005f, 0.005f, 0.0f});
  REQUIRE(frame.valid == 1);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 5);
  const auto value = read_one(v, {0, 0, 50});
  REQUIRE(value.weight == 2.0f);
  REQUIRE(value.distance == Approx(0.0).margin(tolerance::voxel_distance));
}

TEST_CASE("points only of zero weight allocate nothing", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto points  = upload(sphere_points(0.5, 20, 40));
  const auto weights = upload(std::vector<float>(800, 0.0f));
  const auto frame   = v.integrate({.positions = points.span(), .weights = weights.span()}, origin);
  REQUIRE(frame.valid == 0);
  REQUIRE(frame.blocks == 0);
  REQUIRE(v.report().table_entries == 0);
}

TEMPLATE_TEST_CASE("points at the end of the key range never alias", "[hostile]", default_volume, paper_volume)
{
  // Voxels of 1 m, so that the range ends where a float still has steps of half a voxel.
  constexpr auto limit = static_cast<float>(voxel_limit);
  const auto fuse      = [](const vec3f& point, const Eigen::Vector3f& camera) {
    TestType v({.voxel_size = 1.0f, .truncation = 2.0f, .block_capacity = 64}, test_stream());
    const auto points = upload(std::vector<vec3f>{point});
    const auto frame  = v.integrate({.positions = points.span()}, camera);
    return std::tuple(frame, blocks_of(v), observed_voxels(v));
  };
  {
    const auto [frame, blocks, voxels] = fuse({limit - 4.0f, 0.5f, 0.5f}, {limit - 40.0f, 0.5f, 0.5f});
    REQUIRE(frame.valid == 1);
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(blocks == block_set{{key_bias - 1, 0, 0}});
  }
  {
    // Two samples in, three out.
    const auto [frame, blocks, voxels] = fuse({limit, 0.5f, 0.5f}, {limit - 40.0f, 0.5f, 0.5f});
    REQUIRE(frame.drops[drop_cause::out_of_range] == 3);
    REQUIRE(frame.drops.lost() == 3);
    REQUIRE(blocks == block_set{{key_bias - 1, 0, 0}});
    REQUIRE(voxels.size() == 2);
  }
  {
    const auto [frame, blocks, voxels] = fuse({0.5f, -limit, 0.5f}, {0.5f, 40.0f - limit, 0.5f});
    REQUIRE(frame.drops[drop_cause::out_of_range] == 2);
    REQUIRE(blocks == block_set{{0, -key_bias, 0}});
  }
  for (const float far : {limit + 100.0f, 2.0f * limit, 1.0e12f, -limit - 100.0f, -1.0e12f}) {
    INFO("z " << far);
    const auto [frame, blocks, voxels] = fuse({0.5f, 0.5f, far}, {0.5f, 0.5f, far > 0 ? far - far / 8 : far - far / 8});
    REQUIRE(frame.drops[drop_cause::out_of_range] == 5);
    REQUIRE(frame.drops.lost() == 5);
    REQUIRE(blocks.empty());
  }
}

TEST_CASE("points too far for a float are counted and change nothing", "[hostile]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const std::vector<vec3f> far{{1.0e30f, 0.0f, 1.0f}, {0.0f, 3.4e38f, 0.0f}, {-1.0e20f, 1.0e20f, 1.0f}};
  const auto points = upload(far);
  const auto frame  = v.integrate({.positions = points.span()}, origin);
  REQUIRE(frame.blocks == 0);
  REQUIRE(frame.drops[drop_cause::invalid_input] + frame.drops[drop_cause::out_of_range] >= far.size());
}

TEST_CASE("pixels beyond the key range are counted and change nothing", "[hostile]")
{
  // The camera sits near the end of the range: the left pixels look out of it.
  default_volume v({.voxel_size = 1.0f, .truncation = 2.0f, .block_capacity = 4096}, test_stream());
  constexpr auto limit   = static_cast<float>(voxel_limit);
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
  pose.translation()     = Eigen::Vector3f(8.0f - limit, 0.0f, 0.0f);
  const pinhole camera{10.0f, 10.0f, 15.5f, 0.0f, 32, 1};
  const auto image = upload(std::vector<float>(32, 20.0f));
  const auto frame = v.integrate(view(image, 32, 1), camera, pose);
  REQUIRE(frame.valid == 32);
  REQUIRE(frame.drops[drop_cause::out_of_range] > 4);
  REQUIRE(frame.drops[drop_cause::out_of_range] < 16);
  for (const auto& block : blocks_of(v)) {
    REQUIRE(block.x >= -key_bias);
    REQUIRE(block.x < -key_bias + 16);
  }
}

// ---- extreme settings ----------------------------------------------------------------------------------------------

TEST_CASE("a truncation of a hundred voxels is walked to its ends", "[hostile]")
{
  default_volume v({.voxel_size = 0.01f, .truncation = 1.0f, .block_capacity = 4096}, test_stream());
  const auto points = upload(std::vector<vec3f>{{0.005f, 0.005f, 2.005f}});
  const auto frame  = v.integrate({.positions = points.span()}, {0.005f, 0.005f, 0.0f});
  REQUIRE(frame.drops.lost() == 0);
  const auto voxels = observed_voxels(v);
  REQUIRE(voxels.size() == 201);
  REQUIRE(voxels.begin()->first == vec3i{0, 0, 100});
  REQUIRE(voxels.rbegin()->first == vec3i{0, 0, 300});

  default_volume images({.voxel_size = 0.01f, .truncation = 1.0f, .block_capacity = 8192}, test_stream());
  const auto camera = camera_of(32, 24, 20.0);
  const auto image  = upload(std::vector<float>(std::size_t{32} * 24, 2.0f));
  const auto gather = images.integrate(view(image, 32, 24), camera, identity_pose);
  REQUIRE(gather.drops.lost() == 0);
  std::set<int> layers;
  for (const auto& block : blocks_of(images)) {
    layers.insert(block.z);
  }
  REQUIRE(*layers.begin() == 12);   // 1 m
  REQUIRE(*layers.rbegin() == 37);  // 3 m
  REQUIRE(layers.size() == 26);
}

TEST_CASE("a truncation that reaches behind the camera ends there", "[hostile]")
{
  default_volume v({.voxel_size = 0.01f, .truncation = 1.0f, .block_capacity = 8192}, test_stream());
  const auto camera = camera_of(32, 24, 60.0);
  const auto image  = upload(std::vector<float>(std::size_t{32} * 24, 0.5f));
  const auto frame  = v.integrate(view(image, 32, 24), camera, identity_pose);
  REQUIRE(frame.drops.lost() == 0);
  for (const auto& [voxel, value] : observed_voxels(v)) {
    REQUIRE(voxel.z >= 0);
  }
}

TEST_CASE("very small and very large voxels work", "[hostile]")
{
  for (const float size : {1.0e-5f, 1.0e-3f, 10.0f, 1000.0f}) {
    INFO("voxel " << size);
    default_volume v({.voxel_size = size, .truncation = 4.0f * size, .block_capacity = 64}, test_stream());
    const auto points = upload(std::vector<vec3f>{vec3f{0.5f, 0.5f, 50.5f} * size});
    const auto frame  = v.integrate({.positions = points.span()}, Eigen::Vector3f(0.5f, 0.5f, 0.0f) * size);
    REQUIRE(frame.valid == 1);
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(observed_voxels(v).size() == 9);
    REQUIRE(crossing_along(v, {0, 0, 45}, 2, 10) == Approx(50.5).margin(1e-3));
  }
  // Voxels of a nanometre reach 8 mm: no depth from 0.1 m on is a measurement.
  default_volume tiny({.voxel_size = 1.0e-9f, .truncation = 4.0e-9f, .block_capacity = 64}, test_stream());
  const auto image = upload(std::vector<float>(std::size_t{8} * 8, 1.0f));
  const auto frame = tiny.integrate(view(image, 8, 8), camera_of(8, 8, 60.0), identity_pose);
  REQUIRE(frame.valid == 0);
  REQUIRE(frame.blocks == 0);
}

}  // namespace cutsdf_test::hostile
