// Fusing point clouds.
#include "support/catch.hpp"

#include "support/band_walk.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

#include <algorithm>
#include <limits>

namespace cutsdf_test::integrate_points {

const Eigen::Vector3f origin = Eigen::Vector3f::Zero();

constexpr volume_settings small{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 256};

template <class Volume>
frame_result fuse(Volume& v, const std::vector<vec3f>& positions, const Eigen::Vector3f& camera = origin)
{
  const auto points = upload(positions);
  return v.integrate({.positions = points.span()}, camera);
}

TEMPLATE_TEST_CASE("a point updates the voxels of its band with their own distance", "[points]", default_volume,
                   paper_volume, slot_volume)
{
  TestType v(small, test_stream());
  // Along z through voxel centres: (x, y) = (0, 0), the surface at the centre of voxel 50.
  const auto frame = fuse(v, {{0.005f, 0.005f, 0.505f}}, {0.005f, 0.005f, 0.0f});
  REQUIRE(frame.valid == 1);
  REQUIRE(frame.drops.lost() == 0);
  const auto voxels = observed_voxels(v);
  REQUIRE(voxels.size() == 9);  // four in front, its own, four behind
  for (const auto& [voxel, value] : voxels) {
    INFO("z " << voxel.z);
    REQUIRE(voxel.x == 0);
    REQUIRE(voxel.y == 0);
    REQUIRE(value.weight == 1.0f);
    REQUIRE(value.distance == Approx((50 - voxel.z) / 4.0).margin(tolerance::voxel_distance));
  }
  REQUIRE(voxels.begin()->first.z == 46);
}

TEMPLATE_TEST_CASE("voxels farther behind than the truncation are left alone", "[points]", default_volume, paper_volume)
{
  TestType v(small, test_stream());
  // The surface on the near side of voxel 50: the centre of voxel 54 lies 4.5 voxels behind it.
  static_cast<void>(fuse(v, {{0.005f, 0.005f, 0.50001f}}, {0.005f, 0.005f, 0.0f}));
  const auto voxels = observed_voxels(v);
  REQUIRE(voxels.size() == 8);
  REQUIRE(voxels.begin()->first.z == 46);
  REQUIRE(voxels.rbegin()->first.z == 53);
  for (const auto& [voxel, value] : voxels) {
    REQUIRE(value.distance >= -1.0f);
    REQUIRE(value.distance <= 1.0f);
  }
}

TEMPLATE_TEST_CASE("points average with their weights", "[points]", default_volume, paper_volume)
{
  TestType v(small, test_stream());
  const auto points  = upload(std::vector<vec3f>{{0.005f, 0.005f, 0.505f}, {0.005f, 0.005f, 0.509f}});
  const auto weights = upload(std::vector<float>{3.0f, 0.5f});
  static_cast<void>(v.integrate({.positions = points.span(), .weights = weights.span()}, {0.005f, 0.005f, 0.0f}));
  const auto value = read_one(v, {0, 0, 50});
  REQUIRE(value.weight == Approx(3.5f));
  REQUIRE(value.distance == Approx((3.0 * 0.0 + 0.5 * 0.1) / 3.5).margin(tolerance::voxel_distance));
}

TEMPLATE_TEST_CASE("points that are fused twice weigh twice", "[points]", default_volume, paper_volume)
{
  TestType v({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 2048}, test_stream());
  const auto points = sphere_points(0.5, 40, 80);
  static_cast<void>(fuse(v, points));
  const auto once = observed_voxels(v);
  static_cast<void>(fuse(v, points));
  const auto twice = observed_voxels(v);
  REQUIRE(once.size() == twice.size());
  for (const auto& [voxel, value] : once) {
    const auto& other = twice.at(voxel);
    REQUIRE(other.weight == 2.0f * value.weight);
    REQUIRE(other.distance == Approx(value.distance).margin(tolerance::voxel_distance));
  }
}

TEST_CASE("colours are means over the points that have them", "[points]")
{
  default_volume v(small, test_stream());
  const auto points = upload(std::vector<vec3f>{{0.005f, 0.005f, 0.505f}, {0.005f, 0.005f, 0.505f}});
  const auto colors = upload(std::vector<rgb8>{{200, 10, 0}, {100, 30, 255}});
  static_cast<void>(v.integrate({.positions = points.span(), .colors = colors.span()}, {0.005f, 0.005f, 0.0f}));
  // A frame without colours leaves them alone.
  static_cast<void>(v.integrate({.positions = points.span()}, {0.005f, 0.005f, 0.0f}));
  const auto color = read_colors(v, {{0, 0, 50}, {0, 0, 46}, {0, 0, 60}});
  REQUIRE(color[0].weight == 2.0f);
  REQUIRE(color[0].rgb.x == Approx(150.0).margin(0.01));
  REQUIRE(color[0].rgb.y == Approx(20.0).margin(0.01));
  REQUIRE(color[0].rgb.z == Approx(127.5).margin(0.01));
  REQUIRE(color[1].weight == 0.0f);  // four voxels in front of the surface: not worth a colour
  REQUIRE(color[2].weight == 0.0f);
  REQUIRE(read_one(v, {0, 0, 50}).weight == 4.0f);
}

TEST_CASE("five sums weigh colours as they weigh distances", "[points]")
{
  paper_volume v(small, test_stream());
  const auto points  = upload(std::vector<vec3f>{{0.005f, 0.005f, 0.505f}, {0.005f, 0.005f, 0.505f}});
  const auto colors  = upload(std::vector<rgb8>{{200, 0, 0}, {100, 0, 250}});
  const auto weights = upload(std::vector<float>{1.0f, 4.0f});
  static_cast<void>(v.integrate({.positions = points.span(), .colors = colors.span(), .weights = weights.span()},
                                {0.005f, 0.005f, 0.0f}));
  const auto color = read_colors(v, {{0, 0, 47}}).front();
  REQUIRE(color.weight == 5.0f);
  REQUIRE(color.rgb.x == Approx(120.0).margin(0.01));
  REQUIRE(color.rgb.z == Approx(200.0).margin(0.01));
}

TEMPLATE_TEST_CASE("a frame reports what it did", "[points][report]", default_volume, paper_volume, slot_volume)
{
  TestType v({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 4096, .table_capacity = 4096}, test_stream());
  const auto half  = sphere_points(0.5, 100, 200);
  const auto first = fuse(v, {half.begin(), half.begin() + 10000});
  REQUIRE(first.valid == 10000);
  REQUIRE(first.blocks > 0);
  REQUIRE(first.blocks == first.blocks_added);
  const auto second = fuse(v, half);
  REQUIRE(second.valid == 20000);
  REQUIRE(second.blocks == 1104);
  REQUIRE(second.blocks_added == second.blocks - first.blocks);
  REQUIRE(second.blocks_dropped == 0);
  REQUIRE(v.report().frames == 2);
}

TEST_CASE("allocate and update run apart do what integrate does", "[points]")
{
  const auto points = upload(sphere_points(0.5, 50, 100));
  default_volume whole({.block_capacity = 2048}, test_stream());
  static_cast<void>(whole.integrate({.positions = points.span()}, origin));
  default_volume parts({.block_capacity = 2048}, test_stream());
  parts.allocate_async({.positions = points.span()}, origin);
  REQUIRE(blocks_of(parts) == blocks_of(whole));
  REQUIRE(observed_voxels(parts).empty());
  parts.update_async({.positions = points.span()}, origin);
  const auto a = observed_voxels(whole);
  const auto b = observed_voxels(parts);
  REQUIRE(a.size() == b.size());
  for (const auto& [voxel, value] : a) {
    REQUIRE(b.at(voxel).weight == value.weight);
  }
}

TEST_CASE("passes that are run apart count and end their frame", "[points]")
{
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  default_volume v({.block_capacity = 8, .table_capacity = 1024}, test_stream());
  const auto points = upload(std::vector<vec3f>{{nan, 0.0f, 1.0f}, {0.0f, 0.0f, 1.0f}, {1.0f, 0.0f, 1.0f}});
  buffer<frame_result, test_space> result(1, test_stream());
  v.allocate_async({.positions = points.span()}, origin);
  v.update_async({.positions = points.span()}, origin, result.data());
  const auto frame = result.to_host().front();
  REQUIRE(frame.valid == 2);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 1);
  REQUIRE(v.report().frames == 1);
  REQUIRE(v.report().drops[drop_cause::invalid_input] == 1);
  // The next frame starts from nothing.
  const auto next = fuse(v, {{0.0f, 0.0f, 1.0f}});
  REQUIRE(next.valid == 1);
  REQUIRE(next.drops[drop_cause::invalid_input] == 0);
}

