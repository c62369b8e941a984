// Meshes.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/mesh_checks.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

namespace cutsdf_test::meshes {

const Eigen::Vector3f origin = Eigen::Vector3f::Zero();

template <class Volume>
Volume sphere_volume(double radius = 0.5, int rows = 400, int columns = 800)
{
  Volume v({.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 4096, .table_capacity = 8192}, test_stream());
  const auto points = upload(sphere_points(radius, rows, columns));
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  return v;
}

/// Distance from the sphere of radius 0.5 seen from its centre: free space is inside.
double from_inside(const Eigen::Vector3d& p) { return 0.5 - p.norm(); }

double area_of(const host_mesh& mesh)
{
  double area = 0.0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Eigen::Vector3d p = to_eigen(mesh.positions[a]);
    area += 0.5 * (to_eigen(mesh.positions[b]) - p).cross(to_eigen(mesh.positions[c]) - p).norm();
  }
  return area;
}

void require_well_formed(const host_mesh& mesh)
{
  REQUIRE(mesh.normals.size() == mesh.positions.size());
  REQUIRE(mesh.colors.size() == mesh.positions.size());
  const auto topology = topology_of(mesh);
  REQUIRE(topology.out_of_bounds == 0);
  REQUIRE(topology.degenerate == 0);
  REQUIRE(topology.unreferenced == 0);
  REQUIRE(topology.duplicates == 0);
  REQUIRE(topology.misoriented == 0);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    REQUIRE(is_finite(mesh.positions[i]));
    REQUIRE(std::abs(double{norm(mesh.normals[i])} - 1.0) < tolerance::unit_length);
  }
}

TEMPLATE_TEST_CASE("the paper's sphere is meshed to a fraction of a thousandth of a voxel", "[mesh][accuracy]",
                   default_volume, paper_volume, slot_volume)
{
  auto v          = sphere_volume<TestType>();
  const auto mesh = v.extract_mesh().to_host();
  const auto e    = surface_errors(mesh, from_inside);
  INFO("mean " << e.mean << ", max " << e.max << ", vertices " << mesh.positions.size());
  REQUIRE(mesh.triangles.size() > 30000);
  REQUIRE(e.mean <= tolerance::sphere_mean_error);
  REQUIRE(e.max <= tolerance::sphere_max_error);
  REQUIRE(area_of(mesh) == Approx(std::numbers::pi).epsilon(0.002));
}

TEMPLATE_TEST_CASE("a sphere's mesh is closed and oriented to free space", "[mesh]", default_volume, paper_volume,
                   slot_volume)
{
  auto v          = sphere_volume<TestType>();
  const auto mesh = v.extract_mesh().to_host();
  require_well_formed(mesh);
  const auto topology = topology_of(mesh);
  REQUIRE(topology.watertight());
  REQUIRE(topology.euler() == 2);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Eigen::Vector3d inwards = -to_eigen(mesh.positions[i]).normalized();
    REQUIRE(inwards.dot(to_eigen(mesh.normals[i])) > tolerance::normal_cosine);
  }
  // Counter-clockwise seen from free space, the inside: face normals agree with the vertices'.
  for (const auto& [a, b, c] : mesh.triangles) {
    const Eigen::Vector3d p    = to_eigen(mesh.positions[a]);
    const Eigen::Vector3d face = (to_eigen(mesh.positions[b]) - p).cross(to_eigen(mesh.positions[c]) - p);
    REQUIRE(face.dot(p) <= 0.0);
  }
}

TEST_CASE("a sphere away from the blocks' symmetry is closed too", "[mesh]")
{
  default_volume v({.block_capacity = 4096}, test_stream());
  auto positions = sphere_points(0.3371, 500, 1000);
  const vec3f centre{-0.4133f, 0.2377f, 1.1191f};
  for (auto& p : positions) {
    p = p + centre;
  }
  const auto points = upload(positions);
  static_cast<void>(v.integrate({.positions = points.span()}, {centre.x, centre.y, centre.z}));
  const auto mesh = v.extract_mesh().to_host();
  require_well_formed(mesh);
  REQUIRE(topology_of(mesh).watertight());
  REQUIRE(topology_of(mesh).euler() == 2);
}

TEST_CASE("an empty volume has an empty mesh", "[mesh]")
{
  default_volume v({.block_capacity = 64}, test_stream());
  const auto nothing = v.extract_mesh();
  REQUIRE(nothing.positions.empty());
  REQUIRE(nothing.triangles.empty());
  REQUIRE(nothing.to_host().positions.empty());

  slot_volume slots({.table_capacity = 64}, test_stream());
  REQUIRE(slots.extract_mesh().triangles.empty());

  // Blocks, but none observed.
  const auto points = upload(std::vector<vec3f>{{0.0f, 0.0f, 1.0f}});
  v.allocate_async({.positions = points.span()}, origin);
  REQUIRE(v.report().blocks > 0);
  REQUIRE(v.extract_mesh().triangles.empty());
  v.clear();
  REQUIRE(v.extract_mesh().triangles.empty());
}

