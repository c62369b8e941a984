// Ray casting.
#include "support/catch.hpp"

#include "support/counting_resource.hpp"
#include "support/inspect.hpp"
#include "support/mesh_checks.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

#include <array>
#include <random>

namespace cutsdf_test::raycasts {

const Eigen::Vector3f origin          = Eigen::Vector3f::Zero();
const Eigen::Isometry3f identity_pose = Eigen::Isometry3f::Identity();
const Eigen::Vector3d ball_centre(0.05, -0.1, 0.2);
constexpr double ball_radius = 0.3;

/// A ball fused from depth images all around, with colours that tell its sides apart.
template <class Volume>
Volume ball_volume(float voxel_size = 0.01f)
{
  Volume v({.voxel_size = voxel_size, .truncation = 4.0f * voxel_size, .block_capacity = 8192, .table_capacity = 16384},
           test_stream());
  const auto camera = camera_of(320, 240, 60.0);
  const auto ball   = sphere_distance(ball_centre, ball_radius);
  const auto colors = upload(std::vector<rgb8>(std::size_t{320} * 240, rgb8{40, 80, 160}));
  for (const auto& pose : cameras_around(ball_centre, 1.0, 24)) {
    const auto image = upload(render_depth(ball, camera, pose));
    static_cast<void>(v.integrate(depth_view<float>{.data = image.data(), .width = 320, .height = 240},
                                  color_view{colors.data(), 320, 240}, camera, pose));
  }
  return v;
}

struct pixel_counts {
  int both{0};
  int only_true{0};
  int only_cast{0};
};

TEMPLATE_TEST_CASE("a ball looks from anywhere as it is", "[raycast]", default_volume, paper_volume, slot_volume)
{
  auto v            = ball_volume<TestType>();
  const auto ball   = sphere_distance(ball_centre, ball_radius);
  const auto camera = camera_of(160, 120, 50.0);
  for (const auto& pose : cameras_around(ball_centre, 1.3, 5)) {
    const auto truth = render_depth(ball, camera, pose);
    const auto image = v.raycast(camera, pose);
    REQUIRE(image.width == 160);
    REQUIRE(image.height == 120);
    const auto depth   = image.depth.to_host();
    const auto normals = image.normals.to_host();
    const auto colors  = image.colors.to_host();
    REQUIRE(depth.size() == truth.size());
    REQUIRE(normals.size() == truth.size());
    REQUIRE(colors.size() == truth.size());

    pixel_counts pixels;
    std::vector<double> errors;
    std::vector<double> cosines;
    const Eigen::Isometry3d to_world = pose.cast<double>();
    for (std::size_t i = 0; i < truth.size(); ++i) {
      pixels.both += truth[i] > 0.0f && depth[i] > 0.0f ? 1 : 0;
      pixels.only_true += truth[i] > 0.0f && depth[i] == 0.0f ? 1 : 0;
      pixels.only_cast += truth[i] == 0.0f && depth[i] > 0.0f ? 1 : 0;
      if (depth[i] == 0.0f) {
        REQUIRE(normals[i] == vec3f{0.0f, 0.0f, 0.0f});
        REQUIRE(colors[i] == rgb8{0, 0, 0});
        continue;
      }
      REQUIRE(std::abs(double{norm(normals[i])} - 1.0) < tolerance::unit_length);
      const auto ray                = camera.ray(static_cast<int>(i % 160), static_cast<int>(i / 160));
      const Eigen::Vector3d hit     = to_world * (to_eigen(ray) * double{depth[i]});
      const Eigen::Vector3d outward = gradient(ball, hit);
      const Eigen::Vector3d view    = (to_world.linear() * to_eigen(ray)).normalized();
      if (truth[i] == 0.0f || -outward.dot(view) < 0.5) { continue; }  // near the silhouette
      errors.push_back(std::abs(double{depth[i]} - double{truth[i]}));
      REQUIRE(std::abs(ball(hit)) < 0.6 * 0.01);
      cosines.push_back(outward.dot(to_eigen(normals[i])));
      REQUIRE(cosines.back() > tolerance::worst_normal_cosine);
      REQUIRE(std::abs(colors[i].r - 40) <= tolerance::color_levels);
      REQUIRE(std::abs(colors[i].g - 80) <= tolerance::color_levels);
      REQUIRE(std::abs(colors[i].b - 160) <= tolerance::color_levels);
    }
    INFO("both " << pixels.both << ", truth alone " << pixels.only_true << ", cast alone " << pixels.only_cast);
    REQUIRE(pixels.both > 2000);
    REQUIRE(pixels.only_true < pixels.both / 20);
    REQUIRE(pixels.only_cast < pixels.both / 20);
    INFO("mean error " << summary(errors).mean << ", max " << summary(errors).max);
    REQUIRE(summary(errors).mean <= tolerance::depth_surface_mean_vox * 0.01);
    REQUIRE(summary(cosines).mean > tolerance::normal_cosine);
  }
}

TEMPLATE_TEST_CASE("a camera inside a sphere sees it all around", "[raycast]", default_volume, paper_volume)
{
  TestType v({.block_capacity = 4096}, test_stream());
  const auto points = upload(sphere_points(0.5, 400, 800));
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto camera = camera_of(80, 60, 90.0);
  for (const auto& pose : {identity_pose, look_at({0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}),
                           look_at({0.1, -0.1, 0.05}, {-1.0, 0.3, 0.4}), look_at({0.0, 0.0, 0.0}, {0.1, 1.0, 0.0})}) {
    const auto image   = v.raycast(camera, pose);
    const auto depth   = image.depth.to_host();
    const auto normals = image.normals.to_host();
    std::vector<double> errors;
    const Eigen::Isometry3d to_world(pose.matrix().template cast<double>());
    for (std::size_t i = 0; i < depth.size(); ++i) {
      REQUIRE(depth[i] > 0.0f);
      const auto ray            = camera.ray(static_cast<int>(i % 80), static_cast<int>(i / 80));
      const Eigen::Vector3d hit = to_world * (to_eigen(ray) * double{depth[i]});
      errors.push_back(std::abs(hit.norm() - 0.5));
      REQUIRE(-hit.normalized().dot(to_eigen(normals[i])) > tolerance::normal_cosine);
    }
    REQUIRE(summary(errors).mean <= tolerance::depth_surface_mean_vox * 0.01);
    REQUIRE(summary(errors).max < 0.5 * 0.01);
  }
}

TEST_CASE("a volume without blocks shows nothing", "[raycast]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto image = v.raycast(camera_of(32, 24, 60.0), identity_pose);
  for (const float depth : image.depth.to_host()) {
    REQUIRE(depth == 0.0f);
  }
  for (const auto& normal : image.normals.to_host()) {
    REQUIRE(normal == vec3f{0.0f, 0.0f, 0.0f});
  }
  for (const auto& color : image.colors.to_host()) {
    REQUIRE(color == rgb8{0, 0, 0});
  }
  // Blocks, but none observed.
  const auto points = upload(std::vector<vec3f>{{0.0f, 0.0f, 1.0f}});
  v.allocate_async({.positions = points.span()}, origin);
  for (const float depth : v.raycast(camera_of(32, 24, 60.0), identity_pose).depth.to_host()) {
    REQUIRE(depth == 0.0f);
  }
}

TEST_CASE("a camera of 0 x 0 pixels gets an empty image", "[raycast]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto image = v.raycast(pinhole{10.0f, 10.0f, 0.0f, 0.0f, 0, 0}, identity_pose);
  REQUIRE(image.width == 0);
  REQUIRE(image.height == 0);
  REQUIRE(image.depth.empty());
}

TEST_CASE("a camera that looks away sees nothing", "[raycast]")
{
  auto v = ball_volume<default_volume>();
  const auto away =
    look_at(ball_centre + Eigen::Vector3d(0.0, 0.0, -1.0), ball_centre + Eigen::Vector3d(0.0, 0.0, -2.0));
  const auto image = v.raycast(camera_of(64, 48, 60.0), away);
  for (const float depth : image.depth.to_host()) {
    REQUIRE(depth == 0.0f);
  }
}

TEST_CASE("a surface is seen from its front alone", "[raycast]")
{
  // A wall fused from one side: from behind there is no crossing from free space.
  default_volume v({.block_capacity = 4096}, test_stream());
  const auto points = upload(plane_points(0.3, 200, 0.5));
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto camera = camera_of(32, 24, 40.0);
  for (const float depth : v.raycast(camera, identity_pose).depth.to_host()) {
    REQUIRE(double{depth} == Approx(0.5).margin(tolerance::depth_surface_mean_vox * 0.01));
  }
  for (const float depth : v.raycast(camera, look_at({0.0, 0.0, 1.0}, {0.0, 0.0, 0.0})).depth.to_host()) {
    REQUIRE(depth == 0.0f);
  }
}

TEST_CASE("depths outside the range of a ray cast are not looked at", "[raycast]")
{
  // A wall at 0.5 m in front of one at 0.9 m.
  default_volume v({.block_capacity = 8192}, test_stream());
  const auto back = upload(plane_points(0.4, 300, 0.9));
  const auto near = upload(plane_points(0.2, 200, 0.5));
  static_cast<void>(v.integrate({.positions = back.span()}, origin));
  static_cast<void>(v.integrate({.positions = near.span()}, origin));
  const auto camera   = camera_of(32, 24, 30.0);
  const auto depth_of = [&](const raycast_options& options) {
    return double{v.raycast(camera, identity_pose, options).depth.to_host()[12 * 32 + 16]};
  };
  REQUIRE(depth_of({}) == Approx(0.5).margin(0.001));
  REQUIRE(depth_of({.min_depth = 0.6f}) == Approx(0.9).margin(0.001));
  REQUIRE(depth_of({.max_depth = 0.4f}) == 0.0);
  REQUIRE(depth_of({.min_depth = 0.6f, .max_depth = 0.8f}) == 0.0);
  REQUIRE(depth_of({.min_weight = 1.0e6f}) == 0.0);
}

TEST_CASE("rays that run along the grid see what lies on them", "[raycast]")
{
  // The middle pixel looks exactly along an axis, through the edges of voxels and blocks.
  const pinhole camera{40.0f, 40.0f, 20.0f, 15.0f, 41, 31};
  for (int axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1.0, 1.0}) {
      INFO("axis " << axis << ", sign " << sign);
      default_volume v({.block_capacity = 4096}, test_stream());
      const auto points = upload(sphere_points(0.5, 400, 800));
      static_cast<void>(v.integrate({.positions = points.span()}, origin));
      Eigen::Vector3d target = Eigen::Vector3d::Zero();
      target[axis]           = sign;
      const auto depth       = v.raycast(camera, look_at(Eigen::Vector3d::Zero(), target)).depth.to_host();
      REQUIRE(double{depth[15 * 41 + 20]} == Approx(0.5).margin(tolerance::depth_surface_mean_vox * 0.01));
    }
  }
}

