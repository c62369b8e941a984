// Surfaces fused from analytic depth images are where the scene says.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/mesh_checks.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::accuracy {

constexpr float voxel_size = 0.01f;

/// The mesh of what cameras around the scene see of it.
template <class Volume = default_volume>
host_mesh fuse(const distance_function& scene, const pinhole& camera, const std::vector<Eigen::Isometry3f>& poses)
{
  Volume v({.voxel_size = voxel_size, .truncation = 0.04f, .block_capacity = 1 << 14}, test_stream());
  for (const auto& pose : poses) {
    const auto image = upload(render_depth(scene, camera, pose));
    const auto frame = v.integrate(
      depth_view<float>{.data = image.data(), .width = camera.width, .height = camera.height}, camera, pose);
    REQUIRE(frame.valid > 1000);
    REQUIRE(frame.drops.lost() == 0);
  }
  return v.extract_mesh().to_host();
}

template <class Counts>
void check(const host_mesh& mesh, const distance_function& scene, std::size_t least_vertices, const Counts& counts)
{
  const auto errors = surface_errors(mesh, scene, counts);
  const auto used =
    std::count_if(mesh.positions.begin(), mesh.positions.end(), [&](const vec3f& p) { return counts(to_eigen(p)); });
  INFO("mean " << errors.mean / double{voxel_size} << ", median " << errors.median / double{voxel_size} << ", max "
               << errors.max / double{voxel_size} << " voxels, " << used << " of " << mesh.positions.size()
               << " vertices");
  CHECK(static_cast<std::size_t>(used) >= least_vertices);
  CHECK(errors.mean <= tolerance::depth_surface_mean_vox * double{voxel_size});
  std::vector<double> cosines;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Eigen::Vector3d p = to_eigen(mesh.positions[i]);
    if (counts(p)) { cosines.push_back(gradient(scene, p).dot(to_eigen(mesh.normals[i]))); }
  }
  const auto cosine = summary(std::move(cosines));
  INFO("cosine of the normals: mean " << cosine.mean);
  CHECK(cosine.mean > tolerance::normal_cosine);
}

const auto everywhere = [](const Eigen::Vector3d&) { return true; };

TEMPLATE_TEST_CASE("a sphere seen from outside", "[accuracy]", default_volume, paper_volume)
{
  const auto sphere = sphere_distance({0.1, -0.2, 0.3}, 0.4);
  check(fuse<TestType>(sphere, camera_of(320, 240, 60.0), cameras_around({0.1, -0.2, 0.3}, 1.2, 12)), sphere, 20000,
        everywhere);
}

TEST_CASE("a torus seen from outside", "[accuracy]")
{
  const auto torus = torus_distance({0.0, 0.0, 0.0}, 0.35, 0.12);
  check(fuse(torus, camera_of(320, 240, 60.0), cameras_around({0.0, 0.0, 0.0}, 1.2, 16)), torus, 15000, everywhere);
}

TEST_CASE("a box seen from outside", "[accuracy]")
{
  const Eigen::Vector3d centre(0.03, -0.02, 0.05);
  const Eigen::Vector3d half(0.3, 0.2, 0.25);
  const auto box = box_distance(centre, half);
  // From an edge on, the band behind one face reaches out of the other: a camera that sees only the one finds the
  // surface too far out there, until others have seen better. With few cameras, beyond the band; with many, nearer.
  const auto beyond = [&](double voxels) {
    return
      [=](const Eigen::Vector3d& p) { return distance_to_box_edge(p, centre, half) > voxels * double{voxel_size}; };
  };
  check(fuse(box, camera_of(320, 240, 60.0), cameras_around(centre, 1.2, 12)), box, 8000, beyond(4.5));
  check(fuse(box, camera_of(320, 240, 60.0), cameras_around(centre, 1.2, 40)), box, 10000, beyond(2.0));
}

TEST_CASE("a plane on a block's border and half a voxel off it", "[accuracy]")
{
  for (const double z : {0.80, 0.805, 0.795, 0.8033}) {
    INFO("z " << z);
    const auto plane = plane_distance({0.0, 0.0, -1.0}, -z);
    const auto mesh  = fuse(plane, camera_of(320, 240, 60.0), {Eigen::Isometry3f::Identity()});
    check(mesh, plane, 5000, everywhere);
    REQUIRE(surface_errors(mesh, plane).max < 1e-3 * double{voxel_size});  // what it sees head-on it knows exactly
    REQUIRE(topology_of(mesh).duplicates == 0);
  }
}

TEST_CASE("a plane seen askew", "[accuracy]")
{
  const auto plane = plane_distance({0.4, 0.2, -1.0}, -0.8);
  check(
    fuse(plane, camera_of(320, 240, 60.0), {Eigen::Isometry3f::Identity(), look_at({0.3, 0.1, 0.0}, {0.0, 0.0, 0.8})}),
    plane, 5000, everywhere);
}

TEST_CASE("a room seen from inside", "[accuracy]")
{
  const Eigen::Vector3d half(1.0, 0.8, 1.2);
  const auto inside = box_distance(Eigen::Vector3d::Zero(), half);
  const auto room   = [&](const Eigen::Vector3d& p) { return -inside(p); };
  std::vector<Eigen::Isometry3f> poses;
  for (int i = 0; i < 8; ++i) {
    const double angle = i * std::numbers::pi / 4.0;
    poses.push_back(look_at({0.1 * std::sin(angle), 0.0, 0.1 * std::cos(angle)},
                            {std::sin(angle), 0.2 * std::cos(2.0 * angle), std::cos(angle)}));
  }
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  check(fuse(room, camera_of(320, 240, 70.0), poses), room, 20000,
        [&](const Eigen::Vector3d& p) { return distance_to_box_edge(p, centre, half) > 2.0 * double{voxel_size}; });
}

}  // namespace cutsdf_test::accuracy