/// Whether every cell that a triangle can come from has eight observed corners: a triangle's middle lies in its cell.
template <class Volume>
void require_observed_cells(Volume& v, const host_mesh& mesh)
{
  const auto observed = observed_voxels(v);
  for (const auto& [a, b, c] : mesh.triangles) {
    const Eigen::Vector3d middle =
      (to_eigen(mesh.positions[a]) + to_eigen(mesh.positions[b]) + to_eigen(mesh.positions[c])) / 3.0 /
        double{v.settings().voxel_size} -
      Eigen::Vector3d::Constant(0.5);
    const vec3i base{static_cast<int>(std::floor(middle.x())), static_cast<int>(std::floor(middle.y())),
                     static_cast<int>(std::floor(middle.z()))};
    for (int corner = 0; corner < 8; ++corner) {
      REQUIRE(observed.contains(base + vec3i{corner & 1, corner >> 1 & 1, corner >> 2}));
    }
  }
}

TEST_CASE("where a neighbour was never observed there is no triangle", "[mesh]")
{
  // Half a sphere, seen from its centre: the mesh ends in a rim.
  default_volume v({.block_capacity = 4096}, test_stream());
  auto positions = sphere_points(0.3, 200, 400);
  std::erase_if(positions, [](const vec3f& p) { return p.x < 0.0512f; });
  const auto points = upload(positions);
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto mesh = v.extract_mesh().to_host();
  require_well_formed(mesh);
  const auto topology = topology_of(mesh);
  REQUIRE(topology.triangles > 5000);
  REQUIRE(topology.boundary > 100);
  REQUIRE(topology.crowded == 0);
  REQUIRE(topology.euler() == 1);  // a disc
  require_observed_cells(v, mesh);
  for (const auto& p : mesh.positions) {
    REQUIRE(p.x > 0.03f);
    REQUIRE(std::abs(0.3 - to_eigen(p).norm()) < 0.01);
  }
}

TEST_CASE("sparse points make no triangle of guesses", "[mesh]")
{
  default_volume v({.block_capacity = 8192}, test_stream());
  const auto points = upload(sphere_points(0.5, 100, 200));  // more than a voxel apart
  static_cast<void>(v.integrate({.positions = points.span()}, origin));
  const auto mesh = v.extract_mesh().to_host();
  require_well_formed(mesh);
  require_observed_cells(v, mesh);
}

TEST_CASE("min_weight leaves out what was seen too rarely", "[mesh]")
{
  default_volume v({.block_capacity = 4096}, test_stream());
  const auto points  = upload(sphere_points(0.3, 300, 600));
  const auto weights = upload(std::vector<float>(std::size_t{300} * 600, 1.0f));
  static_cast<void>(v.integrate({.positions = points.span(), .weights = weights.span()}, origin));
  float heaviest = 0.0f;
  for (const auto& [voxel, value] : observed_voxels(v)) {
    heaviest = std::max(heaviest, value.weight);
  }
  const auto all  = v.extract_mesh({.min_weight = 0.0f});
  const auto some = v.extract_mesh({.min_weight = 5.0f});
  const auto none = v.extract_mesh({.min_weight = heaviest});
  REQUIRE(all.triangles.size() == v.extract_mesh().triangles.size());
  REQUIRE(some.triangles.size() < all.triangles.size());
  REQUIRE(some.triangles.size() > 0);
  REQUIRE(none.triangles.size() == 0);
  require_well_formed(some.to_host());
}

TEST_CASE("vertices have the colour of the surface", "[mesh]")
{
  default_volume v({.block_capacity = 4096}, test_stream());
  const auto positions = sphere_points(0.5, 400, 800);
  const auto color_at  = [](const Eigen::Vector3d& p) {
    return Eigen::Vector3d(128.0 + 200.0 * p.x(), 128.0 - 200.0 * p.y(), 128.0 + 100.0 * p.z());
  };
  std::vector<rgb8> colors;
  for (const auto& p : positions) {
    const Eigen::Vector3d c = color_at(to_eigen(p));
    colors.push_back({static_cast<std::uint8_t>(std::lround(c.x())), static_cast<std::uint8_t>(std::lround(c.y())),
                      static_cast<std::uint8_t>(std::lround(c.z()))});
  }
  const auto points   = upload(positions);
  const auto uploaded = upload(colors);
  static_cast<void>(v.integrate({.positions = points.span(), .colors = uploaded.span()}, origin));
  const auto mesh = v.extract_mesh().to_host();
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const Eigen::Vector3d expected = color_at(to_eigen(mesh.positions[i]));
    const Eigen::Vector3d found(mesh.colors[i].r, mesh.colors[i].g, mesh.colors[i].b);
    INFO("vertex " << i << ", expected " << expected.transpose() << ", found " << found.transpose());
    REQUIRE((expected - found).cwiseAbs().maxCoeff() <= tolerance::color_levels);
  }
}

