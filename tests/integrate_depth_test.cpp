// Fusing depth images.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::integrate_depth {

const Eigen::Isometry3f identity_pose = Eigen::Isometry3f::Identity();
const pinhole camera                  = camera_of(80, 60, 60.0);
constexpr volume_settings settings{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 8192};

std::vector<float> constant_image(float depth) { return std::vector<float>(std::size_t{80} * 60, depth); }

template <class T>
depth_view<T> view(const buffer<T, test_space>& image, const pinhole& c = camera)
{
  return {.data = image.data(), .width = c.width, .height = c.height};
}

void require_equal(const voxel_map& a, const voxel_map& b)
{
  REQUIRE(a.size() == b.size());
  auto other = b.begin();
  for (const auto& [voxel, value] : a) {
    REQUIRE(voxel == other->first);
    REQUIRE(value.weight == other->second.weight);
    REQUIRE(value.distance == other->second.distance);
    ++other;
  }
}

TEMPLATE_TEST_CASE("voxels measure along the camera's z axis", "[depth]", default_volume, paper_volume, slot_volume)
{
  TestType v({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 8192, .table_capacity = 16384},
             test_stream());
  const auto image = upload(constant_image(1.0f));
  const auto frame = v.integrate(view(image), camera, identity_pose);
  REQUIRE(frame.valid == 4800);
  REQUIRE(frame.drops.lost() == 0);
  REQUIRE(frame.blocks == frame.blocks_added);
  REQUIRE(frame.blocks == frame.blocks_updated);
  const auto voxels = observed_voxels(v);
  REQUIRE(voxels.size() > 10000);
  for (const auto& [voxel, value] : voxels) {
    const double z = (voxel.z + 0.5) * 0.01;
    REQUIRE(z - 1.0 <= 0.04 + tolerance::position);
    REQUIRE(value.weight == 1.0f);
    REQUIRE(value.distance == Approx(std::min(1.0, (1.0 - z) / 0.04)).margin(tolerance::voxel_distance));
  }
}

TEST_CASE("every voxel of the band that the camera sees is updated", "[depth]")
{
  default_volume v(settings, test_stream());
  const auto image = upload(constant_image(1.0f));
  static_cast<void>(v.integrate(view(image), camera, identity_pose));
  const auto voxels = observed_voxels(v);
  // Well inside the frustum: the rays of the outermost pixels bound the blocks.
  for (int z = 97; z < 103; ++z) {
    for (int y = -40; y < 40; ++y) {
      for (int x = -54; x < 54; ++x) {
        REQUIRE(voxels.contains({x, y, z}));
      }
    }
  }
}

using carving_policies = policies<hash::mixed, probe::bucketed<>, load::entry, index::warp_counter, visit::blocks,
                                  exchange::masked<>, probe::bucketed<>, allocation::free_space>;

TEST_CASE("with allocation::free_space a camera marks what it looks through", "[depth]")
{
  volume<test_space, voxel::fixed_point, carving_policies> v(settings, test_stream());
  default_volume band(settings, test_stream());
  const auto image     = upload(constant_image(1.0f));
  const auto raw_image = upload(std::vector<std::uint16_t>(std::size_t{80} * 60, 1000));
  const depth_range range{.min_depth = 0.3f};
  const auto frame = v.integrate(view(image), camera, identity_pose, range);
  static_cast<void>(band.integrate(view(image), camera, identity_pose, range));
  REQUIRE(frame.drops.lost() == 0);
  REQUIRE(frame.blocks_updated == frame.blocks);
  const auto voxels = observed_voxels(v);
  for (const auto& [voxel, value] : observed_voxels(band)) {
    REQUIRE(voxels.contains(voxel));
    REQUIRE(voxels.at(voxel).distance == value.distance);
  }
  for (int z = 31; z < 96; ++z) {
    const vec3i seen{z / 4, -z / 5, z};  // inside the frustum: 60 degrees wide
    INFO("z " << z);
    REQUIRE(voxels.contains(seen));
    REQUIRE(voxels.at(seen).distance == 1.0f);
    REQUIRE(voxels.at(seen).weight == 1.0f);
  }
  // A ball that was there a moment ago is carved away.
  const auto ball = upload(render_depth(sphere_distance({0.0, 0.0, 0.6}, 0.1), camera, identity_pose));
  v.clear();
  static_cast<void>(v.integrate(view(ball), camera, identity_pose, range));
  REQUIRE(observed_voxels(v).at({0, 0, 50}).distance < 0.5f);
  for (int i = 0; i < 20; ++i) {
    v.integrate_async(view(raw_image), camera, identity_pose, range);
  }
  REQUIRE(observed_voxels(v).at({0, 0, 50}).distance > 0.9f);
}

