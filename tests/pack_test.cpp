// Numbers side by side: every operation of a pack does in each lane what it does to one number.
#include "support/catch.hpp"

#include <cutsdf/grid/band.hpp>
#include <cutsdf/grid/camera.hpp>
#include <cutsdf/space/host.hpp>

#include "support/lanes.hpp"

#include <array>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace cutsdf_test::packs {

using namespace cutsdf;

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

template <class T, int W>
using lanes = std::array<T, W>;

/// What a pack makes of two packs of numbers, and of two of integers.
template <int W>
struct question {
  using number   = pack<float, W>;
  using integers = pack<std::int32_t, W>;

  lanes<float, W> a, b;
  lanes<std::int32_t, W> m, n;

  enum : int { sum, difference, product, product_and_sum, ratio, magnitude, all_the_first, least, low, high, floats };
  enum : int {
    less,
    less_or_equal,
    more,
    more_or_equal,
    equal,
    differ,
    finite,
    truncated,
    floor_of_all,
    floor_of_small,
    inside,
    cell,
    plus,
    minus,
    times,
    both,
    either,
    shifted,
    up,
    index,
    int_less,
    int_more_or_equal,
    int_equal,
    chosen,
    one_for_all,
    words,
    integer_answers
  };
  struct answers {
    lanes<float, W> f[floats];
    lanes<std::int32_t, W> i[integer_answers];
    lanes<float, W> as_floats, looked_up;
    std::uint32_t bits;
    bool any, all;
    int first;
  };

  static constexpr std::int32_t limit = 500;
  static constexpr float table[16]    = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};

  CUTSDF_INLINE static void put(lanes<float, W>& to, number p) { p.store(to.data()); }
  CUTSDF_INLINE static void put(lanes<std::int32_t, W>& to, integers p) { p.store(to.data()); }

  CUTSDF_INLINE void answer(answers& r) const
  {
    const number x = number::load(a.data()), y = number::load(b.data());
    const integers k = integers::load(m.data()), l = integers::load(n.data());
    put(r.f[sum], ieee::add(x, y));
    put(r.f[difference], ieee::sub(x, y));
    put(r.f[product], ieee::mul(x, y));
    put(r.f[product_and_sum], ieee::add(ieee::mul(y, y), x));  // the only use of this product
    put(r.f[ratio], ieee::div(x, y));
    put(r.f[magnitude], ieee::abs(x));
    put(r.f[all_the_first], number(a[0]));
    put(r.f[least], select(x < y, x, y));
    put(r.f[low], interleave_low(x, y));
    put(r.f[high], interleave_high(x, y));
    put(r.i[less], x < y);
    put(r.i[less_or_equal], x <= y);
    put(r.i[more], x > y);
    put(r.i[more_or_equal], x >= y);
    put(r.i[equal], x == y);
    put(r.i[differ], x != y);
    put(r.i[finite], ieee::is_finite(x));
    put(r.i[truncated], ieee::truncate(x));
    put(r.i[floor_of_all], ieee::floor_to_int(x));
    put(r.i[floor_of_small], ieee::floor_of_small(x));
    integers whole;
    put(r.i[inside], ieee::truncate_below(x, limit, whole));
    put(r.i[cell], whole);
    put(r.i[plus], k + l);
    put(r.i[minus], k - l);
    put(r.i[times], k * l);
    put(r.i[both], k & l);
    put(r.i[either], k | l);
    put(r.i[shifted], k >> 2);
    put(r.i[up], l << 3);
    put(r.i[index], lane_index<number>());
    put(r.i[int_less], k < l);
    put(r.i[int_more_or_equal], k >= l);
    put(r.i[int_equal], k == l);
    put(r.i[chosen], select(k < l, k, l));
    put(r.i[one_for_all], integers(m[0]));
    put(r.i[words], add_pairs(k, l));
    put(r.as_floats, ieee::to_float(k));
    put(r.looked_up, gather(table, k & integers(15)));
    r.bits  = lane_bits(x < y);
    r.any   = any(x < y);
    r.all   = all(x < y);
    r.first = r.any ? first_lane(x < y) : W;
  }
};

/// Answers in a loop that is compiled for the processors which have such packs: where packs are used.
template <int W>
struct answer_all {
  using number = pack<float, W>;

