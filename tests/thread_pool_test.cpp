// The host space's workers.
#include "support/catch.hpp"

#include <cutsdf/space/thread_pool.hpp>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace cutsdf_test::pools {

using cutsdf::thread_pool;

TEST_CASE("ranges cover a loop once and without overlap", "[thread_pool]")
{
  for (const unsigned threads : {1u, 2u, 5u}) {
    thread_pool pool(threads);
    REQUIRE(pool.size() == threads);
    for (const std::int64_t count : {0, 1, 7, 1000, 4097}) {
      for (const std::int64_t grain : {-1, 0, 1, 3, 1000, 100000}) {
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
        pool.run(count, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            ++visits[static_cast<std::size_t>(i)];
          }
        });
        for (const auto& n : visits) {
          REQUIRE(n == 1);
        }
      }
    }
  }
}

TEST_CASE("a negative count runs nothing", "[thread_pool]")
{
  thread_pool pool(2);
  bool ran = false;
  pool.run(-5, 1, [&](std::int64_t, std::int64_t) { ran = true; });
  REQUIRE_FALSE(ran);
}

TEST_CASE("zero threads means one per core", "[thread_pool]")
{
  thread_pool pool;
  REQUIRE(pool.size() == std::max(1u, std::thread::hardware_concurrency()));
}

TEST_CASE("the pool's workers take part", "[thread_pool]")
{
  thread_pool pool(3);
  std::atomic<int> inside{0};
  // Three ranges that wait for each other end only when three threads run them.
  pool.run(3, 1, [&](std::int64_t, std::int64_t) {
    ++inside;
    while (inside < 3) {
      std::this_thread::yield();
    }
  });
  REQUIRE(inside == 3);
}

TEST_CASE("loops from several threads run one after the other", "[thread_pool]")
{
  thread_pool pool(3);
  std::vector<std::thread> callers;
  std::vector<std::int64_t> sums(4);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    callers.emplace_back([&pool, &sum = sums[c]] {
      for (int repeat = 0; repeat < 200; ++repeat) {
        std::atomic<std::int64_t> total{0};
        pool.run(1000, 10, [&](std::int64_t begin, std::int64_t end) { total += end - begin; });
        sum += total;
      }
    });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  REQUIRE(sums == std::vector<std::int64_t>(4, 200 * 1000));
}

TEST_CASE("what a loop wrote is seen by its caller and by the next loop", "[thread_pool]")
{
  thread_pool pool(4);
  std::vector<int> numbers(10000, 0);
  for (int round = 1; round <= 50; ++round) {
    pool.run(std::ssize(numbers), 64, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        numbers[static_cast<std::size_t>(i)] += 1;
      }
    });
    REQUIRE(numbers.front() == round);
    REQUIRE(numbers.back() == round);
  }
}

}  // namespace cutsdf_test::pools
