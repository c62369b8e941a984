// How probes end. On the host alone: the probed table is made of lambdas.
#include "support/catch.hpp"

#include <cutsdf/policy/probe.hpp>

#include <set>
#include <stdexcept>
#include <vector>

namespace cutsdf_test::probes {

using namespace cutsdf;  // NOLINT: as in support/space.hpp

/// Slots that a probe reads in a table full of other keys.
template <class Probe>
std::vector<std::uint32_t> slots_read(std::uint32_t first, std::uint32_t mask)
{
  std::vector<std::uint32_t> slots;
  const auto found = Probe::walk(
    first, mask, key_of({1, 2, 3}),
    [&](std::uint32_t slot) {
      slots.push_back(slot);
      return key_of({0, 0, 0});
    },
    [](std::uint32_t) -> block_key { throw std::logic_error("a slot that was not empty was claimed"); });
  REQUIRE(found == no_slot);
  return slots;
}

TEST_CASE("probes read each slot once and stop at their bound", "[table]")
{
  using slots = std::vector<std::uint32_t>;
  REQUIRE(slots_read<probe::unbounded>(0xfffffffe, 3) == slots{2, 3, 0, 1});
  REQUIRE(slots_read<probe::unbounded>(0, 1) == slots{0, 1});
  REQUIRE(slots_read<probe::bounded<1>>(6, 7) == slots{6});
  REQUIRE(slots_read<probe::bounded<3>>(7, 7) == slots{7, 0, 1});
  REQUIRE(slots_read<probe::bounded<9>>(5, 3) == slots{1, 2, 3, 0});
}

TEST_CASE("a bucketed probe reads a bucket from its own slot on, then every other bucket once", "[table]")
{
  using slots = std::vector<std::uint32_t>;
  REQUIRE(slots_read<probe::bucketed<4>>(2, 3) == slots{2, 3, 0, 1});
  REQUIRE(slots_read<probe::bucketed<4>>(7, 1) == slots{1, 0});  // a table smaller than a bucket
  REQUIRE(slots_read<probe::bucketed<1>>(3, 0) == slots{0});
  for (const std::uint32_t capacity : {8u, 64u, 4096u}) {
    const auto read = slots_read<probe::bucketed<4>>(0xfffffffd, capacity - 1);
    REQUIRE(read.size() == capacity);
    for (std::size_t i = 0; i < read.size(); ++i) {
      REQUIRE(read[i] / 4 == read[i - i % 4] / 4);
    }
    const std::set<std::uint32_t> distinct(read.begin(), read.end());
    REQUIRE(distinct.size() == capacity);
  }
}

TEMPLATE_TEST_CASE("probes go on where another thread was quicker and stop where the slot is theirs", "[table]",
                   probe::unbounded, probe::bounded<4>)
{
  const auto key   = key_of({1, 2, 3});
  const auto other = key_of({4, 5, 6});
  std::vector<block_key> slots{empty_key, empty_key, empty_key, other, other, empty_key, empty_key, empty_key};
  std::vector<std::uint32_t> claimed;
  const auto load = [&](std::uint32_t slot) { return slots[slot]; };
  // From 3: two foreign keys, then an empty slot that somebody else takes, then one that is ours.
  REQUIRE(TestType::walk(3, 7, key, load, [&](std::uint32_t slot) {
            claimed.push_back(slot);
            return slot == 5 ? other : key;
          }) == 6);
  REQUIRE(claimed == std::vector<std::uint32_t>{5, 6});
  // Another thread inserts the same key.
  REQUIRE(TestType::walk(4, 7, key, load, [&](std::uint32_t) { return key; }) == 5);
  // A search ends at the first empty slot, an absent key is not found.
  REQUIRE(TestType::walk(3, 7, key, load, [](std::uint32_t) { return empty_key; }) == no_slot);
  slots[5] = key;
  REQUIRE(TestType::walk(3, 7, key, load, [](std::uint32_t) { return empty_key; }) == 5);
}

}  // namespace cutsdf_test::probes
