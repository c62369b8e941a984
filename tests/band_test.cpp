// The truncation band around a sample.
#include "support/catch.hpp"

#include <cutsdf/fuse/block_set.hpp>
#include <cutsdf/grid/band.hpp>

#include "support/band_walk.hpp"
#include "support/inspect.hpp"
#include "support/space.hpp"
#include "support/tolerances.hpp"

#include <Eigen/Core>

#include <random>

namespace cutsdf_test::band {

constexpr int most_visits = 128;
struct visits {
  int count;
  vec3i block[most_visits];
};

struct walk {
  CUTSDF_HD visits operator()(segment s) const
  {
    visits result{};
    block_walk<float>::make(s.a, s.b).for_each_block([&](vec3i block) {
      if (result.count < most_visits) { result.block[result.count] = block; }
      ++result.count;
    });
    return result;
  }
};

/// Smallest distance between a block and a segment, by the largest norm; and how deep the segment goes into it.
struct nearness {
  double distance;  // 0 when it passes through
  double depth;     // largest distance of a point of the segment inside the block from the block's faces
};

nearness near(const segment& s, vec3i block)
{
  // Both are piecewise linear and (the negated depth) convex along the segment: ternary search finds the extremes.
  const Eigen::Vector3d a(s.a.x, s.a.y, s.a.z);
  const Eigen::Vector3d b(s.b.x, s.b.y, s.b.z);
  const Eigen::Vector3d low(block.x, block.y, block.z);
  const auto outside = [&](double t) {
    const Eigen::Vector3d p = a + t * (b - a);
    return ((low - p).cwiseMax(p - low - Eigen::Vector3d::Ones())).maxCoeff();  // negative inside
  };
  double from = 0.0;
  double to   = 1.0;
  for (int i = 0; i < 200; ++i) {
    const double first  = from + (to - from) / 3.0;
    const double second = to - (to - from) / 3.0;
    if (outside(first) <= outside(second)) {
      to = second;
    } else {
      from = first;
    }
  }
  const double nearest = std::min({outside(from), outside(to), outside(0.0), outside(1.0)});
  return {std::max(nearest, 0.0), std::max(-nearest, 0.0)};
}

void check(const segment& s, const visits& found)
{
  INFO("segment from (" << s.a.x << ", " << s.a.y << ", " << s.a.z << ") to (" << s.b.x << ", " << s.b.y << ", "
                        << s.b.z << ')');
  REQUIRE(found.count >= 1);
  REQUIRE(found.count <= most_visits);
  REQUIRE(found.block[0] == voxel_at(s.a));
  REQUIRE(found.block[found.count - 1] == voxel_at(s.b));
  block_set seen;
  for (int i = 0; i < found.count; ++i) {
    REQUIRE(seen.insert(found.block[i]).second);  // each once
    REQUIRE(near(s, found.block[i]).distance <= tolerance::segment_block);
    if (i > 0) {
      const vec3i step = found.block[i] - found.block[i - 1];
      REQUIRE(std::abs(step.x) + std::abs(step.y) + std::abs(step.z) == 1);  // neighbours share a face
    }
  }
  const vec3i first = voxel_at(s.a);
  const vec3i last  = voxel_at(s.b);
  for (int x = std::min(first.x, last.x) - 1; x <= std::max(first.x, last.x) + 1; ++x) {
    for (int y = std::min(first.y, last.y) - 1; y <= std::max(first.y, last.y) + 1; ++y) {
      for (int z = std::min(first.z, last.z) - 1; z <= std::max(first.z, last.z) + 1; ++z) {
        if (near(s, {x, y, z}).depth > tolerance::segment_block) { REQUIRE(seen.contains({x, y, z})); }
      }
    }
  }
}

TEST_CASE("a segment visits the blocks it passes through and no other", "[band]")
{
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> centre(-50.0f, 50.0f);
  std::uniform_real_distribution<float> extent(-3.0f, 3.0f);
  std::vector<segment> segments;
  for (int i = 0; i < 1500; ++i) {
    const vec3f a{centre(random), centre(random), centre(random)};
    segments.push_back({a, a + vec3f{extent(random), extent(random), extent(random)}});
    // Parallel to an axis or to a plane.
    if (i % 4 == 1) { segments.back().b.x = a.x; }
    if (i % 4 == 2) { segments.back().b.y = a.y; }
    if (i % 8 == 2) { segments.back().b.z = a.z; }
  }
  const auto found = map_in_space<walk>(segments);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    check(segments[i], found[i]);
  }
}

