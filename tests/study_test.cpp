// The policies of the study: what each keeps, what each loses, and that every loss is counted.
#include "support/catch.hpp"

#include "support/band_walk.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

#include <random>
#include <set>

namespace cutsdf_test::study {

template <class Policies>
using study_volume = volume<test_space, voxel::five_sums, Policies>;

using exact            = study_volume<language::cuda_cpp>;
using volatile_        = study_volume<language::rust_volatile>;
using tile_uniform     = study_volume<language::bundle<probe::tile_uniform, load::plain>>;
using early_every_step = study_volume<language::bundle<probe::unbounded, load::plain, exchange::unmasked<>>>;
using triton8          = study_volume<language::triton<8>>;
using triton32         = study_volume<language::triton<32>>;
using shared8          = study_volume<language::triton_shared<8>>;
using lockstep_masked8 = study_volume<language::bundle<probe::lockstep<8>, load::plain>>;
using bounded8         = study_volume<language::bundle<probe::bounded<8>, load::plain>>;

const std::vector<vec3f>& base_points()
{
  static const auto points = sphere_points(0.5, 200, 400);
  return points;
}

constexpr std::int64_t base_blocks = 1160;
const volume_settings base{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 16384};
const volume_settings dense{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1218};  // load factor 0.283

template <class Volume>
frame_result fuse(Volume& v, const std::vector<vec3f>& points)
{
  const auto positions = upload(points);
  return v.integrate({.positions = positions.span()}, Eigen::Vector3f::Zero());
}

template <class Volume>
double total_weight(Volume& v)
{
  double weight = 0.0;
  for (const auto& [voxel, value] : observed_voxels(v)) {
    weight += static_cast<double>(value.weight);
  }
  return weight;
}

/// As many of the base points as it takes to meet `blocks` blocks.
std::vector<vec3f> points_for(std::size_t blocks)
{
  std::set<block_key> met;
  std::vector<vec3f> points;
  for (const vec3f& p : base_points()) {
    if (met.size() >= blocks) { break; }
    points.push_back(p);
    const auto band = walk_band{base.truncation / base.voxel_size}({{0.0f, 0.0f, 0.0f}, p * (1.0f / base.voxel_size)});
    for (int k = 0; k < band.count; ++k) {
      met.insert(key_of(block_of(band.voxel[k])));
    }
  }
  return points;
}

TEMPLATE_TEST_CASE("every bundle without a bound builds the exact blocks at any load factor", "[study]", exact,
                   volatile_, tile_uniform, early_every_step)
{
  for (const auto& [blocks, table] : {std::pair{280, 512}, {920, 1024}, {972, 1024}, {506, 512}}) {
    const auto points = points_for(static_cast<std::size_t>(blocks));
    exact expected(base, test_stream());
    static_cast<void>(fuse(expected, points));
    volume_settings full = base;
    full.table_capacity  = table;
    TestType v(full, test_stream());
    const auto frame = fuse(v, points);
    REQUIRE(v.report().load_factor > 0.97 * static_cast<double>(blocks) / table);
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(frame.valid == points.size());
    REQUIRE(blocks_of(v) == blocks_of(expected));
    REQUIRE(total_weight(v) == total_weight(expected));
  }
}

TEMPLATE_TEST_CASE("a bound of eight loses nothing at a load factor of 0.035", "[study]", triton8, triton32, shared8,
                   lockstep_masked8, bounded8)
{
  exact expected(base, test_stream());
  static_cast<void>(fuse(expected, base_points()));
  TestType v(base, test_stream());
  const auto frame = fuse(v, base_points());
  REQUIRE(frame.blocks == base_blocks);
  REQUIRE(frame.drops.lost() == 0);
  const auto found = observed_voxels(v);
  const auto truth = observed_voxels(expected);
  REQUIRE(found.size() == truth.size());
  auto other = truth.begin();
  for (const auto& [voxel, value] : found) {
    REQUIRE(voxel == other->first);
    REQUIRE(value.weight == other->second.weight);
    REQUIRE(value.distance == Approx(other->second.distance).margin(tolerance::voxel_distance));
    ++other;
  }
}

TEMPLATE_TEST_CASE("what a bound of eight loses at 0.283 is counted, sample by sample", "[study]", triton8,
                   lockstep_masked8, bounded8)
{
  exact expected(dense, test_stream());
  static_cast<void>(fuse(expected, base_points()));
  TestType v(dense, test_stream());
  const auto frame = fuse(v, base_points());
  REQUIRE(frame.blocks < base_blocks);
  REQUIRE(frame.blocks > base_blocks - 40);
  REQUIRE(frame.drops.lost() == frame.drops[drop_cause::probe_bound]);
  REQUIRE(frame.drops.lost() > 0);
  REQUIRE(total_weight(v) + static_cast<double>(frame.drops.lost()) == total_weight(expected));
}

TEST_CASE("lookups with a bound lose what insertions without one had built", "[study]")
{
  shared8 v(dense, test_stream());
  const auto frame = fuse(v, base_points());
  REQUIRE(frame.blocks == base_blocks);
  REQUIRE(frame.drops[drop_cause::probe_bound] > 0);
  exact expected(dense, test_stream());
  static_cast<void>(fuse(expected, base_points()));
  REQUIRE(total_weight(v) + static_cast<double>(frame.drops.lost()) == total_weight(expected));
}

TEST_CASE("a bound of 32 loses nothing at 0.283", "[study]")
{
  triton32 v(dense, test_stream());
  const auto frame = fuse(v, base_points());
  REQUIRE(frame.blocks == base_blocks);
  REQUIRE(frame.drops.lost() == 0);
}

TEST_CASE("the scratch region changes nothing but time", "[study]")
{
  const std::vector<vec3f> few(base_points().begin(), base_points().begin() + 20000);
  exact expected(base, test_stream());
  static_cast<void>(fuse(expected, few));
  for (const std::int64_t slots : {1, 16, 256, 4096, 65536, 1 << 20}) {
    volume_settings settings = base;
    settings.scratch_slots   = slots;
    triton8 v(settings, test_stream());
    REQUIRE(fuse(v, few).drops.lost() == 0);
    REQUIRE(blocks_of(v) == blocks_of(expected));
  }
  volume_settings wrong = base;
  for (const std::int64_t slots : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, std::int64_t{1} << 40}) {
    wrong.scratch_slots = slots;
    REQUIRE_THROWS_WITH(triton8(wrong, test_stream()), contains(std::to_string(slots)));
    REQUIRE_NOTHROW(exact(wrong, test_stream()));  // it has none
  }
}

