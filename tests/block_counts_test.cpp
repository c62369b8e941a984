// The exact numbers of blocks that the scenes of docs and paper take: voxel 0.01 m, truncation 0.04 m, camera at the
// origin.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::block_counts {

struct cell {
  const char* name;
  std::vector<vec3f> points;
  std::int64_t block_capacity;
  std::uint64_t blocks;
};

std::vector<cell> cells()
{
  std::vector<cell> all;
  all.push_back({"base", sphere_points(0.5, 400, 800), 16384, 1160});
  all.push_back({"pts-20k", sphere_points(0.5, 100, 200), 16384, 1104});
  all.push_back({"pts-80k", sphere_points(0.5, 200, 400), 16384, 1160});
  all.push_back({"pts-720k", sphere_points(0.5, 600, 1200), 16384, 1160});
  all.push_back({"pts-1280k", sphere_points(0.5, 800, 1600), 16384, 1160});
  all.push_back({"r-0.25", sphere_points(0.25, 400, 800), 16384, 280});
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  all.push_back({"r-1.0", sphere_points(1.0, 400, 800), 8192, 4752});  // as many blocks, less memory
  all.push_back({"r-2.0", sphere_points(2.0, 400, 800), 20000, 18160});
#else
  all.push_back({"r-1.0", sphere_points(1.0, 400, 800), 65536, 4752});
  all.push_back({"r-2.0", sphere_points(2.0, 400, 800), 131072, 18160});
#endif
  all.push_back({"plane-320k", plane_points(1.0, 566, 0.5), 16384, 1060});
  all.push_back({"lf-sparse", all.front().points, 16 * 1160, 1160});
  all.push_back({"lf-lo", all.front().points, 4 * 1160, 1160});
  all.push_back({"lf-mid", all.front().points, 2 * 1160, 1160});
  all.push_back({"lf-hi", all.front().points, 1218, 1160});  // 1.05 x
  return all;
}

template <class Volume>
void check(const cell& c, std::int64_t table_capacity)
{
  INFO("cell " << c.name);
  Volume v(
    {.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = c.block_capacity, .table_capacity = table_capacity},
    test_stream());
  const auto points = upload(c.points);
  const auto frame  = v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());
  CHECK(frame.valid == c.points.size());
  CHECK(frame.blocks == c.blocks);
  CHECK(frame.blocks_added == c.blocks);
  CHECK(frame.blocks_dropped == 0);
  CHECK(frame.drops.lost() == 0);
  CHECK(frame.drops[drop_cause::invalid_input] == 0);
  const auto report = v.report();
  CHECK(report.blocks == static_cast<std::int64_t>(c.blocks));
  CHECK(report.table_entries == static_cast<std::int64_t>(c.blocks));
  CHECK(report.load_factor == Approx(static_cast<double>(c.blocks) / static_cast<double>(report.table_capacity)));
  if (table_capacity == 0) {
    CHECK(report.table_capacity >= 2 * c.block_capacity);
    CHECK(report.table_capacity < 4 * c.block_capacity);
  }
  CHECK(blocks_of(v).size() == c.blocks);
}

TEST_CASE("block counts of the paper with its own policies", "[block_counts]")
{
  for (const auto& c : cells()) {
    check<paper_volume>(c, 0);
  }
}

TEST_CASE("block counts of the paper with the defaults", "[block_counts]")
{
  for (const auto& c : cells()) {
    check<default_volume>(c, 0);
  }
}

TEST_CASE("block counts of the paper with atomic first loads", "[block_counts]")
{
  const auto all = cells();
  check<atomic_load_volume>(all[0], 0);
  check<atomic_load_volume>(all[12], 0);
}

TEST_CASE("block counts of the paper with places that are slots", "[block_counts]")
{
  const auto all = cells();
  for (const auto i : {0u, 1u, 5u, 8u}) {
    check<slot_volume>(all[i], 4096);
  }
}

TEST_CASE("block counts of the paper in tables that are almost full", "[block_counts]")
{
  const auto all = cells();
  check<default_volume>(all[1], 2048);  // load factor 0.54
  check<paper_volume>(all[8], 2048);
  auto crowded           = all[8];  // 1060 blocks in 1060 places
  crowded.block_capacity = 1060;
  check<default_volume>(crowded, 2048);
}

TEST_CASE("a volume keeps its count when the same points come again", "[block_counts]")
{
  default_volume v({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 4096}, test_stream());
  const auto points = upload(sphere_points(0.5, 400, 800));
  static_cast<void>(v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero()));
  const auto again = v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero());
  REQUIRE(again.blocks == 1160);
  REQUIRE(again.blocks_added == 0);
}

}  // namespace cutsdf_test::block_counts