  const question<W>* questions;
  typename question<W>::answers* results;

  CUTSDF_INLINE void operator()(std::int64_t i) const { questions[i].answer(results[i]); }
};

template <int W>
void require_arithmetic()
{
  using Q            = question<W>;
  constexpr int many = 2000;
  std::mt19937 random(7);
  std::vector<Q> questions(many);
  for (Q& q : questions) {
    for (int i = 0; i < W; ++i) {
      q.a[i] = any_float(random);
      q.b[i] = any_float(random);
      q.m[i] = std::uniform_int_distribution<std::int32_t>(-1000, 1000)(random);
      q.n[i] = std::uniform_int_distribution<std::int32_t>(-3, 3)(random);
    }
  }
  std::vector<typename Q::answers> results(many);
  space::host::for_each({}, many, answer_all<W>{questions.data(), results.data()});

  for (int round = 0; round < many; ++round) {
    const Q& q    = questions[round];
    const auto& r = results[round];
    bool some     = false;
    bool every    = true;
    int first     = W;
    for (int i = W - 1; i >= 0; --i) {
      const float x = q.a[i];
      const float y = q.b[i];
      REQUIRE(same_bits(r.f[Q::sum][i], x + y));
      REQUIRE(same_bits(r.f[Q::difference][i], x - y));
      REQUIRE(same_bits(r.f[Q::product][i], x * y));
      const volatile float square = y * y;  // rounded here, and after the sum once more
      REQUIRE(same_bits(r.f[Q::product_and_sum][i], square + x));
      REQUIRE(same_bits(r.f[Q::ratio][i], x / y));
      REQUIRE(same_bits(r.f[Q::magnitude][i], std::fabs(x)));
      REQUIRE(same_bits(r.f[Q::all_the_first][i], q.a[0]));
      REQUIRE(same_bits(r.f[Q::least][i], x < y ? x : y));
      REQUIRE(same_bits(r.f[Q::low][i], (i % 2 == 0 ? q.a : q.b)[i / 2]));
      REQUIRE(same_bits(r.f[Q::high][i], (i % 2 == 0 ? q.a : q.b)[W / 2 + i / 2]));
      REQUIRE(r.i[Q::less][i] == (x < y ? -1 : 0));
      REQUIRE(r.i[Q::less_or_equal][i] == (x <= y ? -1 : 0));
      REQUIRE(r.i[Q::more][i] == (x > y ? -1 : 0));
      REQUIRE(r.i[Q::more_or_equal][i] == (x >= y ? -1 : 0));
      REQUIRE(r.i[Q::equal][i] == (x == y ? -1 : 0));
      REQUIRE(r.i[Q::differ][i] == (x != y ? -1 : 0));
      REQUIRE(r.i[Q::finite][i] == (std::isfinite(x) ? -1 : 0));
      if (std::fabs(x) < 2147483648.0f) {
        REQUIRE(r.i[Q::truncated][i] == static_cast<std::int32_t>(x));
        REQUIRE(r.i[Q::floor_of_all][i] == static_cast<std::int32_t>(std::floor(x)));
      }
      if (std::fabs(x) < 4194304.0f) { REQUIRE(r.i[Q::floor_of_small][i] == static_cast<std::int32_t>(std::floor(x))); }
      const bool inside = x >= 0.0f && x < static_cast<float>(Q::limit);
      REQUIRE(r.i[Q::inside][i] == (inside ? -1 : 0));
      if (inside) { REQUIRE(r.i[Q::cell][i] == static_cast<std::int32_t>(x)); }
      const std::int32_t k = q.m[i];
      const std::int32_t l = q.n[i];
      REQUIRE(r.i[Q::plus][i] == k + l);
      REQUIRE(r.i[Q::minus][i] == k - l);
      REQUIRE(r.i[Q::times][i] == k * l);
      REQUIRE(r.i[Q::both][i] == (k & l));
      REQUIRE(r.i[Q::either][i] == (k | l));
      REQUIRE(r.i[Q::shifted][i] == k >> 2);
      REQUIRE(r.i[Q::up][i] == l * 8);
      REQUIRE(r.i[Q::index][i] == i);
      REQUIRE(r.i[Q::int_less][i] == (k < l ? -1 : 0));
      REQUIRE(r.i[Q::int_more_or_equal][i] == (k >= l ? -1 : 0));
      REQUIRE(r.i[Q::int_equal][i] == (k == l ? -1 : 0));
      REQUIRE(r.i[Q::chosen][i] == (k < l ? k : l));
      REQUIRE(r.i[Q::one_for_all][i] == q.m[0]);
      REQUIRE(r.as_floats[i] == static_cast<float>(k));
      REQUIRE(r.looked_up[i] == Q::table[k & 15]);
      if (i % 2 == 0) {
        const auto word = [&](const auto& of) {
          std::uint64_t w;
          std::memcpy(&w, of.data() + i, sizeof w);
          return w;
        };
        REQUIRE(word(r.i[Q::words]) == word(q.m) + word(q.n));
      }
      const bool holds = x < y;
      REQUIRE((r.bits >> i & 1u) == (holds ? 1u : 0u));
      some  = some || holds;
      every = every && holds;
      first = holds ? i : first;
    }
    REQUIRE(r.any == some);
    REQUIRE(r.all == every);
    REQUIRE(r.first == first);
  }
}

