// Arrays in a space's memory.
#include "support/catch.hpp"

#include <cutsdf/space/atomic.hpp>
#include <cutsdf/space/buffer.hpp>

#include "support/counting_resource.hpp"
#include "support/space.hpp"

#include <numeric>

namespace cutsdf_test::buffers {

TEST_CASE("what is copied into a buffer comes back", "[buffer]")
{
  std::vector<int> numbers(100000);
  std::iota(numbers.begin(), numbers.end(), -7);
  const auto b = upload(numbers);
  REQUIRE(b.size() == 100000);
  REQUIRE(b.bytes() == 400000);
  REQUIRE_FALSE(b.empty());
  REQUIRE(b.to_host() == numbers);
}

TEST_CASE("an empty buffer owns no memory", "[buffer]")
{
  counting_resource<test_space> memory;
  buffer<float, test_space> b(0, test_stream(), memory);
  b.fill_bytes(1);
  REQUIRE(b.empty());
  REQUIRE(b.data() == nullptr);
  REQUIRE(b.to_host().empty());
  REQUIRE(memory.allocations == 0);
}

TEST_CASE("a negative size is refused with its value", "[buffer]")
{
  REQUIRE_THROWS_AS((buffer<int, test_space>(-3, test_stream())), invalid_argument);
  REQUIRE_THROWS_WITH((buffer<int, test_space>(-3, test_stream())), contains("-3"));
}

TEST_CASE("moving a buffer moves its memory and gives each block back once", "[buffer]")
{
  counting_resource<test_space> memory;
  {
    buffer<int, test_space> a(10, test_stream(), memory);
    a.fill_bytes(0);
    const int* where = a.data();
    buffer<int, test_space> b(std::move(a));
    REQUIRE(b.data() == where);
    REQUIRE(b.size() == 10);
    buffer<int, test_space> c(20, test_stream(), memory);
    c = std::move(b);
    REQUIRE(c.data() == where);
    REQUIRE(c.to_host() == std::vector<int>(10, 0));
    REQUIRE(memory.allocations == 2);
  }
  REQUIRE(memory.deallocations == 2);
  REQUIRE(memory.blocks == 0);
  REQUIRE(memory.held == 0);
}

TEST_CASE("fill_bytes sets every byte", "[buffer]")
{
  buffer<std::uint32_t, test_space> b((std::int64_t{9} << 20) + 3, test_stream());  // several of the host's portions
  b.fill_bytes(0xab);
  const auto host = b.to_host();
  REQUIRE(std::all_of(host.begin(), host.end(), [](std::uint32_t x) { return x == 0xababababu; }));
}

TEST_CASE("more memory than there is throws and leaves nothing behind", "[buffer]")
{
  REQUIRE_THROWS_AS((buffer<std::byte, test_space>(std::int64_t{1} << 60, test_stream())), out_of_memory);
  REQUIRE_THROWS_WITH((buffer<std::byte, test_space>(std::int64_t{1} << 60, test_stream())),
                      contains("1152921504606846976"));
  REQUIRE(upload(std::vector<int>{1, 2, 3}).to_host() == std::vector<int>{1, 2, 3});
}

struct count_visits {
  std::uint32_t* visits;
  CUTSDF_HD void operator()(std::int64_t i) const { atomic::add(visits + i, std::uint32_t{1}); }
};

TEST_CASE("for_each visits each index once", "[space]")
{
  for (const std::int64_t count : {0, 1, 255, 256, 257, 100003}) {
    buffer<std::uint32_t, test_space> visits(count, test_stream());
    visits.fill_bytes(0);
    test_space::for_each(test_stream(), count, count_visits{visits.data()});
    REQUIRE(visits.to_host() == std::vector<std::uint32_t>(static_cast<std::size_t>(count), 1u));
  }
}

struct count_tiles {
  std::uint32_t* visits;
  CUTSDF_HD std::int64_t prepare(std::int64_t tile) const { return tile * 512; }
  CUTSDF_HD void operator()(std::int64_t first, int lane) const
  {
    atomic::add(visits + first + lane, std::uint32_t{1});
  }
};

TEST_CASE("for_each_tile visits each lane of the tiles there are and no other", "[space]")
{
  constexpr std::int64_t most = 5000;
  for (const std::uint32_t count : {0u, 1u, 77u, 4999u, 5000u, 6000u}) {
    INFO("count " << count);
    buffer<std::uint32_t, test_space> visits(most * 512, test_stream());
    visits.fill_bytes(0);
    const auto in_space = upload(std::vector<std::uint32_t>{count});
    test_space::for_each_tile<512>(test_stream(), in_space.data(), most, count_tiles{visits.data()});
    const auto host  = visits.to_host();
    const auto tiles = std::min<std::int64_t>(count, most);
    const auto end   = host.begin() + tiles * 512;
    REQUIRE(std::all_of(host.begin(), end, [](std::uint32_t n) { return n == 1; }));
    REQUIRE(std::all_of(end, host.end(), [](std::uint32_t n) { return n == 0; }));
  }
}

/// In two groups of three, threads with odd numbers add their number to a sum and note what was there before, plus 1.
struct sum_of_odd {
  std::uint32_t* totals;
  std::uint32_t* before;
  struct scratch {
    std::uint32_t sum;
  };
  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch& shared) const
  {
    typename Group::template own<std::uint32_t> mine;
    const bool any = group.any([&](int t) {
      if (t == 0) { shared.sum = 0; }
      mine[t] = t % 2 != 0 && i % 3 != 0 ? static_cast<std::uint32_t>(t) : 0u;
      return mine[t] != 0;
    });
    if (!any) { return; }
    group.for_each(Group::threads, [&](int t) {
      if (mine[t] != 0) { mine[t] = group.add(shared.sum, mine[t]) + 1; }
    });
    group.once([&] { totals[i] += shared.sum; });
    group.run([&](int t) { before[i * Group::threads + t] = mine[t]; });
  }
};