TEST_CASE("voxels of four bytes hold the same surface", "[depth]")
{
  volume<test_space, voxel::mean16> coarse(settings, test_stream());
  default_volume exact(settings, test_stream());
  const auto ball = sphere_distance({0.0, 0.0, 1.0}, 0.3);
  for (const auto& pose : cameras_around({0.0, 0.0, 1.0}, 0.8, 6)) {
    const auto image = upload(render_depth(ball, camera, pose));
    static_cast<void>(coarse.integrate(view(image), camera, pose));
    static_cast<void>(exact.integrate(view(image), camera, pose));
  }
  const auto a = observed_voxels(coarse);
  const auto b = observed_voxels(exact);
  REQUIRE(a.size() == b.size());
  for (const auto& [voxel, value] : a) {
    REQUIRE(value.weight == b.at(voxel).weight);
    REQUIRE(double{value.distance} == Approx(double{b.at(voxel).distance}).margin(4.0 / 8192));
  }
}

TEST_CASE("an image that is fused twice weighs twice and adds no blocks", "[depth]")
{
  default_volume v(settings, test_stream());
  const auto image  = upload(render_depth(sphere_distance({0.0, 0.0, 1.0}, 0.3), camera, identity_pose));
  const auto first  = v.integrate(view(image), camera, identity_pose);
  const auto once   = observed_voxels(v);
  const auto second = v.integrate(view(image), camera, identity_pose);
  const auto twice  = observed_voxels(v);
  REQUIRE(second.blocks == first.blocks);
  REQUIRE(second.blocks_added == 0);
  REQUIRE(second.blocks_updated == first.blocks_updated);
  REQUIRE(second.valid == first.valid);
  REQUIRE(once.size() == twice.size());
  for (const auto& [voxel, value] : once) {
    REQUIRE(twice.at(voxel).weight == 2.0f);
    REQUIRE(twice.at(voxel).distance == Approx(value.distance).margin(1e-6));
  }
}

TEST_CASE("raw depths and metres give the same voxels", "[depth]")
{
  const auto metres = render_depth(sphere_distance({0.0, 0.0, 1.0}, 0.3), camera, identity_pose);
  const auto raw    = quantised(metres, 5000.0f);
  std::vector<float> rounded;
  for (const auto r : raw) {
    rounded.push_back(static_cast<float>(r) / 5000.0f);
  }
  default_volume a(settings, test_stream());
  const auto float_image = upload(rounded);
  const auto from_metres = a.integrate(view(float_image), camera, identity_pose);
  default_volume b(settings, test_stream());
  const auto raw_image     = upload(raw);
  auto raw_view            = view(raw_image);
  raw_view.units_per_metre = 5000.0f;
  const auto from_raw      = b.integrate(raw_view, camera, identity_pose);
  REQUIRE(from_raw.valid == from_metres.valid);
  REQUIRE(from_raw.valid > 500);
  REQUIRE(blocks_of(a) == blocks_of(b));
  require_equal(observed_voxels(a), observed_voxels(b));
}

TEST_CASE("rows may lie apart", "[depth]")
{
  const auto metres = render_depth(sphere_distance({0.0, 0.0, 1.0}, 0.3), camera, identity_pose);
  std::vector<rgb8> colors;
  for (std::size_t i = 0; i < metres.size(); ++i) {
    colors.push_back({static_cast<std::uint8_t>(i % 251), static_cast<std::uint8_t>(i / 80), 7});
  }
  std::vector<float> padded(std::size_t{100} * 60, 0.7f);  // what lies between the rows is no pixel
  std::vector<rgb8> padded_colors(std::size_t{90} * 60, rgb8{255, 255, 255});
  for (std::size_t row = 0; row < 60; ++row) {
    std::copy_n(metres.begin() + static_cast<std::ptrdiff_t>(row * 80), 80,
                padded.begin() + static_cast<std::ptrdiff_t>(row * 100));
    std::copy_n(colors.begin() + static_cast<std::ptrdiff_t>(row * 80), 80,
                padded_colors.begin() + static_cast<std::ptrdiff_t>(row * 90));
  }
  const auto tight        = upload(metres);
  const auto tight_colors = upload(colors);
  const auto wide         = upload(padded);
  const auto wide_colors  = upload(padded_colors);
  default_volume a(settings, test_stream());
  const auto first = a.integrate(view(tight), color_view{tight_colors.data(), 80, 60}, camera, identity_pose);
  default_volume b(settings, test_stream());
  auto strided       = view(wide);
  strided.row_stride = 100;
  color_view strided_colors{wide_colors.data(), 80, 60};
  strided_colors.row_stride = 90;
  const auto second         = b.integrate(strided, strided_colors, camera, identity_pose);
  REQUIRE(first.valid == second.valid);
  const auto voxels = observed_voxels(a);
  require_equal(voxels, observed_voxels(b));
  std::vector<vec3i> where;
  for (const auto& [voxel, value] : voxels) {
    where.push_back(voxel);
  }
  const auto a_colors = read_colors(a, where);
  const auto b_colors = read_colors(b, where);
  int colored         = 0;
  for (std::size_t i = 0; i < where.size(); ++i) {
    REQUIRE(a_colors[i].rgb == b_colors[i].rgb);
    colored += a_colors[i].weight > 0.0f ? 1 : 0;
  }
  REQUIRE(colored > 100);
}

