// Inserting into and finding in the table.
#include "support/catch.hpp"

#include <cutsdf/table/block_table.hpp>

#include "support/inspect.hpp"
#include "support/space.hpp"
#include "support/tables.hpp"
#include "support/volumes.hpp"

#include <random>

namespace cutsdf_test::table_insert {

template <class Policies>
struct table_facts {
  std::vector<std::uint32_t> indices;  // as insert gave them
  std::vector<std::uint32_t> found;    // as find gives them afterwards
  std::vector<block_key> keys;
  std::int64_t size;
};

template <class Policies>
table_facts<Policies> insert(const std::vector<vec3i>& blocks, std::int64_t table_capacity, std::int64_t block_capacity,
                             insertion how = insertion::in_bulk)
{
  block_table<test_space, Policies> table(table_capacity, block_capacity, test_stream());
  const auto in = upload(blocks);
  table_facts<Policies> facts;
  facts.indices = insert_all(table, in, how);
  buffer<std::uint32_t, test_space> indices(in.size(), test_stream());
  table.find_async(in.span(), indices.data());
  facts.found = indices.to_host();
  facts.keys  = download(table.ref().keys, table.block_capacity());
  facts.size  = table.size();
  return facts;
}

/// Everything that must hold when all blocks found a place.
template <class Policies>
void check_complete(const std::vector<vec3i>& blocks, const table_facts<Policies>& facts, std::int64_t block_capacity)
{
  const block_set distinct(blocks.begin(), blocks.end());
  REQUIRE(facts.size == std::ssize(distinct));
  REQUIRE(facts.indices == facts.found);
  std::map<std::uint32_t, vec3i> by_place;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    REQUIRE(facts.indices[i] < static_cast<std::uint32_t>(block_capacity));
    const auto [entry, added] = by_place.emplace(facts.indices[i], blocks[i]);
    REQUIRE(entry->second == blocks[i]);  // no place has two blocks
    REQUIRE(facts.keys[facts.indices[i]] == key_of(blocks[i]));
  }
  REQUIRE(by_place.size() == distinct.size());  // no block has two places
  if (!Policies::index_type::from_slot) {
    REQUIRE(by_place.rbegin()->first == distinct.size() - 1);  // places are dense
  }
  const auto holes = std::count(facts.keys.begin(), facts.keys.end(), empty_key);
  REQUIRE(holes == std::ssize(facts.keys) - std::ssize(distinct));
}

std::vector<vec3i> shuffled_repeats(const std::vector<vec3i>& blocks, int repeats, unsigned seed)
{
  std::vector<vec3i> result;
  for (int i = 0; i < repeats; ++i) {
    result.insert(result.end(), blocks.begin(), blocks.end());
  }
  std::shuffle(result.begin(), result.end(), std::mt19937(seed));
  return result;
}

std::vector<vec3i> plane_of_blocks(int reach, int z)
{
  std::vector<vec3i> blocks;
  for (int y = -reach; y <= reach; ++y) {
    for (int x = -reach; x <= reach; ++x) {
      blocks.push_back({x, y, z});
    }
  }
  return blocks;
}

TEMPLATE_TEST_CASE("threads that insert the same blocks agree on one dense place for each", "[table]", policies<>,
                   paper_policies, atomic_load_policies, slot_policies)
{
  const unsigned seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int32_t> coordinate(-60, 60);
  block_set distinct;
  while (distinct.size() < 3000) {
    distinct.insert({coordinate(random), coordinate(random), coordinate(random)});
  }
  const auto blocks = shuffled_repeats({distinct.begin(), distinct.end()}, 30, seed);
  for (const insertion how : all_insertions) {
    check_complete(blocks, insert<TestType>(blocks, 8192, 3000, how), TestType::index_type::from_slot ? 8192 : 3000);
  }
}

TEMPLATE_TEST_CASE("neighbours in a warp that insert one block agree", "[table]", policies<>, paper_policies,
                   slot_policies)
{
  std::vector<vec3i> blocks;
  for (int i = 0; i < 200; ++i) {
    blocks.insert(blocks.end(), 100, vec3i{i, -i, 3 * i});
  }
  for (const insertion how : all_insertions) {
    check_complete(blocks, insert<TestType>(blocks, 1024, 256, how), TestType::index_type::from_slot ? 1024 : 256);
  }
}

TEMPLATE_TEST_CASE("a plane of 81 x 81 blocks is inserted by one call", "[table][hostile]", policies<>, paper_policies,
                   slot_policies)
{
  const auto plane = plane_of_blocks(40, 90);
  REQUIRE(plane.size() == 6561);
  const auto blocks = shuffled_repeats(plane, 8, 3);
  for (const insertion how : all_insertions) {
    const auto facts = insert<TestType>(blocks, 16384, 6561, how);
    REQUIRE(facts.size == 6561);
    check_complete(blocks, facts, TestType::index_type::from_slot ? 16384 : 6561);
  }
}