TEST_CASE("lanes that lose samples for different causes count each under its own", "[points]")
{
  // Room for 64 of 1060 blocks and keys for about 450: neighbouring points lose samples for either reason.
  default_volume v({.block_capacity = 64, .table_capacity = 512}, test_stream());
  const auto plane = plane_points(1.0, 141, 0.5);
  const auto frame = fuse(v, plane);

  const auto r = v.ref();
  block_set keys;
  for (const auto& entry : download(r.table.entries, 512)) {
    if (!is_empty(entry.key)) { keys.insert(block_of_key(entry.key)); }
  }
  // Keys without storage leave about an eighth of the table empty: threads that are past the check may still take some.
  REQUIRE(keys.size() >= 448);
  const auto stored = blocks_of(v);
  drop_counts expected{};
  std::vector<segment> rays;
  for (const auto& p : plane) {
    rays.push_back({{0.0f, 0.0f, 0.0f}, p * r.inverse_voxel_size});
  }
  for (const auto& visited : map_in_space(rays, walk_band{r.truncation_vox})) {
    for (int i = 0; i < visited.count; ++i) {
      const vec3i b = block_of(visited.voxel[i]);
      if (stored.count(b) != 0) { continue; }
      ++expected.count[static_cast<int>(keys.count(b) != 0 ? drop_cause::pool_full : drop_cause::table_full)];
    }
  }
  REQUIRE(expected[drop_cause::pool_full] > 0);
  REQUIRE(expected[drop_cause::table_full] > 0);
  REQUIRE(frame.drops[drop_cause::pool_full] == expected[drop_cause::pool_full]);
  REQUIRE(frame.drops[drop_cause::table_full] == expected[drop_cause::table_full]);
}

