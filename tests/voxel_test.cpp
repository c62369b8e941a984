// What voxels store.
#include "support/catch.hpp"

#include <cutsdf/voxel/compact.hpp>
#include <cutsdf/voxel/five_sums.hpp>
#include <cutsdf/voxel/fixed_point.hpp>
#include <cutsdf/voxel/mean16.hpp>

#include "support/space.hpp"
#include "support/tolerances.hpp"

namespace cutsdf_test::voxels {

/// Every observation goes to the same voxel, from many threads at once.
template <class Voxel>
struct add_all {
  typename Voxel::arrays voxels;
  const observation* observations;
  std::int64_t voxel;
  CUTSDF_HD void operator()(std::int64_t i) const { Voxel::add(voxels, voxel, observations[i]); }
};

template <class Voxel>
struct fold_all {
  typename Voxel::arrays voxels;
  const observation* observations;
  std::int64_t count;
  std::int64_t voxel;
  CUTSDF_HD void operator()() const
  {
    for (std::int64_t i = 0; i < count; ++i) {
      Voxel::fold(voxels, voxel, observations[i]);
    }
  }
};

/// The observations packed and summed as the threads of a warp do it.
struct add_packed {
  voxel::fixed_point::arrays voxels;
  const observation* observations;
  int count;
  std::int64_t voxel;
  CUTSDF_HD void operator()() const
  {
    std::uint32_t distances = 0;
    voxel::fixed_point::packed_color colors{0, 0};
    for (int i = 0; i < count; ++i) {
      const auto color = voxel::fixed_point::packed(observations[i].color);
      distances += voxel::fixed_point::packed(observations[i].distance);
      colors.red_green += color.red_green;
      colors.blue += color.blue;
    }
    voxel::fixed_point::add_packed(voxels, voxel, distances, true);
    voxel::fixed_point::add_packed(voxels, voxel, colors);
  }
};

struct contents {
  voxel_value value;
  voxel_color color;
};

template <class Voxel>
struct read_all {
  typename Voxel::arrays voxels;
  contents* out;
  CUTSDF_HD void operator()(std::int64_t i) const { out[i] = {Voxel::read(voxels, i), Voxel::read_color(voxels, i)}; }
};

template <class Voxel>
struct copy_one {
  typename Voxel::arrays from;
  typename Voxel::arrays to;
  std::int64_t i;
  std::int64_t j;
  CUTSDF_HD void operator()() const { Voxel::copy(from, i, to, j); }
};

/// A block's worth of voxels.
template <class Voxel>
class pool {
 public:
  pool() : memory_(voxels_per_block * Voxel::bytes_per_voxel, test_stream()) { memory_.fill_bytes(0); }

  typename Voxel::arrays arrays() { return Voxel::bind(memory_.data(), voxels_per_block); }

  std::vector<contents> read()
  {
    buffer<contents, test_space> out(voxels_per_block, test_stream());
    test_space::for_each(test_stream(), voxels_per_block, read_all<Voxel>{arrays(), out.data()});
    return out.to_host();
  }

  void add(const std::vector<observation>& observations, std::int64_t voxel)
  {
    const auto in = upload(observations);
    test_space::for_each(test_stream(), in.size(), add_all<Voxel>{arrays(), in.data(), voxel});
    test_stream().wait();
  }

  void fold(const std::vector<observation>& observations, std::int64_t voxel)
  {
    const auto in = upload(observations);
    test_space::once(test_stream(), fold_all<Voxel>{arrays(), in.data(), in.size(), voxel});
    test_stream().wait();
  }

