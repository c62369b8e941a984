// Voxels, blocks and keys.
#include "support/catch.hpp"

#include <cutsdf/grid/coordinate.hpp>

#include "support/space.hpp"

#include <random>
#include <set>

namespace cutsdf_test::coordinates {

struct voxel_of_x {
  float inverse_voxel_size;
  CUTSDF_HD std::int32_t operator()(float x) const { return voxel_at(vec3f{x, x, x} * inverse_voxel_size).x; }
};

struct key_round_trip {
  CUTSDF_HD vec3i operator()(vec3i block) const { return block_of_key(key_of(block)); }
};

struct block_and_index {
  CUTSDF_HD vec3i operator()(vec3i voxel) const
  {
    return block_of(voxel) * block_side + voxel_in_block(index_in_block(voxel));
  }
};

struct has_key_of {
  CUTSDF_HD int operator()(vec3i block) const { return has_key(block) ? 1 : 0; }
};

struct is_addressable {
  CUTSDF_HD int operator()(vec3f position) const { return addressable(position) ? 1 : 0; }
};

struct floor_of {
  CUTSDF_HD std::int32_t operator()(float x) const { return ieee::floor_to_int(x); }
};

struct finite {
  CUTSDF_HD int operator()(float x) const { return ieee::is_finite(x) ? 1 : 0; }
};

TEST_CASE("coordinates left of zero belong to negative voxels", "[coordinate]")
{
  const std::vector<float> x{-0.05f, 0.05f, -0.5f, 0.0f, -0.0f};
  REQUIRE(map_in_space(x, voxel_of_x{1.0f / 0.1f}) == std::vector<std::int32_t>{-1, 0, -5, 0, 0});
}

TEST_CASE("floor_to_int rounds down on both sides of zero", "[coordinate]")
{
  const std::vector<float> x{-2.0f, -1.5f, -1.0f, -0.25f, 0.0f, 0.25f, 1.0f, 1.5f, -8388607.5f, 8388607.0f};
  REQUIRE(map_in_space<floor_of>(x) == std::vector<std::int32_t>{-2, -2, -1, -1, 0, 0, 1, 1, -8388608, 8388607});
}

TEST_CASE("is_finite knows NaN and the infinities", "[coordinate]")
{
  constexpr float inf = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{0.0f, -1.0f, 3.0e38f, 1.0e-45f, inf, -inf, nan, -nan};
  REQUIRE(map_in_space<finite>(x) == std::vector<int>{1, 1, 1, 1, 0, 0, 0, 0});
}

TEST_CASE("blocks are found by floor division", "[coordinate]")
{
  REQUIRE(block_of({0, 7, 8}) == vec3i{0, 0, 1});
  REQUIRE(block_of({-1, -8, -9}) == vec3i{-1, -1, -2});
  REQUIRE(index_in_block({0, 0, 0}) == 0);
  REQUIRE(index_in_block({1, 0, 0}) == 1);
  REQUIRE(index_in_block({0, 1, 0}) == 8);
  REQUIRE(index_in_block({0, 0, 1}) == 64);
  REQUIRE(index_in_block({-1, -1, -1}) == 511);
  std::vector<vec3i> voxels;
  for (int x = -17; x <= 17; ++x) {
    for (int y = -9; y <= 9; ++y) {
      voxels.push_back({x, y, x - y});
    }
  }
  REQUIRE(map_in_space<block_and_index>(voxels) == voxels);
}

TEST_CASE("keys name blocks and nothing else", "[coordinate]")
{
  const unsigned seed = 20240607;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> coordinate(-key_bias, key_bias - 1);
  std::vector<vec3i> blocks{{-key_bias, -key_bias, -key_bias}, {key_bias - 1, key_bias - 1, key_bias - 1}, {0, 0, 0}};
  for (int i = 0; i < 2000; ++i) {
    blocks.push_back({coordinate(random), coordinate(random), coordinate(random)});
  }
  REQUIRE(map_in_space<key_round_trip>(blocks) == blocks);
  for (const auto& block : blocks) {
    REQUIRE(has_key(block));
    REQUIRE(key_of(block) != empty_key);
    REQUIRE(key_of(block) >> 63 == 0);
  }
  REQUIRE(key_of({0, 0, 0}) == (block_key{1} << 62 | block_key{1} << 41 | block_key{1} << 20));
  REQUIRE(key_of({1, 2, 3}) - key_of({0, 0, 0}) == (block_key{1} << 42 | block_key{2} << 21 | block_key{3}));
}

TEST_CASE("blocks outside the key range have no key", "[coordinate]")
{
  constexpr auto top = key_bias;
  constexpr auto big = std::numeric_limits<std::int32_t>::max();
  const std::vector<vec3i> blocks{{top - 1, 0, 0},  {top, 0, 0},      {0, top, 0},      {0, 0, top}, {-top, -top, -top},
                                  {-top - 1, 0, 0}, {0, -top - 1, 0}, {0, 0, -top - 1}, {big, 0, 0}, {-big, 0, 0}};
  REQUIRE(map_in_space<has_key_of>(blocks) == std::vector<int>{1, 0, 0, 0, 1, 0, 0, 0, 0, 0});
}

TEST_CASE("addressable positions are those whose block has a key", "[coordinate]")
{
  constexpr float limit = voxel_limit;
  constexpr float inf   = std::numeric_limits<float>::infinity();
  constexpr float nan   = std::numeric_limits<float>::quiet_NaN();
  const std::vector<vec3f> positions{{0, 0, 0},
                                     {-limit, -limit, -limit},
                                     {std::nextafter(limit, 0.0f), 0, 0},
                                     {limit, 0, 0},
                                     {0, limit, 0},
                                     {0, 0, limit},
                                     {std::nextafter(-limit, -inf), 0, 0},
                                     {0, inf, 0},
                                     {0, 0, -inf},
                                     {nan, 0, 0},
                                     {0, 0, nan}};
  REQUIRE(map_in_space<is_addressable>(positions) == std::vector<int>{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0});
}

}  // namespace cutsdf_test::coordinates