TEST_CASE("a ray cast into images that are there is the same and takes no memory", "[raycast]")
{
  counting_resource<test_space> memory;
  default_volume v({.block_capacity = 4096}, test_stream(), memory);
  const auto points = upload(sphere_points(0.5, 200, 400));
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto camera = camera_of(32, 24, 60.0);
  auto image        = v.raycast(camera, identity_pose);
  const auto depth  = image.depth.to_host();
  image.depth.fill_bytes(0xff);
  const auto before = memory.allocations;
  v.raycast_async(image, camera, identity_pose);
  REQUIRE(memory.allocations == before);
  REQUIRE(image.depth.to_host() == depth);
  REQUIRE_THROWS_AS(v.raycast_async(image, camera_of(16, 24, 60.0), identity_pose), invalid_argument);
}

/// The interpolated field, in doubles, at a position in voxels; NaN where not all eight voxels were observed.
double field_at(const voxel_map& voxels, const Eigen::Vector3d& position)
{
  const Eigen::Vector3d shifted = position - Eigen::Vector3d::Constant(0.5);
  const Eigen::Vector3d base    = shifted.array().floor();
  const Eigen::Vector3d t       = shifted - base;
  double sum                    = 0.0;
  for (int i = 0; i < 8; ++i) {
    const Eigen::Vector3i corner = base.cast<int>() + Eigen::Vector3i(i & 1, i >> 1 & 1, i >> 2);
    const auto voxel             = voxels.find({corner.x(), corner.y(), corner.z()});
    if (voxel == voxels.end()) { return std::numeric_limits<double>::quiet_NaN(); }
    sum += double{voxel->second.distance} * ((i & 1) != 0 ? t.x() : 1.0 - t.x()) *
           ((i & 2) != 0 ? t.y() : 1.0 - t.y()) * ((i & 4) != 0 ? t.z() : 1.0 - t.z());
  }
  return sum;
}