TEMPLATE_TEST_CASE("weights that a voxel cannot sum are no weights", "[points]", default_volume, bounded_volume)
{
  TestType v(small, test_stream());
  constexpr auto range = weights_of<typename TestType::voxel_type>();
  const auto positions = upload(std::vector<vec3f>(5, vec3f{0.005f, 0.005f, 0.505f}));
  const auto weights   = upload(std::vector<float>{3e38f, 1e-40f, 1.1f * range.most, range.least, range.most});
  const auto frame     = v.integrate({.positions = positions.span(), .weights = weights.span()}, origin);
  REQUIRE(frame.valid == 2);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 3);
  for (const auto& [voxel, value] : observed_voxels(v)) {
    REQUIRE(std::isfinite(value.weight));
    REQUIRE(std::abs(value.distance) <= 1.0f);
  }
}

TEST_CASE("points that meet are summed as if each came alone", "[points]")
{
  // Runs of equal points, of every length up to two warps, and lone ones between them; also all in one voxel.
  std::vector<vec3f> positions;
  for (int length = 1; length <= 64; ++length) {
    const float x = 0.013f * static_cast<float>(length % 9);
    positions.insert(positions.end(), static_cast<std::size_t>(length), vec3f{x, 0.02f, 0.5f});
    positions.push_back({-x, 0.3f, 0.7f});
  }
  std::vector<rgb8> colors(positions.size());
  for (std::size_t i = 0; i < colors.size(); ++i) {
    colors[i] = {static_cast<std::uint8_t>(255 - i % 3), static_cast<std::uint8_t>(i % 256), 255};
  }
  default_volume together(small, test_stream());
  default_volume alone(small, test_stream());
  const auto p = upload(positions);
  const auto c = upload(colors);
  REQUIRE(together.integrate({p.span(), c.span()}, origin).drops.lost() == 0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    alone.integrate_async({p.span().subspan(i, 1), c.span().subspan(i, 1)}, origin);
  }
  const auto a = observed_voxels(together);
  const auto b = observed_voxels(alone);
  REQUIRE(a.size() == b.size());
  std::vector<vec3i> where;
  for (const auto& [voxel, value] : a) {
    REQUIRE(value.weight == b.at(voxel).weight);
    REQUIRE(value.distance == b.at(voxel).distance);
    where.push_back(voxel);
  }
  const auto a_colors = read_colors(together, where);
  const auto b_colors = read_colors(alone, where);
  for (std::size_t i = 0; i < where.size(); ++i) {
    REQUIRE(a_colors[i].rgb == b_colors[i].rgb);
    REQUIRE(a_colors[i].weight == b_colors[i].weight);
  }
}