TEST_CASE("threads of a group keep what is theirs and share a sum", "[space]")
{
  constexpr int threads         = 64;
  constexpr std::int64_t groups = 3001;
  buffer<std::uint32_t, test_space> totals(groups, test_stream());
  buffer<std::uint32_t, test_space> before(groups * threads, test_stream());
  totals.fill_bytes(0);
  before.fill_bytes(0);
  test_space::for_each_group<threads>(test_stream(), nullptr, groups, sum_of_odd{totals.data(), before.data()});
  const auto sums  = totals.to_host();
  const auto parts = before.to_host();
  bool right       = true;
  for (std::int64_t i = 0; i < groups; ++i) {
    constexpr std::uint32_t all = threads * threads / 4;  // 1 + 3 + ... + 63
    right                       = right && sums[static_cast<std::size_t>(i)] == (i % 3 != 0 ? all : 0);
    // Each was told a sum of others: no two the same.
    std::vector<std::uint32_t> told(parts.begin() + i * threads, parts.begin() + (i + 1) * threads);
    std::sort(told.begin(), told.end());
    const auto first = std::upper_bound(told.begin(), told.end(), 0u);
    right            = right && told.end() - first == (i % 3 != 0 ? threads / 2 : 0);
    right            = right && std::adjacent_find(first, told.end()) == told.end();
  }
  REQUIRE(right);
}

/// Tiles of 64 lanes, which share thread blocks; the last to finish sees what all have counted.
struct sum_tiles {
  std::uint32_t* sum;  // then the sum as finish() saw it, how often that was called, and a word for for_each_tile
  CUTSDF_HD std::uint32_t fetch(std::int64_t tile) const { return static_cast<std::uint32_t>(tile) + 1; }
  CUTSDF_HD std::uint32_t prepare(std::uint32_t fetched) const { return fetched; }
  CUTSDF_HD void operator()(std::uint32_t number, int lane) const
  {
    if (lane != 63) { return; }
    atomic::add(sum, number);
    atomic::fence();
  }
  CUTSDF_HD void finish() const
  {
    sum[1] = atomic::load_relaxed(sum);
    sum[2] += 1;
  }
  [[nodiscard]] CUTSDF_HD std::uint32_t* finished() const { return sum + 3; }
};