TEMPLATE_TEST_CASE("colours may have another resolution", "[depth]", default_volume, paper_volume)
{
  // Left half red, right half blue, at half, the same and three times the depth image's resolution.
  for (const int width : {40, 80, 240}) {
    const int height = width * 3 / 4;
    INFO("width " << width);
    std::vector<rgb8> colors;
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        colors.push_back(column < width / 2 ? rgb8{200, 0, 10} : rgb8{0, 100, 250});
      }
    }
    const auto image  = upload(constant_image(1.0f));
    const auto colour = upload(colors);
    TestType v(settings, test_stream());
    static_cast<void>(v.integrate(view(image), color_view{colour.data(), width, height}, camera, identity_pose));
    for (const int x : {-40, -20, -3, 2, 20, 40}) {
      const auto color = read_colors(v, {{x, 5, 99}}).front();
      INFO("x " << x);
      REQUIRE(color.weight == 1.0f);
      REQUIRE(color.rgb.x == Approx(x < 0 ? 200.0 : 0.0).margin(0.01));
      REQUIRE(color.rgb.y == Approx(x < 0 ? 0.0 : 100.0).margin(0.01));
      REQUIRE(color.rgb.z == Approx(x < 0 ? 10.0 : 250.0).margin(0.01));
    }
  }
}

TEST_CASE("a colour camera of its own is used", "[depth]")
{
  // One pixel that sees a quarter of the depth camera's view, the upper left.
  const auto image  = upload(constant_image(1.0f));
  const auto colour = upload(std::vector<rgb8>{{1, 2, 3}});
  color_view colors{colour.data(), 1, 1};
  colors.camera = pinhole{2.0f, 2.0f, 0.5f, 0.5f, 1, 1};  // sees -0.5 <= x / z, y / z < 0
  default_volume v(settings, test_stream());
  static_cast<void>(v.integrate(view(image), colors, camera, identity_pose));
  const auto read = read_colors(v, {{-10, -10, 100}, {10, -10, 100}, {-10, 10, 100}, {10, 10, 100}});
  REQUIRE(read[0].rgb == vec3f{1.0f, 2.0f, 3.0f});
  REQUIRE(read[0].weight == 1.0f);
  for (int i = 1; i < 4; ++i) {
    REQUIRE(read[static_cast<std::size_t>(i)].weight == 0.0f);
  }
  for (const auto& value : read_voxels(v, {{-10, -10, 100}, {10, 10, 100}})) {
    REQUIRE(value.weight == 1.0f);  // the distance needs no colour
  }
}

TEST_CASE("only depths in range are measurements", "[depth]")
{
  auto depths = constant_image(1.0f);
  std::fill(depths.begin(), depths.begin() + 1600, 0.5f);
  std::fill(depths.begin() + 1600, depths.begin() + 2400, 3.0f);
  const auto image = upload(depths);
  default_volume v(settings, test_stream());
  const auto frame = v.integrate(view(image), camera, identity_pose, {.min_depth = 0.6f, .max_depth = 2.0f});
  REQUIRE(frame.valid == 2400);
  REQUIRE(frame.drops[drop_cause::invalid_input] == 2400);
  REQUIRE(frame.drops.lost() == 0);
  for (const auto& block : blocks_of(v)) {
    REQUIRE(block.z >= 11);
    REQUIRE(block.z <= 13);
  }
}

