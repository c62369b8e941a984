// Points of the surface.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/mesh_checks.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::surface_point_clouds {

const Eigen::Vector3f origin = Eigen::Vector3f::Zero();

/// Zero crossings between observed neighbours, found voxel by voxel.
std::vector<vec3f> crossings(const voxel_map& voxels, double voxel_size)
{
  std::vector<vec3f> found;
  for (const auto& [voxel, value] : voxels) {
    for (int axis = 0; axis < 3; ++axis) {
      const vec3i step{axis == 0, axis == 1, axis == 2};
      const auto next = voxels.find(voxel + step);
      if (next == voxels.end() || (value.distance < 0.0f) == (next->second.distance < 0.0f)) { continue; }
      const double t = double{value.distance} / (double{value.distance} - double{next->second.distance});
      const Eigen::Vector3d p =
        (to_eigen(to_float(voxel)) + Eigen::Vector3d::Constant(0.5) + t * to_eigen(to_float(step))) * voxel_size;
      found.push_back({static_cast<float>(p.x()), static_cast<float>(p.y()), static_cast<float>(p.z())});
    }
  }
  return found;
}

TEMPLATE_TEST_CASE("extracted points are the zero crossings of the field", "[points]", default_volume, paper_volume,
                   slot_volume)
{
  TestType v({.block_capacity = 4096, .table_capacity = 8192}, test_stream());
  auto positions = sphere_points(0.5, 300, 600);
  std::erase_if(positions, [](const vec3f& p) { return p.y > 0.2f; });  // with a rim
  const auto points = upload(positions);
  static_cast<void>(v.integrate({.positions = points.span()}, origin));

  const auto cloud     = v.extract_points();
  const auto extracted = cloud.positions.to_host();
  const auto normals   = cloud.normals.to_host();
  const auto expected  = crossings(observed_voxels(v), 0.01);
  REQUIRE(cloud.colors.size() == cloud.positions.size());
  REQUIRE(expected.size() > 20000);
  REQUIRE(extracted.size() == expected.size());
  for (const auto& distances :
       {nearest_distances(extracted, expected, 0.01), nearest_distances(expected, extracted, 0.01)}) {
    REQUIRE(*std::max_element(distances.begin(), distances.end()) < 2e-6);
  }
  int bad = 0;
  for (std::size_t i = 0; i < extracted.size(); ++i) {
    REQUIRE(std::abs(double{norm(normals[i])} - 1.0) < tolerance::unit_length);
    const Eigen::Vector3d p = to_eigen(extracted[i]);
    if (-p.normalized().dot(to_eigen(normals[i])) <= tolerance::normal_cosine) { ++bad; }
  }
  REQUIRE(bad < std::ssize(extracted) / 100);  // at the rim gradients are one-sided
}

TEST_CASE("the vertices of the mesh are among the extracted points", "[points]")
{
  default_volume v({.block_capacity = 4096}, test_stream());
  const auto points = upload(sphere_points(0.5, 400, 800));
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto mesh  = v.extract_mesh().to_host();
  const auto cloud = v.extract_points().positions.to_host();
  const std::set<vec3f, by_axis> all(cloud.begin(), cloud.end());
  REQUIRE(all.size() == cloud.size());
  for (const auto& p : mesh.positions) {
    REQUIRE(all.contains(p));
  }
}

TEST_CASE("an empty volume has no points", "[points]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  REQUIRE(v.extract_points().positions.empty());
  slot_volume slots({.table_capacity = 64}, test_stream());
  REQUIRE(slots.extract_points().positions.empty());
}

TEST_CASE("extracted points have the colour of the surface and respect min_weight", "[points]")
{
  default_volume v({.block_capacity = 4096}, test_stream());
  const auto positions = sphere_points(0.3, 300, 600);
  const auto points    = upload(positions);
  const auto colors    = upload(std::vector<rgb8>(positions.size(), rgb8{12, 200, 99}));
  static_cast<void>(v.integrate({.positions = points.span(), .colors = colors.span()}, origin));
  const auto cloud = v.extract_points();
  for (const auto& c : cloud.colors.to_host()) {
    REQUIRE(c == rgb8{12, 200, 99});
  }
  REQUIRE(v.extract_points({.min_weight = 5.0f}).positions.size() < cloud.positions.size());
  REQUIRE(v.extract_points({.min_weight = 1.0e9f}).positions.empty());
}

}  // namespace cutsdf_test::surface_point_clouds
