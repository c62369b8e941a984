// Depth fusion computes with one number at a time or with several: the volume is the same, bit for bit.
#include "support/catch.hpp"

#include <cutsdf/cutsdf.hpp>

#include "support/inspect.hpp"
#include "support/lanes.hpp"
#include "support/scenes.hpp"

#include <cstring>
#include <random>

namespace cutsdf_test::depth_lanes {

/// The host, computing with F.
template <class F>
struct host_with : space::host {
  static constexpr int lanes = lanes_of<F>;

  template <class Work>
  static void with_number(const Work& work)
  {
    work(std::type_identity<F>{});
  }
};

template <int Lanes>
using host_with_lanes = host_with<pack<float, Lanes>>;

/// Without rows: what a user's own voxel may be.
struct plain_voxel {
  using arrays                                  = voxel::compact::arrays;
  static constexpr std::int64_t bytes_per_voxel = voxel::compact::bytes_per_voxel;
  static arrays bind(void* memory, std::int64_t voxels) { return voxel::compact::bind(memory, voxels); }
  static bool wants_color(float distance, float truncation)
  {
    return voxel::compact::wants_color(distance, truncation);
  }
  static void add(const arrays& a, std::int64_t i, const observation& o) { voxel::compact::add(a, i, o); }
  static void fold(const arrays& a, std::int64_t i, const observation& o) { voxel::compact::fold(a, i, o); }
  static voxel_value read(const arrays& a, std::int64_t i) { return voxel::compact::read(a, i); }
  static voxel_color read_color(const arrays& a, std::int64_t i) { return voxel::compact::read_color(a, i); }
  static void copy(const arrays& a, std::int64_t i, const arrays& b, std::int64_t j)
  {
    voxel::compact::copy(a, i, b, j);
  }
};
static_assert(!row_voxel_policy<plain_voxel, pack<float, 4>> && !column_voxel_policy<plain_voxel, 8>);
static_assert(row_voxel_policy<voxel::fixed_point, pack<float, 8>>);
static_assert(row_voxel_policy<voxel::compact, pack<float, 4>>);
static_assert(row_voxel_policy<voxel::five_sums, pack<float, 16>>);

struct frame {
  pinhole camera;
  int stride;
  std::vector<std::uint16_t> depth;
  int color_width, color_height;
  std::vector<rgb8> color;
  Eigen::Isometry3f pose;
};

/// A wavy wall with holes, steps, noise and readings that no sensor believes.
frame make_frame(int width, int height, const Eigen::Vector3f& position, std::uint32_t seed)
{
  std::mt19937 random(seed);
  const auto uniform = [&](float low, float high) { return std::uniform_real_distribution<float>(low, high)(random); };
  frame f{camera_of(width, height, 60.0), width + 3, {}, width + 5, height + 2, {}, Eigen::Isometry3f::Identity()};
  f.pose.translate(position);
  f.pose.rotate(
    Eigen::AngleAxisf(uniform(-3.0f, 3.0f), Eigen::Vector3f(uniform(-1, 1), uniform(-1, 1), 1.0f).normalized()));
  f.depth.assign(static_cast<std::size_t>(f.stride * height), 1234);  // the padding looks like a measurement
  for (int v = 0; v < height; ++v) {
    for (int u = 0; u < width; ++u) {
      const float wall  = 900.0f + 40.0f * std::sin(0.3f * static_cast<float>(u)) + (u > width / 2 ? 200.0f : 0.0f);
      const float noisy = wall + uniform(-8.0f, 8.0f);
      const float luck  = uniform(0.0f, 1.0f);
      f.depth[static_cast<std::size_t>(v * f.stride + u)] = luck < 0.1f    ? std::uint16_t{0}
                                                            : luck < 0.13f ? std::uint16_t{65535}
                                                            : luck < 0.15f ? std::uint16_t{60000}
                                                                           : static_cast<std::uint16_t>(noisy);
    }
  }
  f.color.resize(static_cast<std::size_t>(f.color_width * f.color_height));
  for (rgb8& c : f.color) {
    c = {static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random())};
  }
  return f;
}

/// Frames of sizes around the widths of packs and tiles, from places near the origin and at the end of the keys.
std::vector<frame> make_frames(float voxel_size)
{
  const float end = static_cast<float>(voxel_limit) * voxel_size;
  std::vector<frame> frames;
  std::uint32_t seed = 1;
  for (const auto& [width, height] :
       {std::pair{1, 1}, {3, 2}, {8, 8}, {16, 16}, {17, 5}, {37, 29}, {64, 48}, {7, 40}}) {
    for (const Eigen::Vector3f& position : {Eigen::Vector3f(0, 0, 0), Eigen::Vector3f(-0.3f, 0.2f, 5.0f),
                                            Eigen::Vector3f(end - 0.5f, 0, 0), Eigen::Vector3f(0, -2 * end, 0)}) {
      frames.push_back(make_frame(width, height, position, seed++));
    }
  }
  return frames;
}

constexpr float voxel_size = 0.0625f;  // exact, so that a metre from the end of the keys still means something
constexpr volume_settings settings{.voxel_size = voxel_size, .truncation = 0.25f, .block_capacity = 4096};