 private:
  buffer<std::byte, test_space> memory_;
};

TEMPLATE_TEST_CASE("a voxel of zero bytes was never observed", "[voxel]", voxel::fixed_point, voxel::compact,
                   voxel::five_sums, voxel::mean16)
{
  pool<TestType> p;
  for (const auto& c : p.read()) {
    REQUIRE(c.value.weight == 0.0f);
    REQUIRE(c.value.distance == 0.0f);
    REQUIRE(c.color.weight == 0.0f);
    REQUIRE(c.color.rgb == vec3f{0.0f, 0.0f, 0.0f});
  }
}

TEMPLATE_TEST_CASE("observations of many threads all count and touch their voxel alone", "[voxel]", voxel::fixed_point,
                   voxel::compact, voxel::five_sums)
{
  pool<TestType> p;
  std::vector<observation> observations;
  double sum     = 0.0;
  double weights = 0.0;
  double red     = 0.0;
  for (int i = 0; i < 3000; ++i) {
    const observation o{static_cast<float>(i % 21 - 10) / 16.0f,
                        static_cast<float>(1 + i % 4),
                        true,
                        {static_cast<std::uint8_t>(i % 200), 40, 0}};
    observations.push_back(o);
    sum += double{o.distance} * double{o.weight};
    weights += double{o.weight};
    red += double{o.weight} * o.color.r;
  }
  p.add(observations, 200);
  const auto all = p.read();
  REQUIRE(all[200].value.weight == weights);
  REQUIRE(all[200].value.distance == Approx(sum / weights).margin(tolerance::voxel_distance));
  // The compact voxel's colour follows new observations once its weight is at its limit.
  if (!std::is_same_v<TestType, voxel::compact>) { REQUIRE(all[200].color.rgb.x == Approx(red / weights).margin(0.1)); }
  REQUIRE(all[200].color.rgb.y == Approx(40.0).margin(0.1));
  REQUIRE(all[200].color.rgb.z == Approx(0.0).margin(0.1));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 200) { REQUIRE(all[i].value.weight == 0.0f); }
  }
}

TEMPLATE_TEST_CASE("fold and add agree", "[voxel]", voxel::fixed_point, voxel::compact, voxel::five_sums)
{
  const std::vector<observation> observations{
    {0.5f, 1.0f, true, {10, 20, 30}}, {-0.25f, 3.0f, true, {50, 60, 70}}, {1.0f, 0.5f, true, {250, 0, 128}}};
  pool<TestType> p;
  for (const auto& o : observations) {
    p.add({o}, 7);
  }
  p.fold(observations, 8);
  const auto all = p.read();
  REQUIRE(all[7].value.weight == all[8].value.weight);
  REQUIRE(all[7].value.distance == all[8].value.distance);
  REQUIRE(all[7].color.weight == all[8].color.weight);
  REQUIRE(all[7].color.rgb == all[8].color.rgb);
  REQUIRE(all[8].value.weight == 4.5f);
  REQUIRE(all[8].value.distance == Approx((0.5 - 0.75 + 0.5) / 4.5));
  REQUIRE(all[8].color.rgb.x == Approx((10.0 + 150.0 + 125.0) / 4.5).margin(0.02));
  REQUIRE(all[8].color.rgb.y == Approx((20.0 + 180.0) / 4.5).margin(0.02));
  REQUIRE(all[8].color.rgb.z == Approx((30.0 + 210.0 + 64.0) / 4.5).margin(0.02));
}

TEMPLATE_TEST_CASE("copy keeps every bit", "[voxel]", voxel::fixed_point, voxel::compact, voxel::five_sums,
                   voxel::mean16)
{
  pool<TestType> a;
  pool<TestType> b;
  a.fold({{0.3f, 1.7f, true, {1, 99, 255}}, {0.1f, 0.9f, true, {3, 98, 251}}}, 100);
  test_space::once(test_stream(), copy_one<TestType>{a.arrays(), b.arrays(), 100, 411});
  const auto from = a.read()[100];
  const auto to   = b.read()[411];
  REQUIRE(from.value.weight == to.value.weight);
  REQUIRE(from.value.distance == to.value.distance);
  REQUIRE(from.color.weight == to.color.weight);
  REQUIRE(from.color.rgb == to.color.rgb);
  REQUIRE(to.value.weight > 0.0f);
}

/// What a stored_value says of voxel i, `weight` being asked for, and what Voxel::read() does.
struct seen_value {
  voxel_value value;
  float distance, distance_where_not;
  bool heavier, front, behind, heavier_where_not;
};
template <class Voxel>
struct see_each {
  typename Voxel::arrays voxels;
  float weight;
  seen_value* seen;
  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const auto stored = stored_value<Voxel>::read(voxels, i);
    seen[i]           = {
                Voxel::read(voxels, i), stored.distance(),  stored.where(false).distance(),      stored.is_heavier(weight),
                stored.is_front(),      stored.is_behind(), stored.where(false).is_heavier(0.0f)};
  }
};

