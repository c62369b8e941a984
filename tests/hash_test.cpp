// Hash policies.
#include "support/catch.hpp"

#include <cutsdf/grid/hash.hpp>

#include "support/space.hpp"

#include <set>

namespace cutsdf_test::hashes {

template <class Hash>
struct hash_of {
  CUTSDF_HD std::uint32_t operator()(vec3i block) const { return Hash::hash(block); }
};

template <class Hash>
std::size_t distinct_slots(int reach, int z, std::uint32_t mask)
{
  std::set<std::uint32_t> slots;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      slots.insert(Hash::hash({x, y, z}) & mask);
    }
  }
  return slots.size();
}

TEST_CASE("mirrored blocks collide under the primes of Teschner and 20 bits", "[hash]")
{
  const auto slots             = map_in_space<hash_of<hash::teschner>>(std::vector<vec3i>{{-6, -6, 90}, {6, 6, 90}});
  constexpr std::uint32_t mask = (1u << 20) - 1;
  REQUIRE((slots[0] & mask) == (slots[1] & mask));
}

TEST_CASE("the hash of Teschner is the published one", "[hash]")
{
  REQUIRE(hash::teschner::hash({1, 0, 0}) == 73856093u);
  REQUIRE(hash::teschner::hash({0, 1, 0}) == 19349663u);
  REQUIRE(hash::teschner::hash({0, 0, 1}) == 83492791u);
  REQUIRE(hash::teschner::hash({-1, 2, -3}) == ((0u - 73856093u) ^ (2u * 19349663u) ^ (0u - 3u * 83492791u)));
}

TEST_CASE("hashes are the same in the space as on the host", "[hash]")
{
  std::vector<vec3i> blocks;
  std::vector<std::uint32_t> teschner;
  std::vector<std::uint32_t> mixed;
  for (int i = -200; i < 200; ++i) {
    blocks.push_back({i, 7 * i, -13 * i});
    teschner.push_back(hash::teschner::hash(blocks.back()));
    mixed.push_back(hash::mixed::hash(blocks.back()));
  }
  REQUIRE(map_in_space<hash_of<hash::teschner>>(blocks) == teschner);
  REQUIRE(map_in_space<hash_of<hash::mixed>>(blocks) == mixed);
}

TEST_CASE("the mixed hash spreads a plane of blocks like chance would", "[hash]")
{
  // n balls into m bins leave about m * (1 - exp(-n / m)) bins occupied: here about 6541 of the 6561.
  constexpr int reach          = 40;
  constexpr std::uint32_t mask = (1u << 20) - 1;
  const auto slots             = distinct_slots<hash::mixed>(reach, 90, mask);
  REQUIRE(slots > 6500);
  REQUIRE(distinct_slots<hash::teschner>(reach, 90, mask) < slots);
}

}  // namespace cutsdf_test::hashes