template <class Volume>
std::vector<frame_result> fuse_all(Volume& v, bool colored)
{
  std::vector<frame_result> results;
  for (const frame& f : make_frames(voxel_size)) {
    const depth_view<std::uint16_t> depth{f.depth.data(), f.camera.width, f.camera.height, 1000.0f, f.stride};
    const color_view color{f.color.data(), f.color_width, f.color_height};
    results.push_back(v.integrate(depth, colored ? color : color_view{}, f.camera, f.pose, {0.1f, 30.0f}));
  }
  return results;
}

template <class Volume>
auto voxels_by_block(Volume& v)
{
  std::map<vec3i, std::vector<float>, by_axis> result;
  const auto ref = v.ref();
  for (const auto& [block, place] : places_by_block(v)) {
    auto& values = result[block];
    for (int i = 0; i < voxels_per_block; ++i) {
      const auto value = Volume::voxel_type::read(ref.voxels, ref.offset(place, i));
      const auto color = Volume::voxel_type::read_color(ref.voxels, ref.offset(place, i));
      values.insert(values.end(), {value.distance, value.weight, color.rgb.x, color.rgb.y, color.rgb.z, color.weight});
    }
  }
  return result;
}

template <class Space, class Voxel>
void require_same_as_one_by_one(bool colored)
{
  volume<host_with<float>, Voxel> expected(settings);
  volume<Space, Voxel> found(settings);
  const auto expected_frames = fuse_all(expected, colored);
  const auto found_frames    = fuse_all(found, colored);
  for (std::size_t i = 0; i < expected_frames.size(); ++i) {
    CAPTURE(i);
    REQUIRE(found_frames[i].valid == expected_frames[i].valid);
    REQUIRE(found_frames[i].blocks == expected_frames[i].blocks);
    REQUIRE(found_frames[i].blocks_updated == expected_frames[i].blocks_updated);
    for (int cause = 0; cause < drop_causes; ++cause) {
      REQUIRE(found_frames[i].drops.count[cause] == expected_frames[i].drops.count[cause]);
    }
  }
  const auto report = found.report();
  REQUIRE(report.drops[drop_cause::out_of_range] > 0);  // the frames at the end of the keys
  REQUIRE(report.drops[drop_cause::invalid_input] > 0);
  REQUIRE(report.blocks > 100);
  REQUIRE(voxels_by_block(found) == voxels_by_block(expected));
}

TEMPLATE_TEST_CASE("any width of pack fuses depth images as single numbers do", "[depth][pack]", host_with_lanes<4>,
                   host_with_lanes<8>, host_with_lanes<16>)
{
  if (!has_lanes<TestType::lanes>()) { return; }
  for (const bool colored : {false, true}) {
    require_same_as_one_by_one<TestType, voxel::fixed_point>(colored);
    require_same_as_one_by_one<TestType, voxel::compact>(colored);
    require_same_as_one_by_one<TestType, voxel::mean16>(colored);
    require_same_as_one_by_one<TestType, voxel::five_sums>(colored);
    require_same_as_one_by_one<TestType, plain_voxel>(colored);
  }
}

TEMPLATE_TEST_CASE("any width of pack inserts blocks that are hundreds of blocks away", "[depth][pack]",
                   host_with_lanes<4>, host_with_lanes<8>, host_with_lanes<16>)
{
  if (!has_lanes<TestType::lanes>()) { return; }
  // Threads of a group share blocks by names that reach 512 blocks; beyond, each pixel asks for itself.
  const auto fuse = [](auto& v) {
    std::vector<std::uint64_t> results;
    for (const frame& f : make_frames(voxel_size)) {
      const depth_view<std::uint16_t> depth{f.depth.data(), f.camera.width, f.camera.height, 4.0f, f.stride};
      const auto result = v.integrate(depth, f.camera, f.pose, {0.1f, 1000.0f});
      results.insert(results.end(),
                     {result.valid, result.blocks, result.blocks_updated, result.drops[drop_cause::out_of_range]});
    }
    return results;
  };
  volume<host_with<float>> expected({.voxel_size = voxel_size, .truncation = 0.25f, .block_capacity = 1 << 15});
  volume<TestType> found({.voxel_size = voxel_size, .truncation = 0.25f, .block_capacity = 1 << 15});
  REQUIRE(fuse(found) == fuse(expected));
  REQUIRE(found.report().blocks > 5000);
  REQUIRE(voxels_by_block(found) == voxels_by_block(expected));
}

TEMPLATE_TEST_CASE("any width of pack counts what finds no room", "[depth][pack]", host_with<float>, host_with_lanes<4>,
                   host_with_lanes<8>, host_with_lanes<16>)
{
  if (!has_lanes<TestType::lanes>()) { return; }
  // Which blocks find room depends on the order of threads; what is stored and what is counted make up the whole.
  const auto weigh = [](auto& v) {
    double weight = 0.0;
    for (const auto& [block, values] : voxels_by_block(v)) {
      for (std::size_t i = 1; i < values.size(); i += 6) {
        weight += static_cast<double>(values[i]);
      }
    }
    return weight;
  };
  volume<TestType> ample(settings);
  static_cast<void>(fuse_all(ample, false));
  volume_settings few = settings;
  few.block_capacity  = 20;
  few.table_capacity  = 8192;
  volume<TestType> narrow(few);
  static_cast<void>(fuse_all(narrow, false));
  const auto lost = narrow.report().drops[drop_cause::pool_full];
  REQUIRE(lost > 1000);
  REQUIRE(weigh(narrow) + static_cast<double>(lost) == weigh(ample));
}

}  // namespace cutsdf_test::depth_lanes
