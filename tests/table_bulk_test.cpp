// Many insertions at once: what groups and warps share must not change what each thread is told.
#include "support/catch.hpp"

#include <cutsdf/table/block_table.hpp>

#include "support/inspect.hpp"
#include "support/space.hpp"
#include "support/tables.hpp"

#include <algorithm>
#include <random>

namespace cutsdf_test::table_bulk {

std::vector<vec3i> row(int first, int count)
{
  std::vector<vec3i> blocks;
  for (int i = first; i < first + count; ++i) {
    blocks.push_back({i, 7 - 3 * i, i / 5});
  }
  return blocks;
}

std::vector<block_key> keys_of(const std::vector<vec3i>& blocks)
{
  std::vector<block_key> keys;
  for (const vec3i block : blocks) {
    keys.push_back(key_of(block));
  }
  return keys;
}

using linear_policies  = policies<hash::mixed, probe::unbounded>;
using counter_policies = policies<hash::mixed, probe::bucketed<8>, load::plain, index::counter>;

TEMPLATE_TEST_CASE("every item of a call is inserted, whatever their number", "[table]", policies<>, linear_policies,
                   counter_policies)
{
  for (const int count : {1, 31, 32, 33, 255, 256, 257, 16383, 16385, 50000}) {
    INFO(count << " blocks");
    block_table<test_space, TestType> table(1 << 17, count, test_stream());
    const auto blocks = row(-count / 2, count);
    const auto in     = upload(blocks);
    buffer<std::uint32_t, test_space> indices(count, test_stream());
    indices.fill_bytes(0x77);
    table.insert_async(in.span(), indices.data());
    auto places        = indices.to_host();
    const auto by_keys = upload(keys_of(blocks));
    table.find_keys_async(by_keys.span(), indices.data());
    REQUIRE(indices.to_host() == places);
    REQUIRE(table.size() == count);
    const auto keys = download(table.ref().keys, count);
    bool right      = true;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      right = right && places[i] < keys.size() && keys[places[i]] == key_of(blocks[i]);
    }
    REQUIRE(right);
    std::sort(places.begin(), places.end());
    REQUIRE(std::adjacent_find(places.begin(), places.end()) == places.end());
  }
}

TEMPLATE_TEST_CASE("a pool that fills up inside a warp holds exactly as many blocks as it has places",
                   "[table][hostile]", policies<>, linear_policies, counter_policies)
{
  constexpr int distinct = 3000;
  const auto once        = row(0, distinct);
  for (const insertion how : all_insertions) {
    for (const int room : {1, 17, 1000}) {
      for (const int repeats : {1, 3, 40}) {
        CAPTURE(how);
        INFO(room << " places, " << repeats << " neighbours want a block");
        std::vector<vec3i> blocks;
        for (const vec3i block : once) {
          blocks.insert(blocks.end(), static_cast<std::size_t>(repeats), block);
        }
        block_table<test_space, TestType> table(1 << 13, room, test_stream());
        const auto in   = upload(blocks);
        const auto told = insert_all(table, in, how);
        buffer<std::uint32_t, test_space> indices(in.size(), test_stream());
        table.find_async(in.span(), indices.data());
        REQUIRE(indices.to_host() == told);
        REQUIRE(table.size() == distinct);
        std::set<std::uint32_t> places;
        int markers = 0;
        for (std::size_t i = 0; i < told.size(); i += static_cast<std::size_t>(repeats)) {
          if (told[i] == no_storage) {
            ++markers;
          } else {
            places.insert(told[i]);
          }
        }
        REQUIRE(markers == distinct - room);
        REQUIRE(std::ssize(places) == room);
        REQUIRE(*places.rbegin() == static_cast<std::uint32_t>(room) - 1);
      }
    }
  }
}

TEMPLATE_TEST_CASE("blocks without storage leave the last eighth of a table empty", "[table][hostile]", policies<>,
                   linear_policies, counter_policies)
{
  block_table<test_space, TestType> table(1024, 10, test_stream());
  const auto most = upload(row(0, 900));
  const auto more = upload(row(5000, 100));
  buffer<std::uint32_t, test_space> indices(900, test_stream());
  table.insert_async(most.span(), indices.data());
  const auto full = table.size();
  REQUIRE(full > 1024 - 1024 / 8);
  table.insert_async(more.span(), indices.data());
  REQUIRE(table.size() == full);
  REQUIRE(download(indices.data(), 100) == std::vector<std::uint32_t>(100, no_index));
  table.clear();
  table.insert_async(more.span(), indices.data());
  REQUIRE(table.size() == 100);
}