TEST_CASE("without colours a mesh is black", "[mesh]")
{
  auto v          = sphere_volume<default_volume>(0.3, 200, 400);
  const auto mesh = v.extract_mesh().to_host();
  REQUIRE_FALSE(mesh.colors.empty());
  REQUIRE(std::all_of(mesh.colors.begin(), mesh.colors.end(), [](const rgb8& c) { return c == rgb8{0, 0, 0}; }));
}

TEST_CASE("surfaces through voxel centres have no double vertices", "[mesh]")
{
  // A plane exactly through the centres of a layer of voxels: every distance of the layer is zero.
  const auto camera = camera_of(160, 120, 60.0);
  const auto image  = upload(std::vector<float>(std::size_t{160} * 120, 1.005f));
  default_volume v({.block_capacity = 8192}, test_stream());
  static_cast<void>(v.integrate(depth_view<float>{.data = image.data(), .width = 160, .height = 120}, camera,
                                Eigen::Isometry3f::Identity()));
  const auto mesh = v.extract_mesh().to_host();
  require_well_formed(mesh);
  const auto topology = topology_of(mesh);
  REQUIRE(topology.triangles > 10000);
  REQUIRE(topology.crowded == 0);
  for (const auto& p : mesh.positions) {
    REQUIRE(double{p.z} == Approx(1.005).margin(2e-6));
  }
}

TEST_CASE("two surfaces closer than a block stay apart", "[mesh]")
{
  // Two small balls in neighbouring blocks, seen from outside by many cameras.
  const auto first  = sphere_distance({-0.06, 0.0, 0.0}, 0.04);
  const auto second = sphere_distance({0.06, 0.0, 0.0}, 0.04);
  const auto scene  = [&](const Eigen::Vector3d& p) { return std::min(first(p), second(p)); };
  const auto camera = camera_of(320, 240, 40.0);
  default_volume v({.voxel_size = 0.005f, .truncation = 0.02f, .block_capacity = 4096}, test_stream());
  for (const auto& pose : cameras_around(Eigen::Vector3d::Zero(), 0.6, 20)) {
    const auto image = upload(render_depth(scene, camera, pose));
    static_cast<void>(v.integrate(depth_view<float>{.data = image.data(), .width = 320, .height = 240}, camera, pose));
  }
  const auto mesh     = v.extract_mesh().to_host();
  const auto topology = topology_of(mesh);
  REQUIRE(topology.crowded == 0);
  const auto left = std::count_if(mesh.positions.begin(), mesh.positions.end(), [](const vec3f& p) { return p.x < 0; });
  REQUIRE(left > 400);
  REQUIRE(std::ssize(mesh.positions) - left > 400);
  for (const auto& [a, b, c] : mesh.triangles) {
    const bool side = mesh.positions[a].x < 0.0f;
    REQUIRE((mesh.positions[b].x < 0.0f) == side);
    REQUIRE((mesh.positions[c].x < 0.0f) == side);
  }
}

TEST_CASE("an extraction changes nothing and repeats itself", "[mesh]")
{
  auto v           = sphere_volume<default_volume>(0.3, 200, 400);
  const auto first = v.extract_mesh().to_host();
  const auto again = v.extract_mesh().to_host();
  REQUIRE(first.positions == again.positions);
  REQUIRE(first.normals == again.normals);
  REQUIRE(first.triangles == again.triangles);
}

TEST_CASE("a full pool's mesh has what was stored", "[mesh]")
{
  default_volume v({.block_capacity = 300}, test_stream());
  const auto points = upload(sphere_points(0.5, 400, 800));
  REQUIRE(v.integrate({.positions = points.span()}, origin).blocks == 300);
  const auto mesh = v.extract_mesh().to_host();
  require_well_formed(mesh);
  require_observed_cells(v, mesh);
  REQUIRE(mesh.triangles.size() > 3000);
  REQUIRE(surface_errors(mesh, from_inside).max <= tolerance::sphere_max_error);
}

/// A voxel policy of the user's own: it lets nobody read its sums, has the weight before the distance and no colour.
struct plain_voxel {
  struct arrays {
    float* weight_and_sum;
  };
  static constexpr std::int64_t bytes_per_voxel = 2 * sizeof(float);
  static arrays bind(void* memory, std::int64_t) { return {static_cast<float*>(memory)}; }