/// Distance along the ray, in voxels, of its first crossing from free space to behind the surface, found in short
/// steps; 0 where there is none.
double brute_force(const voxel_map& voxels, const Eigen::Vector3d& start, const Eigen::Vector3d& unit, double from,
                   double to)
{
  constexpr double step = 0.05;
  double before         = std::numeric_limits<double>::quiet_NaN();
  for (double s = from; s < to; s += step) {
    const double value = field_at(voxels, start + unit * s);
    if (value <= 0.0 && before > 0.0) { return s - step * value / (value - before); }
    before = value;
  }
  return 0.0;
}

TEST_CASE("rays hit where a march in tiny steps does", "[raycast]")
{
  auto v            = ball_volume<default_volume>();
  const auto voxels = observed_voxels(v);
  const auto camera = camera_of(37, 29, 50.0);
  int both = 0, one = 0, steep = 0, apart = 0;
  for (const auto& pose : cameras_around(ball_centre, 1.0, 3)) {
    const auto depth           = v.raycast(camera, pose).depth.to_host();
    const Eigen::Isometry3d to = pose.cast<double>();
    for (std::size_t i = 0; i < depth.size(); ++i) {
      const Eigen::Vector3d ray =
        to.linear() * to_eigen(camera.ray(static_cast<int>(i % 37), static_cast<int>(i / 37)));
      const double truth = brute_force(voxels, to.translation() / 0.01, ray.normalized(), 40.0, 140.0) * 0.01;
      const double cast  = double{depth[i]} * ray.norm();
      both += truth > 0.0 && cast > 0.0 ? 1 : 0;
      one += (truth > 0.0) != (cast > 0.0) ? 1 : 0;
      if (truth == 0.0 || cast == 0.0) { continue; }
      const Eigen::Vector3d outward = to.translation() + ray.normalized() * truth - ball_centre;
      if (-outward.normalized().dot(ray.normalized()) < 0.5) { continue; }  // near the silhouette
      ++steep;
      apart += std::abs(truth - cast) > tolerance::march ? 1 : 0;
    }
  }
  INFO(both << " rays hit, " << one << " in one way alone, " << apart << " of " << steep << " apart");
  REQUIRE(both > 400);
  REQUIRE(one <= both / 50);  // at the silhouette
  REQUIRE(steep > both / 2);
  REQUIRE(apart <= steep / 100);
}