TEMPLATE_TEST_CASE("a call inserts what is new among what is known, repeated or refused", "[table]", policies<>,
                   linear_policies, counter_policies)
{
  constexpr int distinct = 5000;
  for (const int known_every : {1, 2, 33, 2500}) {
    for (const int refused_every : {5, 1000}) {
      INFO("every " << known_every << "th is known, after every " << refused_every << "th comes one that is refused");
      const auto keys = keys_of(row(-distinct / 2, distinct));
      std::vector<block_key> known;
      std::vector<block_key> asked;
      for (int i = 0; i < distinct; ++i) {
        if (i % known_every == 0) { known.push_back(keys[static_cast<std::size_t>(i)]); }
        asked.insert(asked.end(), 3, keys[static_cast<std::size_t>(i)]);
        if (i % refused_every == 0) { asked.push_back(keys[static_cast<std::size_t>(i)] | block_key{1} << 63); }
      }
      std::shuffle(asked.begin() + std::ssize(asked) / 2, asked.end(), std::mt19937(1));  // repeats far apart, too
      block_table<test_space, TestType> table(1 << 14, distinct, test_stream());
      const auto first = upload(known);
      const auto then  = upload(asked);
      buffer<std::uint32_t, test_space> of_first(first.size(), test_stream());
      buffer<std::uint32_t, test_space> of_then(then.size(), test_stream());
      table.insert_keys_async(first.span(), of_first.data());
      const auto places = of_first.to_host();
      REQUIRE(table.size() == std::ssize(known));
      table.insert_keys_async(then.span(), of_then.data());
      const auto told = of_then.to_host();
      REQUIRE(table.size() == distinct);
      const auto stored = download(table.ref().keys, distinct);
      bool right        = true;
      for (std::size_t i = 0; i < asked.size(); ++i) {
        const bool is_key = asked[i] >> 63 == 0;
        right             = right && (is_key ? told[i] < distinct && stored[told[i]] == asked[i] : told[i] == no_index);
      }
      REQUIRE(right);
      table.insert_keys_async(then.span(), of_then.data());
      REQUIRE(of_then.to_host() == told);
      table.find_keys_async(first.span(), of_first.data());
      REQUIRE(of_first.to_host() == places);
      REQUIRE(table.size() == distinct);
    }
  }
}

TEST_CASE("words that are nobody's key are refused", "[table]")
{
  block_table<test_space> table(64, 64, test_stream());
  const auto good = key_of({1, 2, 3});
  const auto keys = upload(std::vector<block_key>{empty_key, good, good | block_key{1} << 63, good, 0});
  buffer<std::uint32_t, test_space> indices(keys.size(), test_stream());
  table.insert_keys_async(keys.span(), nullptr);
  REQUIRE(table.size() == 2);  // 0 is the key of the block at the low end
  table.insert_keys_async(keys.span(), indices.data());
  const auto told = indices.to_host();
  REQUIRE(told[0] == no_index);
  REQUIRE(told[2] == no_index);
  REQUIRE(told[1] == told[3]);
  REQUIRE(told[1] + told[4] == 1);
  table.find_keys_async(keys.span(), indices.data());
  REQUIRE(indices.to_host() == told);
  REQUIRE(table.size() == 2);
}

TEST_CASE("a nearly full table of buckets finds what it holds and nothing else", "[table]")
{
  constexpr int count = 15500;  // of 16384
  block_table<test_space> table(1 << 14, count, test_stream());
  const auto in = upload(row(0, count));
  buffer<std::uint32_t, test_space> indices(count, test_stream());
  table.insert_async(in.span(), indices.data());
  const auto told = indices.to_host();
  REQUIRE(table.size() == count);
  table.find_async(in.span(), indices.data());
  REQUIRE(indices.to_host() == told);
  const auto absent = upload(row(count, count));
  table.find_async(absent.span(), indices.data());
  REQUIRE(indices.to_host() == std::vector<std::uint32_t>(count, no_index));
}

}  // namespace cutsdf_test::table_bulk