  CUTSDF_HD static bool wants_color(float, float) { return false; }
  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const observation& o)
  {
    atomic::add(a.weight_and_sum + 2 * i, o.weight);
    atomic::add(a.weight_and_sum + 2 * i + 1, ieee::mul(o.distance, o.weight));
  }
  CUTSDF_HD static void fold(const arrays& a, std::int64_t i, const observation& o)
  {
    a.weight_and_sum[2 * i]     = ieee::add(a.weight_and_sum[2 * i], o.weight);
    a.weight_and_sum[2 * i + 1] = ieee::add(a.weight_and_sum[2 * i + 1], ieee::mul(o.distance, o.weight));
  }
  CUTSDF_HD static voxel_value read(const arrays& a, std::int64_t i)
  {
    const float weight = a.weight_and_sum[2 * i];
    return {weight > 0.0f ? ieee::div(a.weight_and_sum[2 * i + 1], weight) : 0.0f, weight};
  }
  CUTSDF_HD static voxel_color read_color(const arrays&, std::int64_t) { return {{0.0f, 0.0f, 0.0f}, 0.0f}; }
  CUTSDF_HD static void copy(const arrays& from, std::int64_t i, const arrays& to, std::int64_t j)
  {
    to.weight_and_sum[2 * j]     = from.weight_and_sum[2 * i];
    to.weight_and_sum[2 * j + 1] = from.weight_and_sum[2 * i + 1];
  }
};
using plain_volume = volume<test_space, plain_voxel>;

/// Numbers of a mesh, found cell by cell from the voxels.
struct cell_counts {
  std::size_t triangles{0};
  std::size_t vertices{0};
};

cell_counts count_cells(const voxel_map& voxels, float min_weight)
{
  using detail::marching_cubes;
  cell_counts n;
  std::set<std::pair<std::tuple<int, int, int>, int>> edges;
  for (const auto& [base, value] : voxels) {
    int which     = 0;
    bool complete = true;
    for (int corner = 0; corner < 8 && complete; ++corner) {
      const auto found = voxels.find(base + vec3i{corner & 1, corner >> 1 & 1, corner >> 2});
      complete         = found != voxels.end() && found->second.weight > min_weight;
      if (complete && found->second.distance < 0.0f) { which |= 1 << corner; }
    }
    if (!complete) { continue; }
    n.triangles += marching_cubes.triangles[which];
    for (int edge = 0; edge < 12; ++edge) {
      if ((marching_cubes.edges[which] >> edge & 1) == 0) { continue; }
      const int start = detail::marching_cubes_table::start_of(edge);
      const vec3i v   = base + vec3i{start & 1, start >> 1 & 1, start >> 2};
      edges.insert({{v.x, v.y, v.z}, edge >> 2});
    }
  }
  n.vertices = edges.size();
  return n;
}

TEMPLATE_TEST_CASE("the mesh has the triangles and vertices of its cells, whatever the layout", "[mesh]",
                   default_volume, paper_volume, slot_volume, plain_volume)
{
  // Points so sparse that cells lack corners everywhere, also across the borders of blocks, and blocks are missing.
  TestType v({.block_capacity = 4096, .table_capacity = 8192}, test_stream());
  auto positions = sphere_points(0.4, 120, 240);
  std::erase_if(positions, [](const vec3f& p) { return p.x + p.y > 0.31f || (p.z > 0.1f && p.z < 0.13f); });
  for (auto& p : positions) {
    p = p + vec3f{0.013f, -0.021f, 0.004f};
  }
  const auto points = upload(positions);
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(v.integrate({.positions = points.span()}, Eigen::Vector3f(0.013f, -0.021f, 0.004f)));
  }
  const auto voxels = observed_voxels(v);
  for (const float min_weight : {0.0f, 2.0f, 4.0f, 1.0e9f}) {
    INFO("min_weight " << min_weight);
    const auto expected = count_cells(voxels, min_weight);
    const auto mesh     = v.extract_mesh({.min_weight = min_weight}).to_host();
    REQUIRE(mesh.triangles.size() == expected.triangles);
    REQUIRE(mesh.positions.size() == expected.vertices);
    require_well_formed(mesh);
  }
  REQUIRE(count_cells(voxels, 0.0f).triangles > 3000);
}

TEST_CASE("sizes that 32 bits cannot hold stay at the largest", "[mesh]")
{
  using detail::surface_size;
  constexpr detail::add_sizes add{};
  static_assert(add(surface_size::of(3, 5).both, surface_size::of(4, 6).both) == surface_size::of(7, 11).both);
  static_assert(add(surface_size::of(0xfffffff0u, 1).both, surface_size::of(0x10u, 1).both) ==
                surface_size::of(0xffffffffu, 2).both);
  static_assert(add(surface_size::of(1, 0xffffffffu).both, surface_size::of(1, 0xffffffffu).both) ==
                surface_size::of(2, 0xffffffffu).both);
  REQUIRE(surface_size::of(7, 11).triangles() == 11);
}

}  // namespace cutsdf_test::meshes