TEST_CASE("blocks that share a hash both find a place", "[table][hostile]")
{
  constexpr std::int64_t slots = 1 << 20;
  const std::vector<vec3i> blocks{{-6, -6, 90}, {6, 6, 90}};
  REQUIRE((hash::teschner::hash(blocks[0]) & (slots - 1)) == (hash::teschner::hash(blocks[1]) & (slots - 1)));
  for (const insertion how : all_insertions) {
    check_complete(blocks, insert<paper_policies>(blocks, slots, 2, how), 2);
  }
}

TEST_CASE("blocks that were never inserted are not found", "[table]")
{
  block_table<test_space> table(64, 64, test_stream());
  const auto inside = upload(plane_of_blocks(2, 0));
  buffer<std::uint32_t, test_space> indices(25, test_stream());
  table.insert_async(inside.span(), indices.data());
  const auto outside = upload(plane_of_blocks(2, 1));
  table.find_async(outside.span(), indices.data());
  REQUIRE(indices.to_host() == std::vector<std::uint32_t>(25, no_index));
  REQUIRE(table.size() == 25);
}

TEST_CASE("blocks beyond the key range are refused and never aliased", "[table]")
{
  block_table<test_space> table(64, 64, test_stream());
  constexpr auto top = key_bias;
  const auto inside  = upload(std::vector<vec3i>{{top - 1, 0, 0}, {-top, 0, 0}, {0, 0, 0}, {0, 1, -top}});
  const auto outside = upload(std::vector<vec3i>{{top, 0, 0}, {-top - 1, 0, 0}, {0, 0, 2 * top}, {0, 0, top}});
  buffer<std::uint32_t, test_space> indices(4, test_stream());
  table.insert_async(outside.span(), indices.data());
  REQUIRE(indices.to_host() == std::vector<std::uint32_t>(4, no_index));
  REQUIRE(table.size() == 0);
  table.insert_async(inside.span(), indices.data());
  REQUIRE(table.size() == 4);
  table.find_async(outside.span(), indices.data());
  REQUIRE(indices.to_host() == std::vector<std::uint32_t>(4, no_index));
}

TEST_CASE("clear forgets every block", "[table]")
{
  block_table<test_space> table(64, 32, test_stream());
  const auto blocks = upload(plane_of_blocks(2, 5));
  buffer<std::uint32_t, test_space> indices(25, test_stream());
  table.insert_async(blocks.span(), indices.data());
  REQUIRE(table.size() == 25);
  table.clear();
  REQUIRE(table.size() == 0);
  table.find_async(blocks.span(), indices.data());
  REQUIRE(indices.to_host() == std::vector<std::uint32_t>(25, no_index));
  table.insert_async(blocks.span(), indices.data());
  REQUIRE(table.size() == 25);
}

TEST_CASE("inserting nothing does nothing", "[table]")
{
  block_table<test_space> table(2, 1, test_stream());
  table.insert_async({}, nullptr);
  table.find_async({}, nullptr);
  test_stream().wait();
  REQUIRE(table.size() == 0);
}

TEST_CASE("capacities that cannot be meant are refused with their value", "[table]")
{
  using table = block_table<test_space>;
  REQUIRE_THROWS_AS(table(0, 1, test_stream()), invalid_argument);
  REQUIRE_THROWS_AS(table(1, 1, test_stream()), invalid_argument);
  REQUIRE_THROWS_WITH(table(100, 1, test_stream()), contains("table_capacity") && contains("100"));
  REQUIRE_THROWS_AS(table(std::int64_t{1} << 32, 1, test_stream()), invalid_argument);
  REQUIRE_THROWS_WITH(table(64, 0, test_stream()), contains("block_capacity") && contains("0"));
  REQUIRE_THROWS_AS(table(64, -5, test_stream()), invalid_argument);
}

struct claim_slots {
  block_table_ref<policies<>> table;
  std::uint32_t stamp;
  std::uint32_t* winners;  // one counter a block
  int blocks;
  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const auto block = static_cast<std::int32_t>(i % blocks);
    if (table.claim(table.find_slot({block, 0, 0}), stamp)) { atomic::add(winners + block, std::uint32_t{1}); }
  }
};

TEST_CASE("one of many threads claims a slot for a frame", "[table]")
{
  constexpr int count = 50;
  std::vector<vec3i> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back({i, 0, 0});
  }
  block_table<test_space> table(128, 64, test_stream());
  const auto in = upload(blocks);
  buffer<std::uint32_t, test_space> indices(count, test_stream());
  table.insert_async(in.span(), indices.data());
  buffer<std::uint32_t, test_space> winners(count, test_stream());
  winners.fill_bytes(0);
  for (const std::uint32_t stamp : {1u, 2u, 0u, 7u}) {
    test_space::for_each(test_stream(), count * 1000, claim_slots{table.ref(), stamp, winners.data(), count});
  }
  REQUIRE(winners.to_host() == std::vector<std::uint32_t>(count, 4));
}

}  // namespace cutsdf_test::table_insert