struct walk_by_name {
  vec3i base;
  CUTSDF_HD visits operator()(segment s) const
  {
    visits result{};
    const detail::block_names names(base);
    block_walk<float>::make(s.a, s.b).for_each_name(names, [&](std::uint32_t name) {
      if (result.count < most_visits) { result.block[result.count] = names.block(name); }
      ++result.count;
    });
    return result;
  }
};

TEST_CASE("names lead through the same blocks as the blocks themselves", "[band]")
{
  std::mt19937 random(7);
  std::uniform_real_distribution<float> position(-20.0f, 20.0f);
  const auto reach = static_cast<float>(detail::block_names::reach);
  for (const vec3i& base : {vec3i{0, 0, 0}, vec3i{-1000000, 17, 1048575}}) {
    const vec3f centre = to_float(base);
    std::vector<segment> segments{{centre - vec3f{reach, reach, reach}, centre - vec3f{reach - 9.5f, reach, reach}},
                                  {centre + vec3f{reach - 0.5f, reach - 9.5f, reach - 9.5f},
                                   centre + vec3f{reach - 9.5f, reach - 0.5f, reach - 0.5f}}};
    for (int i = 0; i < 500; ++i) {
      const auto any = [&] { return centre + vec3f{position(random), position(random), position(random)}; };
      segments.push_back({any(), any()});
    }
    const auto expected = map_in_space<walk>(segments);
    const auto found    = map_in_space(segments, walk_by_name{base});
    for (std::size_t i = 0; i < segments.size(); ++i) {
      REQUIRE(found[i].count == expected[i].count);
      REQUIRE(found[i].count <= most_visits);
      REQUIRE(std::equal(found[i].block, found[i].block + found[i].count, expected[i].block));
    }
  }
}

TEST_CASE("segments that end on borders or run along them are walked to their last block", "[band]")
{
  const std::vector<segment> segments{
    {{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}},                        // a point
    {{0.0f, 0.0f, 0.0f}, {3.0f, 0.0f, 0.0f}},                        // along an edge
    {{3.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}},                        // and back
    {{0.0f, 0.0f, 0.0f}, {3.0f, 3.0f, 3.0f}},                        // through corners
    {{-1.0f, -1.0f, -1.0f}, {2.0f, 2.0f, 2.0f}},                     // through the origin
    {{2.0f, 2.0f, 2.0f}, {-1.0f, -1.0f, -1.0f}},                     //
    {{0.5f, 0.5f, 1.0f}, {0.5f, 0.5f, -1.0f}},                       // from border to border
    {{1.0f, 0.5f, 0.5f}, {std::nextafter(1.0f, 0.0f), 0.5f, 0.5f}},  // across a border by one step of a float
    {{std::nextafter(1.0f, 0.0f), 0.5f, 0.5f}, {1.0f, 0.5f, 0.5f}},
    {{-0.0f, 0.5f, 0.5f}, {-1.0e-40f, 0.5f, 0.5f}},  // by a denormal
    {{-1.0e-40f, 0.5f, 0.5f}, {1.0e-40f, 0.5f, 0.5f}},
    {{1000000.0f, -1000000.0f, 0.0f}, {1000002.0f, -1000001.0f, 1.0f}},  // where a float's steps are coarse
  };
  const auto found = map_in_space<walk>(segments);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    check(segments[i], found[i]);
  }
}

struct rounded_truncation {
  CUTSDF_HD int operator()(float truncation_vox) const { return band_samples(truncation_vox); }
};

TEST_CASE("a band has the truncation's number of samples, rounded up and at least one", "[band]")
{
  const std::vector<float> truncations{0.1f, 1.0f, 1.01f, 3.9f, 4.0f, 4.0001f, 100.0f};
  REQUIRE(map_in_space<rounded_truncation>(truncations) == std::vector<int>{1, 1, 2, 4, 4, 5, 100});
}