TEST_CASE("for_each_tile finishes once, after every tile", "[space]")
{
  for (const std::uint32_t count : {0u, 1u, 2u, 77u, 20001u}) {
    INFO("count " << count);
    auto words          = upload(std::vector<std::uint32_t>(4, 0u));
    const auto in_space = upload(std::vector<std::uint32_t>{count});
    for (std::uint32_t calls = 1; calls <= 3; ++calls) {
      test_space::for_each_tile<64>(test_stream(), in_space.data(), 30000, sum_tiles{words.data()});
      const std::uint32_t sum = calls * (count * (count + 1) / 2);
      REQUIRE(words.to_host() == std::vector<std::uint32_t>{sum, sum, calls, 0});
    }
  }
}

struct mark_multiples {
  std::uint32_t* threes;
  std::uint32_t* fives;
  int count;
  struct scratch {};
  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch&) const
  {
    const std::int64_t first = i * (count / 32);
    group.mark_both(threes + first, fives + first, count, [i](int k) {
      const std::int64_t number = 1000 * i + k;
      return (number % 3 == 0 ? 1u : 0u) | (number % 5 == 0 ? 2u : 0u);
    });
  }
};

TEST_CASE("mark_both makes two words of one answer", "[space]")
{
  for (const int count : {32, 256, 512, 608}) {
    INFO("count " << count);
    constexpr std::int64_t groups = 301;
    const std::int64_t words      = count / 32;
    buffer<std::uint32_t, test_space> threes(groups * words, test_stream());
    buffer<std::uint32_t, test_space> fives(groups * words, test_stream());
    test_space::for_each_group<128>(test_stream(), nullptr, groups, mark_multiples{threes.data(), fives.data(), count});
    std::vector<std::uint32_t> expected[2];
    for (std::int64_t i = 0; i < groups; ++i) {
      for (std::int64_t word = 0; word < words; ++word) {
        std::uint32_t bits[2] = {0, 0};
        for (std::int64_t bit = 0; bit < 32; ++bit) {
          const std::int64_t number = 1000 * i + 32 * word + bit;
          bits[0] |= (number % 3 == 0 ? 1u : 0u) << bit;
          bits[1] |= (number % 5 == 0 ? 1u : 0u) << bit;
        }
        expected[0].push_back(bits[0]);
        expected[1].push_back(bits[1]);
      }
    }
    REQUIRE(threes.to_host() == expected[0]);
    REQUIRE(fives.to_host() == expected[1]);
  }
}

/// Group i makes i calls of sizes that differ, each counted.
template <int Threads>
struct count_calls {
  std::uint32_t* calls;  // most_calls of each k of each group
  static constexpr int most_items = 300;
  static constexpr int most_calls = 100;
  struct scratch {};

  CUTSDF_HD static std::uint32_t size(std::int64_t group, int k)
  {
    const auto hash = static_cast<std::uint32_t>(group * 7919 + k * 104729) * 2654435761u >> 16;
    return hash % 4 == 0 ? 1 + hash % most_calls : 1 + hash % 3;
  }
  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch&) const
  {
    std::uint32_t* const own = calls + i * most_items * most_calls;
    group.for_each_of(
      static_cast<int>(i), [i](int k) { return size(i, k); },
      [own](int k, std::uint32_t j) { atomic::add(own + k * most_calls + j, 1u); });
  }
};

TEMPLATE_TEST_CASE_SIG("for_each_of makes every call once", "[space]", ((int Threads), Threads), 32, 64, 256)
{
  using functor               = count_calls<Threads>;
  constexpr int groups        = 150;
  constexpr std::int64_t each = std::int64_t{functor::most_items} * functor::most_calls;
  buffer<std::uint32_t, test_space> calls(groups * each, test_stream());
  calls.fill_bytes(0);
  test_space::for_each_group<Threads>(test_stream(), nullptr, groups, functor{calls.data()});
  std::vector<std::uint32_t> expected(groups * each, 0u);
  for (std::int64_t i = 0; i < groups; ++i) {
    for (int k = 0; k < i; ++k) {
      std::fill_n(expected.begin() + i * each + k * functor::most_calls, functor::size(i, k), 1u);
    }
  }
  REQUIRE(calls.to_host() == expected);
}

