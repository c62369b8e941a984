// Tables and pools that run out of room: every block is found, or its absence is reported.
#include "support/catch.hpp"

#include <cutsdf/table/block_table.hpp>

#include "support/inspect.hpp"
#include "support/space.hpp"
#include "support/tables.hpp"

namespace cutsdf_test::table_full {

/// All keys start at the same slot, the last one of any table: every probe wraps around.
struct constant_hash {
  CUTSDF_HD static constexpr std::uint32_t hash(vec3i) { return 0xffffffffu; }
};

using colliding         = policies<constant_hash>;
using colliding_linear  = policies<constant_hash, probe::unbounded>;
using colliding_counter = policies<constant_hash, probe::unbounded, load::plain, index::counter>;
using colliding_atomic  = policies<constant_hash, probe::unbounded, load::atomic>;
using colliding_slot    = policies<constant_hash, probe::unbounded, load::plain, index::slot>;
using colliding_bounded = policies<constant_hash, probe::bounded<3>>;
using bounded_slot      = policies<constant_hash, probe::bounded<3>, load::plain, index::slot>;
using bounded_loosely   = policies<hash::mixed, probe::bounded<100>>;

std::vector<vec3i> row(int count)
{
  std::vector<vec3i> blocks;
  for (int i = 0; i < count; ++i) {
    blocks.push_back({i - 3, 2 * i, -i});
  }
  return blocks;
}

template <class Policies>
struct outcome {
  int found{0};
  int without_storage{0};
  int absent{0};
  bool operator==(const outcome&) const = default;
};

/// Inserts each block many times at once and checks that insert and find say the same.
template <class Policies>
outcome<Policies> fill_by(const std::vector<vec3i>& blocks, std::int64_t table_capacity, std::int64_t block_capacity,
                          insertion how)
{
  CAPTURE(table_capacity, block_capacity, how);
  block_table<test_space, Policies> table(table_capacity, block_capacity, test_stream());
  constexpr int repeats = 300;
  std::vector<vec3i> many;
  for (int i = 0; i < repeats; ++i) {
    many.insert(many.end(), blocks.begin(), blocks.end());
  }
  const auto in       = upload(many);
  const auto inserted = insert_all(table, in, how);
  buffer<std::uint32_t, test_space> indices(in.size(), test_stream());
  table.find_async(in.span(), indices.data());
  REQUIRE(indices.to_host() == inserted);

  outcome<Policies> result;
  std::set<std::uint32_t> places;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (int repeat = 1; repeat < repeats; ++repeat) {
      REQUIRE(inserted[i + static_cast<std::size_t>(repeat) * blocks.size()] == inserted[i]);
    }
    if (inserted[i] == no_index) {
      ++result.absent;
    } else if (inserted[i] == no_storage) {
      ++result.without_storage;
    } else {
      ++result.found;
      REQUIRE(inserted[i] < static_cast<std::uint32_t>(table.block_capacity()));
      REQUIRE(places.insert(inserted[i]).second);
      REQUIRE(download(table.ref().keys + inserted[i], 1).front() == key_of(blocks[i]));
    }
  }
  REQUIRE(table.size() == result.found + result.without_storage);
  return result;
}

/// Every way to insert has the same outcome.
template <class Policies>
outcome<Policies> fill(const std::vector<vec3i>& blocks, std::int64_t table_capacity, std::int64_t block_capacity)
{
  const auto in_bulk = fill_by<Policies>(blocks, table_capacity, block_capacity, insertion::in_bulk);
  for (const insertion how : {insertion::from_kernel, insertion::after_search}) {
    REQUIRE(fill_by<Policies>(blocks, table_capacity, block_capacity, how) == in_bulk);
  }
  return in_bulk;
}

TEMPLATE_TEST_CASE("small tables are filled to the last slot", "[table][hostile]", policies<>, policies<hash::teschner>,
                   colliding, colliding_linear, colliding_counter, colliding_atomic, colliding_slot, bounded_loosely)
{
  for (const int capacity : {2, 4, 8}) {
    INFO("capacity " << capacity);
    const auto full = fill<TestType>(row(capacity), capacity, capacity);
    REQUIRE(full.found == capacity);
    REQUIRE(full.absent == 0);
    REQUIRE(full.without_storage == 0);
  }
}

TEMPLATE_TEST_CASE("blocks that no slot is left for are reported absent", "[table][hostile]", policies<>, colliding,
                   colliding_linear, colliding_counter, colliding_atomic, colliding_slot, bounded_loosely)
{
  for (const int capacity : {2, 4, 8}) {
    for (const int excess : {1, 5}) {
      INFO("capacity " << capacity << ", " << excess << " too many");
      const auto over = fill<TestType>(row(capacity + excess), capacity, 100);
      REQUIRE(over.found == capacity);
      REQUIRE(over.absent == excess);
      REQUIRE(over.without_storage == 0);
    }
  }
}

TEMPLATE_TEST_CASE("colliding keys beyond a probe's bound are reported absent", "[table][hostile]", colliding_bounded,
                   bounded_slot)
{
  for (const int capacity : {4, 8}) {
    const auto bounded = fill<TestType>(row(capacity), capacity, capacity);
    REQUIRE(bounded.found == 3);
    REQUIRE(bounded.absent == capacity - 3);
  }
}

TEMPLATE_TEST_CASE("blocks that the pool has no room for are in the table without storage", "[table][hostile]",
                   policies<>, colliding, colliding_linear, colliding_counter, colliding_atomic)
{
  for (const int room : {1, 3, 4}) {
    const auto crowded = fill<TestType>(row(6), 8, room);
    REQUIRE(crowded.found == room);
    REQUIRE(crowded.without_storage == 6 - room);
    REQUIRE(crowded.absent == 0);
  }
}

TEST_CASE("a probe that gives up says why", "[table]")
{
  block_table<test_space, colliding_bounded> bounded(8, 8, test_stream());
  REQUIRE(bounded.ref().gives_up_at_bound());
  block_table<test_space, colliding> unbounded(8, 8, test_stream());
  REQUIRE_FALSE(unbounded.ref().gives_up_at_bound());
  block_table<test_space, bounded_loosely> loose(64, 8, test_stream());  // fewer slots than the bound
  REQUIRE_FALSE(loose.ref().gives_up_at_bound());
}

}  // namespace cutsdf_test::table_full