struct ray_facts {
  int made;
  float range;
  vec3f sample;
};

struct make_ray {
  CUTSDF_HD ray_facts operator()(segment s) const
  {
    point_ray ray{};
    if (!point_ray::make(s.a, s.b, ray)) { return {0, 0.0f, {0.0f, 0.0f, 0.0f}}; }
    return {1, ray.range, ray.sample(-3)};
  }
};

TEST_CASE("a ray needs two different finite points", "[band]")
{
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  const std::vector<segment> segments{{{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 10.5f}},
                                      {{1.0f, 1.0f, 1.0f}, {1.0f, 1.0f, 1.0f}},
                                      {{0.0f, 0.0f, 0.0f}, {nan, 0.0f, 1.0f}},
                                      {{0.0f, 0.0f, 0.0f}, {0.0f, -inf, 1.0f}},
                                      {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 3.0e38f}}};
  const auto facts = map_in_space<make_ray>(segments);
  REQUIRE(facts[0].made == 1);
  REQUIRE(facts[0].range == 10.0f);
  REQUIRE(facts[0].sample == vec3f{0.5f, 0.5f, 7.5f});
  for (std::size_t i = 1; i < segments.size(); ++i) {
    INFO("segment " << i);
    REQUIRE(facts[i].made == 0);
  }
}

TEST_CASE("a ray's band visits the voxels of its samples from front to back", "[band]")
{
  const auto visits = map_in_space(std::vector<segment>{{{0.5f, 0.5f, 0.0f}, {0.5f, 0.5f, 50.5f}},
                                                        {{0.5f, 0.5f, 0.0f}, {0.5f, 0.5f, 50.0f}},
                                                        {{0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 2.5f}}},
                                   walk_band{4.0f});
  REQUIRE(visits[0].count == 9);
  for (int i = 0; i < 9; ++i) {
    REQUIRE(visits[0].voxel[i] == vec3i{0, 0, 46 + i});
    REQUIRE(visits[0].squared_range[i] == Approx((46.5 + i) * (46.5 + i)));
  }
  // The last voxel's centre lies 4.5 behind the surface.
  REQUIRE(visits[1].count == 8);
  REQUIRE(visits[1].voxel[0] == vec3i{0, 0, 46});
  REQUIRE(visits[1].voxel[7] == vec3i{0, 0, 53});
  // Behind the camera there is no band.
  REQUIRE(visits[2].count == 6);
  REQUIRE(visits[2].voxel[0] == vec3i{0, 0, 1});
  REQUIRE(visits[2].voxel[5] == vec3i{0, 0, 6});
}

TEST_CASE("samples of a band that no key can name are told apart", "[band]")
{
  constexpr auto limit = static_cast<float>(voxel_limit);
  const auto visits    = map_in_space(std::vector<segment>{{{limit - 40.0f, 0.5f, 0.5f}, {limit - 4.0f, 0.5f, 0.5f}},
                                                           {{limit - 40.0f, 0.5f, 0.5f}, {limit, 0.5f, 0.5f}},
                                                           {{0.5f, 40.0f - limit, 0.5f}, {0.5f, -limit, 0.5f}},
                                                           {{0.5f, 0.5f, limit}, {0.5f, 0.5f, limit + 100.0f}},
                                                           {{0.5f, 0.5f, 0.0f}, {0.5f, 0.5f, 1.0e12f}}},
                                      walk_band{2.0f});
  REQUIRE(visits[0].outside == 0);
  REQUIRE(visits[0].count + visits[0].outside >= 4);
  REQUIRE(visits[1].outside == 3);
  REQUIRE(visits[1].count == 2);
  REQUIRE(visits[2].outside == 2);
  REQUIRE(visits[3].outside == 5);
  REQUIRE(visits[4].outside == 5);
  for (const auto& v : visits) {
    for (int i = 0; i < v.count; ++i) {
      REQUIRE(has_key(block_of(v.voxel[i])));
    }
  }
}

}  // namespace cutsdf_test::band