/// A cell of the lattice that a surface passes through: its lowest corner, seen from the camera, and the field there.
struct crossed_cell {
  Eigen::Vector3d lowest;
  std::array<double, 8> distances;

  [[nodiscard]] double at(const Eigen::Vector3d& position) const
  {
    const Eigen::Vector3d t = position - lowest;
    double sum              = 0.0;
    for (int i = 0; i < 8; ++i) {
      sum += distances[static_cast<std::size_t>(i)] * ((i & 1) != 0 ? t.x() : 1.0 - t.x()) *
             ((i & 2) != 0 ? t.y() : 1.0 - t.y()) * ((i & 4) != 0 ? t.z() : 1.0 - t.z());
    }
    return sum;
  }
};

std::vector<crossed_cell> crossed_cells(const voxel_map& voxels, const Eigen::Vector3d& camera)
{
  std::vector<crossed_cell> cells;
  for (const auto& [voxel, value] : voxels) {
    crossed_cell cell{Eigen::Vector3d(voxel.x, voxel.y, voxel.z) + Eigen::Vector3d::Constant(0.5) - camera, {}};
    bool seen = true, front = false, behind = false;
    for (int i = 0; i < 8 && seen; ++i) {
      const auto corner = voxels.find(voxel + vec3i{i & 1, i >> 1 & 1, i >> 2});
      seen              = corner != voxels.end();
      if (!seen) { break; }
      const double d                              = double{corner->second.distance};
      cell.distances[static_cast<std::size_t>(i)] = d;
      front                                       = front || d > 0.0;
      behind                                      = behind || d <= 0.0;
    }
    if (seen && front && behind) { cells.push_back(cell); }
  }
  return cells;
}

