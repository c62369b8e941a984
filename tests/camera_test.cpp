// Cameras and poses.
#include "support/catch.hpp"

#include <cutsdf/grid/camera.hpp>
#include <cutsdf/grid/image.hpp>

#include "support/scenes.hpp"
#include "support/space.hpp"
#include "support/tolerances.hpp"

#include <cmath>
#include <random>

namespace cutsdf_test::cameras {

struct pixel {
  int inside;
  int u;
  int v;
  bool operator==(const pixel&) const = default;
};

struct project {
  pinhole camera;
  CUTSDF_HD pixel operator()(vec3f point) const
  {
    pixel p{};
    p.inside = camera.project(point, p.u, p.v) ? 1 : 0;
    return p.inside != 0 ? p : pixel{};
  }
};

TEST_CASE("pixel i covers i - 0.5 to i + 0.5", "[camera]")
{
  const pinhole camera{1.0f, 1.0f, 0.0f, 0.0f, 16, 1};
  const std::vector<vec3f> points{{10.9f, 0.0f, 1.0f}, {10.4f, 0.0f, 1.0f},  {10.5f, 0.0f, 1.0f}, {-0.5f, 0.0f, 1.0f},
                                  {-0.6f, 0.0f, 1.0f}, {15.49f, 0.0f, 1.0f}, {15.5f, 0.0f, 1.0f}, {3.0f, 0.49f, 1.0f},
                                  {3.0f, 0.5f, 1.0f},  {3.0f, -0.51f, 1.0f}, {22.0f, 0.0f, 2.0f}};
  REQUIRE(map_in_space(points, project{camera}) ==
          std::vector<pixel>{
            {1, 11, 0}, {1, 10, 0}, {1, 11, 0}, {1, 0, 0}, {}, {1, 15, 0}, {}, {1, 3, 0}, {}, {}, {1, 11, 0}});
}

TEST_CASE("points that no pixel can hold project nowhere", "[camera]")
{
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<vec3f> points{{3.0e38f, 0.0f, 1.0e-30f}, {nan, 0.0f, 1.0f},        {0.0f, nan, 1.0f},
                                  {0.0f, 0.0f, nan},         {1.0e30f, 1.0e30f, 1.0f}, {0.0f, 0.0f, 0.0f}};
  REQUIRE(map_in_space(points, project{camera_of(64, 48, 60.0)}) == std::vector<pixel>(points.size()));
}

struct shortcuts {
  int below_640, below_largest;
  int whole;
  bool operator==(const shortcuts&) const = default;
};

struct take_shortcuts {
  CUTSDF_HD shortcuts operator()(float a) const
  {
    shortcuts s{};
    int n           = 0;
    s.below_640     = ieee::truncate_below(a, 640, n) ? n : -1;
    s.below_largest = ieee::truncate_below(a, 1 << 22, n) ? n : -1;
    s.whole         = std::abs(a) < 4194304.0f ? ieee::floor_of_small(a) : 0;
    return s;
  }
};

struct take_reciprocal {
  CUTSDF_HD float operator()(float a) const { return ieee::reciprocal_of_normal(a); }
};

TEST_CASE("shortcuts of arithmetic give what the long way does", "[camera]")
{
  std::vector<float> numbers{0.0f,
                             -0.0f,
                             -1.0e-40f,
                             1.0e-40f,
                             639.99994f,
                             640.0f,
                             4194303.5f,
                             4194304.0f,
                             8388607.5f,
                             1.0e10f,
                             -1.0e10f,
                             3.0e38f,
                             -3.0e38f,
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
  std::mt19937 random(3);
  std::uniform_real_distribution<float> exponent(-40.0f, 24.0f);
  for (int i = 0; i < 20000; ++i) {
    numbers.push_back((i % 2 == 0 ? 1.0f : -1.0f) * std::exp2(exponent(random)));
  }
  const auto found       = map_in_space<take_shortcuts>(numbers);
  const auto reciprocals = map_in_space<take_reciprocal>(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float a = numbers[i];
    CAPTURE(a);
    REQUIRE(found[i].below_640 == (a >= 0.0f && a < 640.0f ? static_cast<int>(a) : -1));
    REQUIRE(found[i].below_largest == (a >= 0.0f && a < 4194304.0f ? static_cast<int>(a) : -1));
    REQUIRE(found[i].whole == (std::abs(a) < 4194304.0f ? static_cast<int>(std::floor(a)) : 0));
    if (std::abs(a) > 1.0e-30f && std::abs(a) < 1.0e30f) { REQUIRE(reciprocals[i] == 1.0f / a); }
  }
}

struct there_and_back {
  pinhole camera;
  CUTSDF_HD pixel operator()(pixel p) const
  {
    pixel q{};
    q.inside = camera.project(camera.ray(p.u, p.v) * 3.7f, q.u, q.v) ? 1 : 0;
    return q;
  }
};

TEST_CASE("the ray of a pixel projects into that pixel", "[camera]")
{
  std::vector<pixel> pixels;
  for (int v = 0; v < 48; ++v) {
    for (int u = 0; u < 64; ++u) {
      pixels.push_back({1, u, v});
    }
  }
  REQUIRE(map_in_space(pixels, there_and_back{camera_of(64, 48, 60.0)}) == pixels);
  REQUIRE(map_in_space(pixels, there_and_back{{535.4f, 539.2f, 320.1f, 247.6f, 640, 480}}) == pixels);
}

TEST_CASE("a resized camera sees the same points at the same relative place", "[camera]")
{
  const pinhole camera{100.0f, 120.0f, 31.5f, 23.5f, 64, 48};
  const pinhole twice = camera.resized(128, 96);
  REQUIRE(twice.width == 128);
  REQUIRE(twice.height == 96);
  REQUIRE(twice.fx == 200.0f);
  REQUIRE(twice.fy == 240.0f);
  REQUIRE(twice.cx == 63.5f);  // the middle of the image stays the middle
  REQUIRE(twice.cy == 47.5f);
  const pinhole same = camera.resized(64, 48);
  REQUIRE(same.cx == camera.cx);
  REQUIRE(same.fy == camera.fy);
}

struct move_there_and_back {
  rigid_motion motion;
  CUTSDF_HD vec3f operator()(vec3f p) const { return motion.rotate_back(motion.apply(p) - motion.translation); }
};

TEST_CASE("a rigid motion is what its pose says", "[camera]")
{
  Eigen::Isometry3f pose = Eigen::Isometry3f::Identity();
  pose.rotate(Eigen::AngleAxisf(0.5f * std::numbers::pi_v<float>, Eigen::Vector3f::UnitY()));
  pose.pretranslate(Eigen::Vector3f(1.0f, 2.0f, 3.0f));
  const auto motion = to_rigid_motion(pose);
  const vec3f ahead = motion.apply({0.0f, 0.0f, 1.0f});  // a quarter turn about y takes z to x
  REQUIRE(ahead.x == Approx(2.0f).margin(tolerance::position));
  REQUIRE(ahead.y == Approx(2.0f).margin(tolerance::position));
  REQUIRE(ahead.z == Approx(3.0f).margin(tolerance::position));

  const auto oblique = to_rigid_motion(look_at({1.0, 2.0, 3.0}, {-1.0, 0.5, 0.0}));
  const std::vector<vec3f> points{{1.0f, 0.0f, 0.0f}, {0.0f, 1.0f, 0.0f}, {0.0f, 0.0f, 1.0f}};
  const auto back = map_in_space(points, move_there_and_back{oblique});
  for (std::size_t i = 0; i < points.size(); ++i) {
    REQUIRE(norm(back[i] - points[i]) < 1e-6f);
  }
}

TEST_CASE("poses that are not rigid motions are refused with their value", "[camera]")
{
  Eigen::Isometry3f scaled = Eigen::Isometry3f::Identity();
  scaled.linear() *= 2.0f;
  REQUIRE_FALSE(is_rigid(scaled));
  try {
    static_cast<void>(to_rigid_motion(scaled));
    FAIL("a pose that scales was accepted");
  } catch (const invalid_argument& e) {
    const std::string what = e.what();
    INFO(what);
    REQUIRE(what.find("pose") != std::string::npos);
    REQUIRE(what.find("8.0") != std::string::npos);  // its determinant
  }

  Eigen::Isometry3f mirrored = Eigen::Isometry3f::Identity();
  mirrored.linear()(0, 0)    = -1.0f;
  REQUIRE_THROWS_AS(to_rigid_motion(mirrored), invalid_argument);

  Eigen::Isometry3f sheared = Eigen::Isometry3f::Identity();
  sheared.linear()(0, 1)    = 0.1f;
  REQUIRE_THROWS_AS(to_rigid_motion(sheared), invalid_argument);

  Eigen::Isometry3f nowhere = Eigen::Isometry3f::Identity();
  nowhere.translation().y() = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_THROWS_AS(to_rigid_motion(nowhere), invalid_argument);

  Eigen::Isometry3f far = Eigen::Isometry3f::Identity();
  far.translation().z() = std::numeric_limits<float>::infinity();
  REQUIRE_THROWS_AS(to_rigid_motion(far), invalid_argument);

  Eigen::Isometry3f rounded = look_at({0.3, 0.2, -1.0}, {0.0, 0.0, 0.0});
  rounded.linear()(0, 0) += 1e-5f;  // what a text file with five digits does
  REQUIRE(is_rigid(rounded));
}

template <class T>
struct read_depth {
  depth_reader<T> reader;
  CUTSDF_HD float operator()(int u) const { return reader.metres(reader.template stored<float>(u, 0)); }
};

TEST_CASE("one predicate decides which float depths are measurements", "[camera]")
{
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float inf = std::numeric_limits<float>::infinity();
  const auto image    = upload(std::vector<float>{0.0f, -1.0f, 0.4f, 0.5f, 3.0f, 4.0f, 4.1f, nan, inf, -inf});
  const auto read =
    map_in_space(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                 read_depth<float>{{image.data(), static_cast<std::int32_t>(image.size()), 1.0f, {0.5f, 4.0f}}});
  REQUIRE(read == std::vector<float>{0.0f, 0.0f, 0.0f, 0.5f, 3.0f, 4.0f, 0.0f, 0.0f, 0.0f, 0.0f});
}

TEST_CASE("raw depths are divided by their unit and 0 and 65535 are no measurements", "[camera]")
{
  const auto image = upload(std::vector<std::uint16_t>{0, 1, 500, 1000, 5000, 65534, 65535});
  const auto read  = map_in_space(
     std::vector<int>{0, 1, 2, 3, 4, 5, 6},
     read_depth<std::uint16_t>{{image.data(), static_cast<std::int32_t>(image.size()), 1000.0f, depth_range{}}});
  REQUIRE(read == std::vector<float>{0.0f, 0.0f, 0.5f, 1.0f, 5.0f, 65.534f, 0.0f});
  const depth_view<std::uint16_t> raw{};
  const depth_view<float> metres{};
  REQUIRE(raw.units_per_metre == 1000.0f);
  REQUIRE(metres.units_per_metre == 1.0f);
}

}  // namespace cutsdf_test::cameras