TEST_CASE("sizes and settings that cannot be meant are refused with their value", "[depth]")
{
  default_volume v(settings, test_stream());
  const auto image = upload(constant_image(1.0f));
  auto wrong       = view(image);
  wrong.width      = 79;
  REQUIRE_THROWS_AS(v.integrate(wrong, camera, identity_pose), invalid_argument);
  REQUIRE_THROWS_WITH(v.integrate(wrong, camera, identity_pose), contains("79"));
  wrong        = view(image);
  wrong.height = 61;
  REQUIRE_THROWS_WITH(v.integrate(wrong, camera, identity_pose), contains("61"));
  wrong            = view(image);
  wrong.row_stride = 10;
  REQUIRE_THROWS_WITH(v.integrate(wrong, camera, identity_pose), contains("10"));
  for (const std::int64_t stride : {std::int64_t{35791395}, std::numeric_limits<std::int64_t>::max()}) {
    wrong.row_stride = stride;  // no pixel's number would fit 32 bits
    REQUIRE_THROWS_WITH(v.integrate(wrong, camera, identity_pose), contains(std::to_string(stride)));
  }
  for (const float units : {0.0f, -1000.0f, std::numeric_limits<float>::infinity()}) {
    wrong                 = view(image);
    wrong.units_per_metre = units;
    REQUIRE_THROWS_AS(v.integrate(wrong, camera, identity_pose), invalid_argument);
  }
  auto huge   = camera;
  huge.width  = (1 << 22) + 1;  // no float tells all its pixels apart
  wrong       = view(image);
  wrong.width = huge.width;
  REQUIRE_THROWS_WITH(v.integrate(wrong, huge, identity_pose), contains("4194305"));
  auto broken = camera;
  broken.fx   = 0.0f;
  REQUIRE_THROWS_WITH(v.integrate(view(image), broken, identity_pose), contains("fx"));
  broken    = camera;
  broken.cy = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_THROWS_WITH(v.integrate(view(image), broken, identity_pose), contains("cy"));
  REQUIRE_THROWS_AS(v.integrate(view(image), camera, identity_pose, {.min_depth = 0.0f}), invalid_argument);
  REQUIRE_THROWS_AS(v.integrate(view(image), camera, identity_pose, {.min_depth = 2.0f, .max_depth = 1.0f}),
                    invalid_argument);
  const auto colour = upload(std::vector<rgb8>(100));
  color_view colors{colour.data(), 10, 10};
  colors.camera = camera;  // says 80 x 60
  REQUIRE_THROWS_AS(v.integrate(view(image), colors, camera, identity_pose), invalid_argument);
  colors            = {colour.data(), 10, 10};
  colors.row_stride = 5;
  REQUIRE_THROWS_AS(v.integrate(view(image), colors, camera, identity_pose), invalid_argument);
  REQUIRE(v.report().frames == 0);
  REQUIRE(v.report().blocks == 0);
}

TEST_CASE("a pose that is not a rigid motion is refused with its value", "[depth]")
{
  default_volume v(settings, test_stream());
  const auto image       = upload(constant_image(1.0f));
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
  pose.linear() *= 0.5f;
  REQUIRE_THROWS_AS(v.integrate(view(image), camera, pose), invalid_argument);
  REQUIRE_THROWS_WITH(v.integrate(view(image), camera, pose), contains("0.125"));
  pose                   = Eigen::Isometry3f::Identity();
  pose.translation().x() = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_THROWS_WITH(v.integrate(view(image), camera, pose), contains("nan"));
  REQUIRE(v.report().blocks == 0);
}

TEST_CASE("integrate_async of an image writes its result to the space's memory", "[depth]")
{
  default_volume v(settings, test_stream());
  const auto image = upload(constant_image(1.0f));
  buffer<frame_result, test_space> results(2, test_stream());
  v.integrate_async(view(image), {}, camera, identity_pose, {}, results.data());
  v.integrate_async(view(image), {}, camera, identity_pose, {}, results.data() + 1);
  const auto host = results.to_host();
  REQUIRE(host[0].valid == 4800);
  REQUIRE(host[0].blocks == host[0].blocks_added);
  REQUIRE(host[1].blocks == host[0].blocks);
  REQUIRE(host[1].blocks_added == 0);
}

TEST_CASE("points and images may be fused into one volume", "[depth]")
{
  default_volume v(settings, test_stream());
  const auto image  = upload(constant_image(1.0f));
  const auto points = upload(plane_points(0.3, 100, 1.0));
  const auto first  = v.integrate(view(image), camera, identity_pose);
  const auto second = v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());
  REQUIRE(second.blocks >= first.blocks);
  REQUIRE(second.drops.lost() == 0);
  const auto found = crossing_along(v, {3, 3, 95}, 2, 10) * 0.01;
  REQUIRE(found == Approx(1.0).margin(tolerance::depth_surface_mean_vox * 0.01));
}

}  // namespace cutsdf_test::integrate_depth