TEST_CASE("no ray slips through between the cells of any surface", "[raycast]")
{
  // Points that have no surface in common: cells with holes between them, seen from among them, also where the rays run
  // exactly in the planes between cells.
  std::mt19937 random(3);
  constexpr double voxel = 1.0 / 128.0;
  const auto uniform     = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  int hits = 0, apart = 0;
  for (int round = 0; round < 60; ++round) {
    INFO("round " << round);
    const double spread = uniform(0.03, 0.2);
    std::vector<vec3f> positions(static_cast<std::size_t>(uniform(100.0, 3000.0)));
    for (vec3f& p : positions) {
      p = {static_cast<float>(uniform(-spread, spread)), static_cast<float>(uniform(-spread, spread)),
           static_cast<float>(uniform(-spread, spread))};
    }
    const bool along_grid     = round % 3 == 2;
    const Eigen::Vector3d eye = along_grid ? Eigen::Vector3d(1.5 * voxel, -0.5 * voxel, -0.3)
                                           : Eigen::Vector3d(uniform(-0.3, 0.3), uniform(-0.3, 0.3), -0.25);
    default_volume v({.voxel_size = static_cast<float>(voxel), .truncation = 0.03f, .block_capacity = 4096},
                     test_stream());
    const auto points = upload(positions);
    static_cast<void>(v.integrate({.positions = points.span()}, eye.cast<float>()));

    auto camera = camera_of(static_cast<int>(uniform(8.0, 40.0)), static_cast<int>(uniform(8.0, 30.0)), 60.0);
    if (along_grid) {
      camera.cx = 5.0f;
      camera.cy = 4.0f;
    }
    const auto pose =
      look_at(eye, along_grid ? Eigen::Vector3d(1.5 * voxel, -0.5 * voxel, 1.0) : Eigen::Vector3d(0.0, 0.0, 0.0));
    const auto depth           = v.raycast(camera, pose, {.min_depth = 0.002f}).depth.to_host();
    const Eigen::Isometry3d to = pose.cast<double>();
    const auto cells           = crossed_cells(observed_voxels(v), to.translation() / voxel);
    for (std::size_t i = 0; i < depth.size(); ++i) {
      const Eigen::Vector3d along =
        to.linear() * to_eigen(camera.ray(static_cast<int>(i) % camera.width, static_cast<int>(i) / camera.width));
      double truth  = 1.0e30;
      bool doubtful = false;  // to rounding
      for (const auto& cell : cells) {
        double from = 0.002 / voxel, until = 1.0e30;
        for (int axis = 0; axis < 3; ++axis) {
          const double lowest = cell.lowest[axis];
          if (along[axis] == 0.0) {  // a ray in the plane between two cells is in the upper one
            until = lowest <= 0.0 && lowest + 1.0 > 0.0 ? until : -1.0;
            continue;
          }
          from  = std::max(from, std::min(lowest / along[axis], (lowest + 1.0) / along[axis]));
          until = std::min(until, std::max(lowest / along[axis], (lowest + 1.0) / along[axis]));
        }
        if (from > until + 0.001) { continue; }
        double front = from, behind = until;
        doubtful = doubtful || until - from < 0.01 || std::abs(cell.at(along * from)) < 0.002 ||
                   std::abs(cell.at(along * until)) < 0.002;
        if (!(cell.at(along * front) > 0.0 && cell.at(along * behind) <= 0.0)) { continue; }
        for (int k = 0; k < 40; ++k) {
          const double middle                              = 0.5 * (front + behind);
          (cell.at(along * middle) > 0.0 ? front : behind) = middle;
        }
        truth = std::min(truth, behind);
      }
      if (doubtful) { continue; }
      const double cast = double{depth[i]} / voxel;
      INFO("pixel " << i << ", truth " << truth << ", cast " << cast);
      REQUIRE((cast > 0.0) == (truth < 1.0e30));
      if (cast == 0.0) { continue; }
      ++hits;
      REQUIRE(std::abs(cast - truth) * along.norm() < 1.75);  // in the same cell, whose field may have three roots
      apart += std::abs(cast - truth) * along.norm() > 0.01 ? 1 : 0;
    }
  }
  INFO(hits << " hits, " << apart << " apart");
  REQUIRE(hits > 500);
  REQUIRE(apart <= hits / 25);
}