TEMPLATE_TEST_CASE("a stored value says what reading it would", "[voxel]", voxel::fixed_point, voxel::compact,
                   voxel::five_sums, voxel::mean16)
{
  constexpr float beyond_all = 3.0e38f;
  const std::vector<observation> observations{
    {0.5f, 1.0f, false, {}},     {-0.5f, 1.0f, false, {}},      {0.0f, 1.0f, false, {}},
    {1.0f, 8.0f, false, {}},     {-1.0f, 2.0f, false, {}},      {1.0e-3f, 1.0f, false, {}},
    {-1.0e-3f, 1.0f, false, {}}, {0.25f, 0.015625f, false, {}}, {-0.25f, 1.25f, false, {}}};
  const auto count = static_cast<std::int64_t>(observations.size()) + 1;  // the last was never observed
  pool<TestType> p;
  for (std::int64_t i = 0; i + 1 < count; ++i) {
    p.fold({observations[static_cast<std::size_t>(i)]}, i);
  }
  for (const float weight : {0.0f, 0.01f, 0.015625f, 0.99f, 1.0f, 1.2f, 1.25f, 7.99f, 8.0f, 1.0e9f, beyond_all}) {
    buffer<seen_value, test_space> seen(count, test_stream());
    test_space::for_each(test_stream(), count, see_each<TestType>{p.arrays(), weight, seen.data()});
    for (const seen_value& s : seen.to_host()) {
      CAPTURE(weight, s.value.distance, s.value.weight);
      REQUIRE(s.distance == s.value.distance);
      REQUIRE(s.heavier == (s.value.weight > weight));
      REQUIRE_FALSE(s.heavier_where_not);
      REQUIRE(s.distance_where_not == 0.0f);
      if (s.value.weight > 0.0f) {
        REQUIRE(s.front == (s.value.distance > 0.0f));
        REQUIRE(s.behind == (s.value.distance < 0.0f));
      }
    }
  }
}

TEST_CASE("packed observations add up as single ones do", "[voxel]")
{
  std::vector<observation> observations;
  for (int i = 0; i < 32; ++i) {
    observations.push_back({static_cast<float>(i % 3 - 1), 1.0f, true, {255, static_cast<std::uint8_t>(8 * i), 255}});
  }
  pool<voxel::fixed_point> p;
  p.fold(observations, 1);
  const auto in = upload(observations);
  test_space::once(test_stream(), add_packed{p.arrays(), in.data(), 32, 2});
  test_stream().wait();
  const auto all = p.read();
  REQUIRE(all[2].value.weight == 32.0f);
  REQUIRE(all[2].value.distance == all[1].value.distance);
  REQUIRE(all[2].color.weight == all[1].color.weight);
  REQUIRE(all[2].color.rgb == all[1].color.rgb);
}

TEST_CASE("a fixed-point voxel's weight stops before its bits do", "[voxel]")
{
  pool<voxel::fixed_point> p;
  const std::vector<observation> heavy(1 << 18, {-0.5f, voxel::fixed_point::most_weight, false, {0, 0, 0}});
  p.fold(heavy, 5);
  p.add(heavy, 6);
  const auto all = p.read();
  for (const int i : {5, 6}) {
    REQUIRE(all[static_cast<std::size_t>(i)].value.distance == Approx(-0.5).margin(1.0 / 8192));
    REQUIRE(all[static_cast<std::size_t>(i)].value.weight >= 1 << 19);
    REQUIRE(all[static_cast<std::size_t>(i)].value.weight < 1 << 22);
  }
}

