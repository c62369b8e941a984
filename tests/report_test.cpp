// What a volume says about itself, and clear().
#include "support/catch.hpp"

#include "support/counting_resource.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::reports {

const Eigen::Vector3f origin = Eigen::Vector3f::Zero();

TEMPLATE_TEST_CASE("a new volume is empty", "[report]", default_volume, paper_volume, slot_volume)
{
  TestType v({.block_capacity = 100, .table_capacity = 256}, test_stream());
  const auto report = v.report();
  REQUIRE(report.blocks == 0);
  REQUIRE(report.block_capacity == (TestType::policies_type::index_type::from_slot ? 256 : 100));
  REQUIRE(report.table_entries == 0);
  REQUIRE(report.table_capacity == 256);
  REQUIRE(report.load_factor == 0.0);
  REQUIRE(report.frames == 0);
  REQUIRE(report.drops.lost() == 0);
  REQUIRE(report.drops[drop_cause::invalid_input] == 0);
  REQUIRE(blocks_of(v).empty());
}

TEST_CASE("the table has twice the places of the pool, as a power of two", "[report]")
{
  for (const auto& [blocks, slots] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 2}, {2, 4}, {3, 8}, {64, 128}, {65, 256}, {1218, 4096}}) {
    default_volume v({.block_capacity = blocks}, test_stream());
    REQUIRE(v.report().table_capacity == slots);
    REQUIRE(v.settings().table_capacity == slots);
  }
}

TEST_CASE("bytes are what the volume took from its resource", "[report]")
{
  counting_resource<test_space> memory;
  {
    default_volume v({.block_capacity = 100}, test_stream(), memory);
    REQUIRE(v.report().bytes == memory.held);
    REQUIRE(v.report().bytes >= 100 * 512 * voxel::compact::bytes_per_voxel);
    const auto points = upload(sphere_points(0.1, 50, 100));
    const auto before = v.report().bytes;
    static_cast<void>(v.integrate({.positions = points.span()}, origin));
    REQUIRE(v.report().bytes == before);
    REQUIRE(v.report().bytes == memory.held);
    v.reserve(500);
    REQUIRE(v.report().bytes == memory.held);
    REQUIRE(v.report().bytes > before);
  }
  REQUIRE(memory.held == 0);
  REQUIRE(memory.blocks == 0);
}

TEST_CASE("drops add up over frames and clear forgets them", "[report]")
{
  default_volume v({.block_capacity = 16}, test_stream());
  auto positions = sphere_points(0.5, 30, 60);
  positions.push_back({std::numeric_limits<float>::quiet_NaN(), 0.0f, 0.0f});
  const auto points = upload(positions);
  drop_counts sum;
  for (int frame = 1; frame <= 3; ++frame) {
    const auto result = v.integrate({.positions = points.span()}, origin);
    REQUIRE(result.drops[drop_cause::pool_full] > 0);
    REQUIRE(result.drops[drop_cause::invalid_input] == 1);
    REQUIRE(result.valid == positions.size() - 1);
    REQUIRE(result.blocks == 16);
    for (int cause = 0; cause < drop_causes; ++cause) {
      sum.count[cause] += result.drops.count[cause];
    }
    const auto report = v.report();
    REQUIRE(report.frames == static_cast<std::uint64_t>(frame));
    for (int cause = 0; cause < drop_causes; ++cause) {
      REQUIRE(report.drops.count[cause] == sum.count[cause]);
    }
  }
  REQUIRE(v.report().table_entries > v.report().blocks);
  REQUIRE(v.report().blocks == 16);
  v.clear();
  REQUIRE(v.report().frames == 0);
  REQUIRE(v.report().drops.lost() == 0);
  REQUIRE(v.report().drops[drop_cause::invalid_input] == 0);
}

TEMPLATE_TEST_CASE("a cleared volume is as good as new", "[report]", default_volume, paper_volume, slot_volume)
{
  TestType v({.block_capacity = 2048, .table_capacity = 4096}, test_stream());
  const auto points = upload(sphere_points(0.5, 100, 200));
  const auto first  = v.integrate({.positions = points.span()}, origin);
  const auto before = observed_voxels(v);
  v.clear();
  REQUIRE(v.report().blocks == 0);
  REQUIRE(v.report().table_entries == 0);
  REQUIRE(v.report().block_capacity >= 2048);
  REQUIRE(observed_voxels(v).empty());
  const auto second = v.integrate({.positions = points.span()}, origin);
  REQUIRE(second.blocks == first.blocks);
  REQUIRE(second.blocks_added == 1104);
  const auto after = observed_voxels(v);
  REQUIRE(after.size() == before.size());
  for (const auto& [voxel, value] : before) {
    REQUIRE(after.at(voxel).weight == value.weight);
  }
}

TEST_CASE("causes have names", "[report]")
{
  REQUIRE(std::string(name_of(drop_cause::pool_full)) == "pool_full");
  REQUIRE(std::string(name_of(drop_cause::table_full)) == "table_full");
  REQUIRE(std::string(name_of(drop_cause::probe_bound)) == "probe_bound");
  REQUIRE(std::string(name_of(drop_cause::out_of_range)) == "out_of_range");
  REQUIRE(std::string(name_of(drop_cause::invalid_input)) == "invalid_input");
  drop_counts counts{{1, 2, 4, 8, 16}};
  REQUIRE(counts.lost() == 15);
  REQUIRE(counts[drop_cause::out_of_range] == 8);
}

TEST_CASE("settings that cannot be meant are refused with their value", "[report]")
{
  const auto make     = [](volume_settings settings) { default_volume v(settings, test_stream()); };
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const float size : {0.0f, -0.01f, nan, inf}) {
    REQUIRE_THROWS_AS(make({.voxel_size = size}), invalid_argument);
  }
  REQUIRE_THROWS_WITH(make({.voxel_size = -0.25f}), contains("voxel_size") && contains("-0.25"));
  REQUIRE_THROWS_WITH(make({.voxel_size = 0.01f, .truncation = 0.005f}), contains("truncation") && contains("0.005"));
  REQUIRE_THROWS_AS(make({.truncation = nan}), invalid_argument);
  REQUIRE_THROWS_AS(make({.truncation = inf}), invalid_argument);
  REQUIRE_THROWS_WITH(make({.block_capacity = 0}), contains("block_capacity") && contains("0"));
  REQUIRE_THROWS_AS(make({.block_capacity = -1}), invalid_argument);
  REQUIRE_THROWS_AS(make({.block_capacity = (std::int64_t{1} << 31) + 1}), invalid_argument);
  REQUIRE_THROWS_WITH(make({.block_capacity = 16, .table_capacity = 100}),
                      contains("table_capacity") && contains("100"));
  REQUIRE_THROWS_AS(make({.block_capacity = 16, .table_capacity = -4}), invalid_argument);
}

TEST_CASE("a volume moves with all it holds", "[report]")
{
  static_assert(!std::is_copy_constructible_v<default_volume>);
  static_assert(std::is_trivially_copyable_v<default_volume::ref_type>);
  default_volume a({.block_capacity = 2048}, test_stream());
  const auto points = upload(sphere_points(0.5, 100, 200));
  static_cast<void>(a.integrate({.positions = points.span()}, origin));
  default_volume b(std::move(a));
  REQUIRE(b.report().blocks == 1104);
  REQUIRE(b.integrate({.positions = points.span()}, origin).blocks_added == 0);
  default_volume c({.block_capacity = 4}, test_stream());
  c = std::move(b);
  REQUIRE(c.report().blocks == 1104);
  REQUIRE(c.report().frames == 2);
}

}  // namespace cutsdf_test::reports