struct mark_rows {
  static constexpr int turns = 3;
  static constexpr int rows  = 8;  // a turn

  std::uint16_t* flags;
  struct scratch {};
  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch&) const
  {
    group.for_each_thread([&](int thread) {
      for (int turn = 0; turn < turns; ++turn) {
        const std::int64_t n = i + turn + thread;
        Group::mark_row(flags[(i * turns + turn) * rows + Group::row_of(thread)], thread, n % 3 == 0, n % 5 == 0);
      }
    });
  }
};

TEST_CASE("mark_row sets and clears the flags of each thread", "[space]")
{
  constexpr std::int64_t groups = 201;
  constexpr std::int64_t rows   = groups * mark_rows::turns * mark_rows::rows;
  buffer<std::uint16_t, test_space> flags(rows, test_stream());
  flags.fill_bytes(0xa5);
  test_space::for_each_group<64>(test_stream(), nullptr, groups, mark_rows{flags.data()});
  std::vector<std::uint16_t> expected;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t first =
      row / (mark_rows::turns * mark_rows::rows) + row / mark_rows::rows % mark_rows::turns + row % mark_rows::rows * 8;
    unsigned all = 0;
    for (unsigned k = 0; k < 8; ++k) {
      all |= ((first + k) % 3 == 0 ? 1u : 0u) << k | ((first + k) % 5 == 0 ? 0x100u : 0u) << k;
    }
    expected.push_back(static_cast<std::uint16_t>(all));
  }
  REQUIRE(flags.to_host() == expected);
}

struct larger {
  CUTSDF_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a > b ? a : b; }
};

TEST_CASE("exclusive_scan adds as it is told, also in place", "[space]")
{
  std::vector<std::uint64_t> numbers(100003);
  std::vector<std::uint64_t> expected(numbers.size());
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i]  = i * 0x9e3779b97f4a7c15ull % (i + 1) << 20;
    expected[i] = most;
    most        = std::max(most, numbers[i]);
  }
  counting_resource<test_space> memory;
  auto data = upload(numbers);
  test_space::exclusive_scan(test_stream(), memory, data.data(), data.data(), data.size(), larger{});
  REQUIRE(data.to_host() == expected);
  REQUIRE(memory.blocks == 0);
}

TEST_CASE("exclusive_scan sums what lies before", "[space]")
{
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{200001}}) {
    std::vector<std::uint32_t> numbers(count);
    std::vector<std::uint32_t> expected(count);
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      numbers[i]  = static_cast<std::uint32_t>(i * 2654435761u % 10);
      expected[i] = sum;
      sum += numbers[i];
    }
    counting_resource<test_space> memory;
    const auto in = upload(numbers);
    buffer<std::uint32_t, test_space> out(in.size(), test_stream());
    test_space::exclusive_scan(test_stream(), memory, in.data(), out.data(), in.size());
    REQUIRE(out.to_host() == expected);
    REQUIRE(memory.blocks == 0);
  }
}

TEST_CASE("a buffer that was assigned from is empty, and what the other held is given back", "[buffer]")
{
  counting_resource<test_space> memory;
  {
    buffer<int, test_space> a(16, test_stream(), memory);
    buffer<int, test_space> b(1024, test_stream(), memory);
    a = std::move(b);
    REQUIRE(a.size() == 1024);
    REQUIRE(b.empty());  // NOLINT: that is the question
    REQUIRE(b.data() == nullptr);
    REQUIRE(memory.held == 1024 * sizeof(int));
  }
  REQUIRE(memory.held == 0);
  constexpr auto absurd = std::int64_t{1} << 62;
  REQUIRE_THROWS_AS((buffer<float, test_space>(absurd, test_stream())), invalid_argument);
}

}  // namespace cutsdf_test::buffers