TEST_CASE("a mean in 16 bits stays within half a step of an observation", "[voxel]")
{
  constexpr double step = 1.0 / 32767;
  pool<voxel::mean16> p;
  std::vector<observation> observations;
  double sum = 0.0;
  for (int i = 0; i < 100; ++i) {
    observations.push_back({static_cast<float>(i % 11 - 5) / 5.0f, 1.0f, true, {200, 0, 255}});
    sum += double{observations.back().distance};
  }
  p.fold(observations, 3);
  p.add(observations, 4);
  auto all = p.read();
  REQUIRE(all[3].value.weight == 100.0f);
  REQUIRE(all[4].value.weight == 100.0f);
  // Each of a hundred roundings is off by half a step at most, and weighs less with every observation that follows.
  REQUIRE(double{all[3].value.distance} == Approx(sum / 100).margin(25 * step));
  REQUIRE(double{all[4].value.distance} == Approx(sum / 100).margin(25 * step));
  REQUIRE(all[3].color.rgb.x == Approx(200.0).margin(0.01));
  // Ends of the range, and another distance for ever: the mean gets there.
  p.fold(std::vector<observation>(10000, {1.0f, 1.0f, false, {0, 0, 0}}), 3);
  p.fold(std::vector<observation>(10000, {-1.0f, 1.0f, false, {0, 0, 0}}), 5);
  all = p.read();
  REQUIRE(double{all[3].value.distance} == Approx(1.0).margin(80 * step));
  REQUIRE(all[3].value.weight == voxel::mean16::weight_limit);
  REQUIRE(all[5].value.distance == -1.0f);
  REQUIRE(all[6].value.weight == 0.0f);
}

TEST_CASE("a compact voxel's colour neither overflows nor sticks", "[voxel]")
{
  pool<voxel::compact> p;
  p.fold(std::vector<observation>(10000, {0.0f, 1.0f, true, {255, 255, 0}}), 0);
  auto color = p.read()[0].color;
  REQUIRE(color.rgb.x == Approx(255.0).margin(0.01));
  REQUIRE(color.rgb.y == Approx(255.0).margin(0.01));
  REQUIRE(color.rgb.z == 0.0f);
  REQUIRE(color.weight == 255.0f);
  // Another colour, long enough: the mean follows it.
  p.fold(std::vector<observation>(5000, {0.0f, 1.0f, true, {0, 255, 255}}), 0);
  color = p.read()[0].color;
  REQUIRE(color.rgb.x < 2.0f);
  REQUIRE(color.rgb.y == Approx(255.0).margin(0.01));
  REQUIRE(color.rgb.z > 253.0f);
}

TEST_CASE("a compact voxel's colour takes any weight", "[voxel]")
{
  for (const float weight : {1.0e-6f, 0.01f, 1.0f, 300.0f, 1.0e9f}) {
    INFO("weight " << weight);
    pool<voxel::compact> p;
    p.fold({{0.0f, weight, true, {17, 0, 255}}}, 3);
    const auto c = p.read()[3];
    REQUIRE(c.value.weight == weight);
    REQUIRE(c.color.rgb.x == Approx(17.0).margin(0.01));
    REQUIRE(c.color.rgb.y == 0.0f);
    REQUIRE(c.color.rgb.z == Approx(255.0).margin(0.01));
    REQUIRE(c.color.weight > 0.0f);
  }
}

TEST_CASE("voxels behind the surface and just in front of it want a colour", "[voxel]")
{
  REQUIRE(voxel::fixed_point::wants_color(0.25f, 4.0f));
  REQUIRE(voxel::fixed_point::wants_color(-0.25f, 4.0f));
  REQUIRE_FALSE(voxel::fixed_point::wants_color(0.26f, 4.0f));
  REQUIRE_FALSE(voxel::fixed_point::wants_color(-0.26f, 4.0f));
  REQUIRE(voxel::compact::wants_color(0.0f, 4.0f));
  REQUIRE(voxel::compact::wants_color(0.25f, 4.0f));
  REQUIRE_FALSE(voxel::compact::wants_color(0.26f, 4.0f));
  REQUIRE_FALSE(voxel::compact::wants_color(1.0f, 4.0f));
  REQUIRE(voxel::compact::wants_color(-1.0f, 4.0f));
  REQUIRE(voxel::five_sums::wants_color(1.0f, 4.0f));
}

}  // namespace cutsdf_test::voxels