TEST_CASE("a camera right in front of a surface sees what a march does", "[raycast]")
{
  // Cells that cover a good part of the image, and some that reach behind the camera.
  default_volume v({.block_capacity = 4096}, test_stream());
  const auto points = upload(sphere_points(0.5, 400, 800));
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto voxels = observed_voxels(v);
  const auto camera = camera_of(61, 47, 90.0);
  for (const double away : {0.021, 0.012, 0.004}) {  // metres
    INFO(away << " m before the surface");
    const Eigen::Vector3d towards = Eigen::Vector3d(0.3, -0.5, 0.8).normalized();
    const auto pose               = look_at(towards * (0.5 - away), towards);
    const auto depth              = v.raycast(camera, pose, {.min_depth = 0.001f}).depth.to_host();
    const Eigen::Isometry3d to    = pose.cast<double>();
    int both = 0, one = 0, apart = 0;
    for (std::size_t i = 0; i < depth.size(); ++i) {
      const Eigen::Vector3d ray =
        to.linear() * to_eigen(camera.ray(static_cast<int>(i % 61), static_cast<int>(i / 61)));
      const double from  = 0.1 * ray.norm();
      const double truth = brute_force(voxels, to.translation() / 0.01, ray.normalized(), from, 100.0) * 0.01;
      const double cast  = double{depth[i]} * ray.norm();
      both += truth > 0.0 && cast > 0.0 ? 1 : 0;
      one += (truth > 0.0) != (cast > 0.0) ? 1 : 0;
      apart += truth > 0.0 && cast > 0.0 && std::abs(truth - cast) > tolerance::march ? 1 : 0;
    }
    INFO(both << " rays hit, " << one << " in one way alone, " << apart << " apart");
    REQUIRE(both > static_cast<int>(depth.size()) * 9 / 10);
    REQUIRE(one <= both / 100);
    REQUIRE(apart <= both / 100);
  }
}

TEST_CASE("a ray's depth does not depend on the rest of the image", "[raycast]")
{
  // Of the large image there are more cells of many pixels than the queue holds, of the small one there are not.
  const auto v     = ball_volume<default_volume>(0.005f);
  const auto pose  = cameras_around(ball_centre, 1.0, 1).front();
  const auto large = camera_of(1600, 1200, 50.0);
  auto small       = large;
  small.width      = 160;
  small.height     = 120;
  small.cx -= 720.0f;
  small.cy -= 540.0f;
  const auto all  = v.raycast(large, pose).depth.to_host();
  const auto part = v.raycast(small, pose).depth.to_host();
  int hits        = 0;
  int apart       = 0;
  for (int row = 0; row < 120; ++row) {
    for (int column = 0; column < 160; ++column) {
      const float depth = part[static_cast<std::size_t>(row * 160 + column)];
      apart += depth != all[static_cast<std::size_t>((row + 540) * 1600 + column + 720)] ? 1 : 0;
      hits += depth > 0.0f ? 1 : 0;
    }
  }
  REQUIRE(apart == 0);
  REQUIRE(hits > 160 * 120 * 9 / 10);
}

TEST_CASE("a block far away changes nothing", "[raycast]")
{
  auto v            = ball_volume<default_volume>();
  const auto camera = camera_of(160, 120, 50.0);
  const auto pose   = cameras_around(ball_centre, 1.0, 1).front();
  const auto before = v.raycast(camera, pose).depth.to_host();
  // Behind the ball, seen past its edge, and everywhere else.
  std::vector<vec3f> outliers;
  for (const Eigen::Vector3f& p : {Eigen::Vector3f(9000.0f, 100.0f, -3000.0f), Eigen::Vector3f(0.0f, 0.0f, 70000.0f),
                                   Eigen::Vector3f(pose.translation() * -3000.0f)}) {
    outliers.push_back({p.x(), p.y(), p.z()});
  }
  const auto points = upload(outliers);
  v.allocate_async({.positions = points.span()}, Eigen::Vector3f(1.0f, 1.0f, 1.0f));
  REQUIRE(v.raycast(camera, pose).depth.to_host() == before);
}

TEST_CASE("ray casts refuse what cannot be meant", "[raycast]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  auto broken = camera_of(32, 24, 60.0);
  broken.fy   = -1.0f;
  REQUIRE_THROWS_AS(v.raycast(broken, identity_pose), invalid_argument);
  Eigen::Isometry3f scaled = identity_pose;
  scaled.linear() *= 3.0f;
  REQUIRE_THROWS_AS(v.raycast(camera_of(32, 24, 60.0), scaled), invalid_argument);
  REQUIRE_THROWS_AS(v.raycast(camera_of(32, 24, 60.0), identity_pose, {.min_depth = 0.0f}), invalid_argument);
  REQUIRE_THROWS_AS(v.raycast(camera_of(32, 24, 60.0), identity_pose, {.min_depth = 2.0f, .max_depth = 1.0f}),
                    invalid_argument);
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_THROWS_AS(v.raycast(camera_of(32, 24, 60.0), identity_pose, {.max_depth = nan}), invalid_argument);
}

}  // namespace cutsdf_test::raycasts
