// Numbers side by side: every operation of a pack does in each lane what it does to one number.
#include "support/catch.hpp"

#include <cutsdf/grid/band.hpp>
#include <cutsdf/grid/camera.hpp>

#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace cutsdf_test::packs {

using namespace cutsdf;

template <class T, int W>
struct lanes {
  T value[W];

  [[nodiscard]] pack<T, W> packed() const { return pack<T, W>::load(value); }
};

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Numbers that arithmetic goes wrong with, and ordinary ones.
float any_float(std::mt19937& random)
{
  static const float special[] = {0.0f,   -0.0f,         1.0f,           -1.0f, 0.5f, -0.5f,
                                  1e-40f, 2147483520.0f, -2147483520.0f, inf,   -inf, nan};
  std::uniform_int_distribution<int> which(0, 23);
  const int i = which(random);
  return i < 12 ? special[i] : std::uniform_real_distribution<float>(-1000.0f, 1000.0f)(random);
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

template <int W>
void require_arithmetic()
{
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    lanes<float, W> a, b;
    lanes<std::int32_t, W> m, n;
    for (int i = 0; i < W; ++i) {
      a.value[i] = any_float(random);
      b.value[i] = any_float(random);
      m.value[i] = std::uniform_int_distribution<std::int32_t>(-1000, 1000)(random);
      n.value[i] = std::uniform_int_distribution<std::int32_t>(-3, 3)(random);
    }
    const auto x    = a.packed();
    const auto y    = b.packed();
    const auto less = x < y;
    for (int i = 0; i < W; ++i) {
      const float p = a.value[i];
      const float q = b.value[i];
      REQUIRE(same_bits(lane(ieee::add(x, y), i), p + q));
      REQUIRE(same_bits(lane(ieee::sub(x, y), i), p - q));
      REQUIRE(same_bits(lane(ieee::mul(x, y), i), p * q));
      REQUIRE(same_bits(lane(ieee::div(x, y), i), p / q));
      REQUIRE(same_bits(lane(ieee::abs(x), i), std::fabs(p)));
      REQUIRE(same_bits(lane(pack<float, W>(p), i), p));
      REQUIRE(same_bits(lane(select(less, x, y), i), p < q ? p : q));
      REQUIRE(lane(less, i) == (p < q ? -1 : 0));
      REQUIRE(lane(x <= y, i) == (p <= q ? -1 : 0));
      REQUIRE(lane(x > y, i) == (p > q ? -1 : 0));
      REQUIRE(lane(x >= y, i) == (p >= q ? -1 : 0));
      REQUIRE(lane(x == y, i) == (p == q ? -1 : 0));
      REQUIRE(lane(x != y, i) == (p != q ? -1 : 0));
      REQUIRE(lane(ieee::is_finite(x), i) == (std::isfinite(p) ? -1 : 0));
      if (std::fabs(p) < 2147483648.0f) {
        pack<float, W> only(p);
        REQUIRE(lane(ieee::truncate(only), i) == static_cast<std::int32_t>(p));
        REQUIRE(lane(ieee::floor_to_int(only), i) == static_cast<std::int32_t>(std::floor(p)));
      }
      const std::int32_t k = m.value[i];
      const std::int32_t l = n.value[i];
      REQUIRE(lane(m.packed() + n.packed(), i) == k + l);
      REQUIRE(lane(m.packed() - n.packed(), i) == k - l);
      REQUIRE(lane(m.packed() * n.packed(), i) == k * l);
      REQUIRE(lane(m.packed() & n.packed(), i) == (k & l));
      REQUIRE(lane(m.packed() | n.packed(), i) == (k | l));
      REQUIRE(lane(n.packed() << 3, i) == l * 8);
      REQUIRE(lane(ieee::to_float(m.packed()), i) == static_cast<float>(k));
      REQUIRE(lane(lane_index<pack<float, W>>(), i) == i);
      const float low  = lane(interleave_low(x, y), i);
      const float high = lane(interleave_high(x, y), i);
      REQUIRE(same_bits(low, (i % 2 == 0 ? a : b).value[i / 2]));
      REQUIRE(same_bits(high, (i % 2 == 0 ? a : b).value[W / 2 + i / 2]));
    }
    bool some  = false;
    bool every = true;
    int first  = W;
    for (int i = W - 1; i >= 0; --i) {
      const bool holds = a.value[i] < b.value[i];
      some             = some || holds;
      every            = every && holds;
      first            = holds ? i : first;
    }
    REQUIRE(any(less) == some);
    REQUIRE(all(less) == every);
    if (some) { REQUIRE(first_lane(less) == first); }
  }
}

TEST_CASE("a pack of four computes as four numbers do", "[pack]") { require_arithmetic<4>(); }
TEST_CASE("a pack of eight computes as eight numbers do", "[pack]") { require_arithmetic<8>(); }

template <int W>
void require_same_walks()
{
  using F = pack<float, W>;
  std::mt19937 random(11);
  std::uniform_real_distribution<float> start(-3.0f, 3.0f);
  std::uniform_real_distribution<float> step(-1.5f, 1.5f);
  for (int round = 0; round < 2000; ++round) {
    lanes<float, W> from[3], to[3];
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < W; ++i) {
        from[axis].value[i] = round % 5 == 0 ? std::floor(start(random)) : start(random);
        to[axis].value[i]   = from[axis].value[i] + (round % 7 == axis ? 0.0f : step(random));
      }
    }
    const vec3i base{1, 0, -1};
    const auto several = block_walk<F>::make({from[0].packed(), from[1].packed(), from[2].packed()},
                                             {to[0].packed(), to[1].packed(), to[2].packed()});
    const auto routes  = several.route(broadcast<integer_of<F>>(base));
    for (int i = 0; i < W; ++i) {
      const auto one = block_walk<float>::make({from[0].value[i], from[1].value[i], from[2].value[i]},
                                               {to[0].value[i], to[1].value[i], to[2].value[i]});
      std::vector<vec3i> expected, found;
      one.for_each_block([&](vec3i b) { expected.push_back(b); });
      several.at(i).for_each_block([&](vec3i b) { found.push_back(b); });
      REQUIRE(found == expected);
      REQUIRE(lane(routes, i) == one.route(base));
    }
  }
}

TEST_CASE("several segments walk as each alone does", "[pack][band]")
{
  require_same_walks<4>();
  require_same_walks<8>();
}

}  // namespace cutsdf_test::packs