TEST_CASE("a voxel that is seen for ever stays right", "[points]")
{
  // A million points into the same voxels, again and again: sums reach their limit and are halved, never wrapped.
  default_volume v(small, test_stream());
  const vec3f position{0.005f, 0.005f, 0.505f};
  const auto once = upload(std::vector<vec3f>(1, position));
  static_cast<void>(v.integrate({.positions = once.span()}, origin));
  const auto expected = observed_voxels(v);
  const auto points   = upload(std::vector<vec3f>(1 << 20, position));
  for (int i = 0; i < 3; ++i) {
    static_cast<void>(v.integrate({.positions = points.span()}, origin));
  }
  const auto seen = observed_voxels(v);
  REQUIRE(seen.size() == expected.size());
  for (const auto& [voxel, value] : seen) {
    REQUIRE(value.weight > 100000.0f);
    REQUIRE(value.weight < 4.0e6f);
    REQUIRE(double{value.distance} == Approx(double{expected.at(voxel).distance}).margin(1.0 / 4096));
  }
}

TEST_CASE("a pattern of invalid points keeps no voxel from its limit", "[points]")
{
  // An organised cloud whose borders are invalid: every sixteenth group of 32 points is.
  const vec3f position{0.5f, 0.5f, 10.5f};
  std::vector<vec3f> positions(5 << 20, position);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i / 32 % 16 == 15) { positions[i].x = std::numeric_limits<float>::quiet_NaN(); }
  }
  default_volume v({.voxel_size = 1.0f, .truncation = 1.0f, .block_capacity = 64}, test_stream());
  const auto points = upload(positions);
  static_cast<void>(v.integrate({.positions = points.span()}, {0.5f, 0.5f, 0.0f}));
  for (const auto& [voxel, value] : observed_voxels(v)) {
    INFO("voxel " << voxel.z);
    REQUIRE(value.weight > 100000.0f);
    REQUIRE(value.weight < 4.0e6f);
    REQUIRE(double{value.distance} == Approx(std::clamp(10.0 - voxel.z, -1.0, 1.0)).margin(1.0 / 4096));
  }
}

TEST_CASE("two passes need the blocks that one pass needs, however close the camera", "[points]")
{
  for (const float scale : {4.5e-23f, 1e-20f, 1e-15f, 1e-6f, 1.0f}) {
    INFO("scale " << scale);
    const volume_settings coarse{.voxel_size = 1.0f, .truncation = 40.0f, .block_capacity = 4096};
    default_volume once(coarse, test_stream());
    default_volume twice(coarse, test_stream());
    paper_volume sample_by_sample(coarse, test_stream());
    const auto points = upload(std::vector<vec3f>{{scale, 0.58f * scale, 0.58f * scale}});
    const point_cloud cloud{points.span()};
    static_cast<void>(once.integrate(cloud, origin));
    twice.allocate_async(cloud, origin);
    twice.update_async(cloud, origin);
    static_cast<void>(sample_by_sample.integrate(cloud, origin));
    REQUIRE(blocks_of(once) == blocks_of(sample_by_sample));
    REQUIRE(blocks_of(twice) == blocks_of(sample_by_sample));
    REQUIRE(observed_voxels(once).size() == observed_voxels(twice).size());
  }
}

TEST_CASE("a point that is invalid and out of range is invalid", "[points]")
{
  default_volume v(small, test_stream());
  const auto positions = upload(std::vector<vec3f>{{-1e9f, 0.0f, 0.0f}, {1e9f, 1.0f, 1.0f}, {0.0f, 0.0f, 0.5f}});
  const auto weights   = upload(std::vector<float>{0.0f, 9.0f, 1.0f});
  const auto frame     = v.integrate({.positions = positions.span(), .weights = weights.span()}, origin);
  REQUIRE(frame.valid == 1);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 2);
  REQUIRE(frame.drops[drop_cause::out_of_range] == 0);
}