TEST_CASE("a pack of four computes as four numbers do", "[pack]") { require_arithmetic<4>(); }
TEST_CASE("a pack of eight computes as eight numbers do", "[pack]")
{
  if (!has_lanes<8>()) { return; }
  require_arithmetic<8>();
}
TEST_CASE("a pack of sixteen computes as sixteen numbers do", "[pack]")
{
  if (!has_lanes<16>()) { return; }
  require_arithmetic<16>();
}

/// Walks of several segments in a loop for the processors which have such packs.
template <int W>
struct walk_all {
  using number = pack<float, W>;

  struct segments {
    lanes<float, W> from[3], to[3];
    std::array<block_walk<float>, W> walks;
    lanes<std::int32_t, W> routes;
  };
  static constexpr vec3i base{1, 0, -1};

  segments* all;

  CUTSDF_INLINE void operator()(std::int64_t i) const
  {
    segments& s        = all[i];
    const auto several = block_walk<number>::make(
      {number::load(s.from[0].data()), number::load(s.from[1].data()), number::load(s.from[2].data())},
      {number::load(s.to[0].data()), number::load(s.to[1].data()), number::load(s.to[2].data())});
    several.route(broadcast<integer_of<number>>(base)).store(s.routes.data());
    const typename block_walk<number>::lanes walks(several);
    for (int k = 0; k < W; ++k) {
      s.walks[k] = walks[k];
    }
  }
};

template <int W>
void require_same_walks()
{
  using segments = typename walk_all<W>::segments;
  std::mt19937 random(11);
  std::uniform_real_distribution<float> start(-3.0f, 3.0f);
  std::uniform_real_distribution<float> step(-1.5f, 1.5f);
  std::vector<segments> all(2000);
  for (std::size_t round = 0; round < all.size(); ++round) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < W; ++i) {
        float& from            = all[round].from[axis][i];
        from                   = round % 5 == 0 ? std::floor(start(random)) : start(random);
        all[round].to[axis][i] = from + (round % 7 == axis ? 0.0f : step(random));
      }
    }
  }
  space::host::for_each({}, static_cast<std::int64_t>(all.size()), walk_all<W>{all.data()});
  for (const segments& s : all) {
    for (int i = 0; i < W; ++i) {
      const auto one =
        block_walk<float>::make({s.from[0][i], s.from[1][i], s.from[2][i]}, {s.to[0][i], s.to[1][i], s.to[2][i]});
      std::vector<vec3i> expected, found;
      one.for_each_block([&](vec3i b) { expected.push_back(b); });
      s.walks[i].for_each_block([&](vec3i b) { found.push_back(b); });
      REQUIRE(found == expected);
      REQUIRE(s.routes[i] == one.route(walk_all<W>::base));
    }
  }
}

TEST_CASE("four segments walk as each alone does", "[pack][band]") { require_same_walks<4>(); }
TEST_CASE("eight segments walk as each alone does", "[pack][band]")
{
  if (!has_lanes<8>()) { return; }
  require_same_walks<8>();
}
TEST_CASE("sixteen segments walk as each alone does", "[pack][band]")
{
  if (!has_lanes<16>()) { return; }
  require_same_walks<16>();
}

}  // namespace cutsdf_test::packs