TEMPLATE_TEST_CASE("tiles take any number of points, invalid ones too", "[study]", triton8, tile_uniform)
{
  for (const std::size_t number : {0, 1, 127, 128, 129, 255, 256, 257, 1000}) {
    std::vector<vec3f> points(base_points().begin(), base_points().begin() + static_cast<std::ptrdiff_t>(number));
    for (std::size_t i = 3; i < points.size(); i += 100) {
      points[i].y = std::numeric_limits<float>::quiet_NaN();
    }
    points.push_back({1.0e7f, 0.0f, 0.0f});  // no key names its block
    exact expected(base, test_stream());
    const auto truth = fuse(expected, points);
    TestType v(base, test_stream());
    const auto frame = fuse(v, points);
    REQUIRE(frame.valid == truth.valid);
    for (int cause = 0; cause < drop_causes; ++cause) {
      REQUIRE(frame.drops.count[cause] == truth.drops.count[cause]);
    }
    REQUIRE(blocks_of(v) == blocks_of(expected));
    REQUIRE(total_weight(v) == total_weight(expected));
  }
}

/// band_visits, sample by sample.
struct look_along_band {
  float truncation_vox;
  CUTSDF_HD band_visits operator()(segment s) const
  {
    band_visits result{};
    point_ray ray{};
    if (!point_ray::make(s.a, s.b, ray)) { return result; }
    const int n = band_samples(truncation_vox);
    for (int i = -n; i <= n; ++i) {
      vec3i voxel{};
      float squared_range = 0.0f;
      const auto seen     = ray.look_at(i, truncation_vox, voxel, squared_range);
      if (seen == point_ray::sight::outside) { ++result.outside; }
      if (seen == point_ray::sight::voxel && result.count < 32) {
        result.voxel[result.count]         = voxel;
        result.squared_range[result.count] = squared_range;
        ++result.count;
      }
    }
    return result;
  }
};

TEST_CASE("a band is the same sample by sample as in one walk", "[study][band]")
{
  std::mt19937 random(3);
  const auto uniform = [&](float most) { return std::uniform_real_distribution<float>(-most, most)(random); };
  std::vector<segment> rays;
  for (int i = 0; i < 5000; ++i) {
    const float size = i % 3 == 0 ? 3.0f : i % 3 == 1 ? 300.0f : static_cast<float>(voxel_limit) + 4.0f;
    const vec3f camera{uniform(size), uniform(size), uniform(size)};
    rays.push_back({camera, {camera.x + uniform(20.0f), camera.y + uniform(20.0f), camera.z + uniform(20.0f)}});
  }
  for (const float truncation : {1.0f, 4.0f, 7.5f}) {
    const auto walked = map_in_space(rays, walk_band{truncation});
    const auto looked = map_in_space(rays, look_along_band{truncation});
    for (std::size_t i = 0; i < rays.size(); ++i) {
      REQUIRE(looked[i].count == walked[i].count);
      REQUIRE(looked[i].outside == walked[i].outside);
      for (int k = 0; k < std::min(walked[i].count, 32); ++k) {
        REQUIRE(looked[i].voxel[k] == walked[i].voxel[k]);
        REQUIRE(looked[i].squared_range[k] == walked[i].squared_range[k]);
      }
    }
  }
}

}  // namespace cutsdf_test::study