TEST_CASE("a camera from which a voxel cannot be told from its neighbour is none", "[points]")
{
  default_volume v(small, test_stream());
  const auto frame = fuse(v, {{0.0f, 0.0f, 0.2f}}, {0.0f, 0.0f, -1e6f});
  REQUIRE(frame.valid == 0);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 1);
  REQUIRE(frame.blocks == 0);
}

TEST_CASE("integrate_async writes its result to the space's memory", "[points]")
{
  default_volume v({.block_capacity = 2048}, test_stream());
  const auto points = upload(sphere_points(0.5, 100, 200));
  buffer<frame_result, test_space> results(2, test_stream());
  v.integrate_async({.positions = points.span()}, origin, results.data());
  v.integrate_async({.positions = points.span()}, origin, results.data() + 1);
  v.integrate_async({.positions = points.span()}, origin);
  const auto host = results.to_host();
  REQUIRE(host[0].valid == 20000);
  REQUIRE(host[0].blocks_added == 1104);
  REQUIRE(host[1].blocks_added == 0);
  REQUIRE(host[1].blocks == 1104);
  REQUIRE(v.report().frames == 3);
}

TEST_CASE("points from a camera that is not at the origin measure from there", "[points]")
{
  default_volume v(small, test_stream());
  static_cast<void>(fuse(v, {{-0.495f, 0.005f, 0.005f}}, {0.505f, 0.005f, 0.005f}));
  const auto voxels = observed_voxels(v);
  REQUIRE(voxels.size() == 9);
  for (const auto& [voxel, value] : voxels) {
    REQUIRE(voxel.y == 0);
    REQUIRE(voxel.z == 0);
    REQUIRE(value.distance == Approx((voxel.x + 50) / 4.0).margin(tolerance::voxel_distance));
  }
}

TEST_CASE("a band is cut where the camera is", "[points]")
{
  // The point lies two voxels ahead: samples behind the camera have no distance along the ray.
  default_volume v(small, test_stream());
  const auto frame  = fuse(v, {{0.005f, 0.005f, 0.025f}}, {0.005f, 0.005f, 0.005f});
  const auto voxels = observed_voxels(v);
  REQUIRE(frame.valid == 1);
  REQUIRE(voxels.begin()->first == vec3i{0, 0, 1});
  REQUIRE(voxels.rbegin()->first == vec3i{0, 0, 6});
}

TEST_CASE("colours or weights of another length are refused with their number", "[points]")
{
  default_volume v(small, test_stream());
  const auto points  = upload(std::vector<vec3f>(3, {0.0f, 0.0f, 1.0f}));
  const auto colors  = upload(std::vector<rgb8>(2));
  const auto weights = upload(std::vector<float>(4));
  REQUIRE_THROWS_AS(v.integrate({.positions = points.span(), .colors = colors.span()}, origin), invalid_argument);
  REQUIRE_THROWS_WITH(v.integrate({.positions = points.span(), .colors = colors.span()}, origin), contains("2"));
  REQUIRE_THROWS_WITH(v.integrate({.positions = points.span(), .weights = weights.span()}, origin), contains("4"));
  REQUIRE(v.report().frames == 0);
}

TEST_CASE("a camera that is nowhere is refused with its value", "[points]")
{
  default_volume v(small, test_stream());
  const auto points = upload(std::vector<vec3f>(3, {0.0f, 0.0f, 1.0f}));
  const Eigen::Vector3f nowhere(0.0f, std::numeric_limits<float>::quiet_NaN(), 0.0f);
  REQUIRE_THROWS_AS(v.integrate({.positions = points.span()}, nowhere), invalid_argument);
  REQUIRE_THROWS_WITH(v.integrate({.positions = points.span()}, nowhere), contains("nan"));
}

TEST_CASE("a fused plane of points has its surface where the plane is", "[points]")
{
  for (const double z : {0.5, 0.48, 0.5051}) {
    default_volume v({.block_capacity = 4096}, test_stream());
    static_cast<void>(fuse(v, plane_points(0.3, 200, z)));
    for (const int x : {-25, -8, -1, 0, 7, 8, 22}) {
      const auto found = crossing_along(v, {x, x / 2, 40}, 2, 20) * 0.01;
      REQUIRE(found == Approx(z).margin(tolerance::depth_surface_mean_vox * 0.01));
    }
  }
}

}  // namespace cutsdf_test::integrate_points
