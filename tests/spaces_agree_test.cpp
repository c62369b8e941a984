// Host and device fuse the same volume.
#include "support/catch.hpp"

#include "support/inspect.hpp"
#include "support/mesh_checks.hpp"
#include "support/scenes.hpp"
#include "support/tolerances.hpp"
#include "support/volumes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <random>

namespace cutsdf_test::spaces_agree {

static_assert(CUTSDF_HAS_CUDA);

const Eigen::Vector3f origin = Eigen::Vector3f::Zero();
const pinhole camera         = camera_of(320, 240, 60.0);

/// A scene with curves, edges, holes and a back wall.
double scene(const Eigen::Vector3d& p)
{
  static const auto torus = torus_distance({0.1, 0.0, 0.9}, 0.25, 0.07);
  static const auto box   = box_distance({-0.3, 0.1, 1.1}, {0.12, 0.2, 0.1});
  static const auto wall  = plane_distance({0.1, 0.05, -1.0}, -1.4);
  return std::min({torus(p), box(p), wall(p)});
}

std::vector<Eigen::Isometry3f> poses()
{
  return {Eigen::Isometry3f::Identity(), look_at({0.3, -0.2, 0.1}, {0.0, 0.0, 1.0}),
          look_at({-0.4, 0.3, 0.0}, {0.1, 0.0, 1.1}), look_at({0.0, -0.6, 0.4}, {0.0, 0.1, 1.0})};
}

template <class Space, class Volume>
void fuse_images(Volume& v, bool colored, bool raw)
{
  std::vector<rgb8> colors;
  for (int i = 0; i < 160 * 120; ++i) {
    colors.push_back({static_cast<std::uint8_t>(i % 253), static_cast<std::uint8_t>(i / 160), 77});
  }
  const auto color = upload<Space>(colors);
  for (const auto& pose : poses()) {
    const auto depths = render_depth(scene, camera, pose);
    const color_view color_image{colored ? color.data() : nullptr, 160, 120};
    frame_result frame;
    if (raw) {
      const auto image = upload<Space>(quantised(depths, 1000.0f));
      frame = v.integrate(depth_view<std::uint16_t>{.data = image.data(), .width = 320, .height = 240}, color_image,
                          camera, pose);
    } else {
      const auto image = upload<Space>(depths);
      frame =
        v.integrate(depth_view<float>{.data = image.data(), .width = 320, .height = 240}, color_image, camera, pose);
    }
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(frame.valid > 50000);
  }
}

void require_surfaces_agree(const host_mesh& a, const host_mesh& b)
{
  REQUIRE(a.positions.size() > 1000);
  REQUIRE(a.positions.size() == b.positions.size());
  REQUIRE(a.triangles.size() == b.triangles.size());
  for (const auto& distances :
       {nearest_distances(a.positions, b.positions, 0.01), nearest_distances(b.positions, a.positions, 0.01)}) {
    REQUIRE(*std::max_element(distances.begin(), distances.end()) <= tolerance::spaces_surface);
  }
}

bool same_bits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0; }

/// The vertices of a mesh with what they carry, and its triangles by the positions of their corners, as sorted bits.
std::pair<std::vector<std::array<std::uint32_t, 9>>, std::vector<std::array<std::uint32_t, 9>>> bits_of(
  const host_mesh& mesh)
{
  const auto put = [](std::array<std::uint32_t, 9>& to, std::size_t at, const vec3f& v) {
    std::memcpy(to.data() + at, &v, sizeof v);
  };
  std::vector<std::array<std::uint32_t, 9>> vertices(mesh.positions.size());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    put(vertices[i], 0, mesh.positions[i]);
    put(vertices[i], 3, mesh.normals[i]);
    vertices[i][6] = mesh.colors[i].r;
    vertices[i][7] = mesh.colors[i].g;
    vertices[i][8] = mesh.colors[i].b;
  }
  std::vector<std::array<std::uint32_t, 9>> triangles(mesh.triangles.size());
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    put(triangles[i], 0, mesh.positions[mesh.triangles[i].x]);
    put(triangles[i], 3, mesh.positions[mesh.triangles[i].y]);
    put(triangles[i], 6, mesh.positions[mesh.triangles[i].z]);
  }
  std::sort(vertices.begin(), vertices.end());
  std::sort(triangles.begin(), triangles.end());
  return {std::move(vertices), std::move(triangles)};
}

TEST_CASE("both spaces fuse depth images to the same bits", "[spaces]")
{
  for (const bool raw : {false, true}) {
    const volume_settings settings{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 15};
    volume<space::device> on_device(settings, test_stream());
    volume<space::host> on_host(settings);
    fuse_images<space::device>(on_device, true, raw);
    fuse_images<space::host>(on_host, true, raw);
    REQUIRE(blocks_of(on_device) == blocks_of(on_host));
    const auto a = observed_voxels(on_device);
    const auto b = observed_voxels(on_host);
    REQUIRE(a.size() == b.size());
    std::vector<vec3i> where;
    auto other = b.begin();
    for (const auto& [voxel, value] : a) {
      REQUIRE(voxel == other->first);
      REQUIRE(same_bits(value.weight, other->second.weight));
      REQUIRE(same_bits(value.distance, other->second.distance));
      where.push_back(voxel);
      ++other;
    }
    const auto a_colors = read_colors(on_device, where);
    const auto b_colors = read_colors(on_host, where);
    for (std::size_t i = 0; i < where.size(); ++i) {
      REQUIRE(a_colors[i].rgb == b_colors[i].rgb);
      REQUIRE(a_colors[i].weight == b_colors[i].weight);
    }
    require_surfaces_agree(on_device.extract_mesh().to_host(), on_host.extract_mesh().to_host());
    for (const float min_weight : {0.0f, 1.0f}) {
      const auto device_mesh = bits_of(on_device.extract_mesh({.min_weight = min_weight}).to_host());
      const auto host_mesh   = bits_of(on_host.extract_mesh({.min_weight = min_weight}).to_host());
      REQUIRE(device_mesh.first.size() > 1000);
      REQUIRE((device_mesh.first == host_mesh.first));
      REQUIRE((device_mesh.second == host_mesh.second));
      const auto device_points = bits_of(on_device.extract_points({.min_weight = min_weight}).to_host());
      const auto host_points   = bits_of(on_host.extract_points({.min_weight = min_weight}).to_host());
      REQUIRE((device_points.first == host_points.first));
    }
  }
}

TEST_CASE("both spaces count the same in a frame", "[spaces]")
{
  const volume_settings settings{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 15};
  volume<space::device> on_device(settings, test_stream());
  volume<space::host> on_host(settings);
  for (const auto& pose : poses()) {
    const auto depths       = render_depth(scene, camera, pose);
    const auto device_image = upload<space::device>(depths);
    const auto host_image   = upload<space::host>(depths);
    const auto a =
      on_device.integrate(depth_view<float>{.data = device_image.data(), .width = 320, .height = 240}, camera, pose);
    const auto b =
      on_host.integrate(depth_view<float>{.data = host_image.data(), .width = 320, .height = 240}, camera, pose);
    REQUIRE(a.valid == b.valid);
    REQUIRE(a.blocks == b.blocks);
    REQUIRE(a.blocks_added == b.blocks_added);
    REQUIRE(a.blocks_updated == b.blocks_updated);
    for (int cause = 0; cause < drop_causes; ++cause) {
      REQUIRE(a.drops.count[cause] == b.drops.count[cause]);
    }
  }
}

/// Everything that voxels hold, as sorted bits.
template <class Volume>
std::vector<std::array<std::uint32_t, 9>> contents_of(Volume& v)
{
  const auto observed = observed_voxels(v);
  std::vector<vec3i> where;
  for (const auto& [voxel, value] : observed) {
    where.push_back(voxel);
  }
  const auto colors = read_colors(v, where);
  std::vector<std::array<std::uint32_t, 9>> bits(where.size());
  for (std::size_t i = 0; i < where.size(); ++i) {
    const voxel_value& value = observed.at(where[i]);
    std::memcpy(bits[i].data(), &where[i], sizeof where[i]);
    std::memcpy(bits[i].data() + 3, &value, sizeof value);
    std::memcpy(bits[i].data() + 5, &colors[i], sizeof colors[i]);
  }
  return bits;
}

template <class Space>
auto contents_of_fused(const std::vector<vec3f>& positions, const std::vector<rgb8>& colors,
                       const std::vector<float>& weights)
{
  const volume_settings settings{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 16384};
  volume<Space> v(settings, stream_of<Space>());
  const auto p = upload<Space>(positions);
  const auto c = upload<Space>(colors);
  const auto w = upload<Space>(weights);
  for (int pass = 0; pass < 2; ++pass) {
    const auto frame = v.integrate({p.span(), c.span(), w.span()}, {0.02f, 0.0f, -0.01f});
    REQUIRE(frame.drops.lost() == 0);
    REQUIRE(frame.valid == positions.size());
  }
  return contents_of(v);
}

TEST_CASE("points in any order, on any run and in any space give the same bits", "[spaces]")
{
  // From a few points, which threads share, to so many that blocks are inserted beforehand.
  for (const int rows : {40, 130, 290}) {
    for (const bool weighted : {false, true}) {
      auto positions = sphere_points(0.25, rows, 2 * rows);
      std::vector<rgb8> colors;
      std::vector<float> weights;
      for (std::size_t i = 0; i < positions.size(); ++i) {
        colors.push_back({static_cast<std::uint8_t>(i % 251), static_cast<std::uint8_t>(i % 83), 200});
        if (weighted) { weights.push_back(static_cast<float>(i % 97 + 1) / 32.0f); }
      }
      const auto expected = contents_of_fused<space::host>(positions, colors, weights);
      REQUIRE(expected.size() > 5000);
      for (int run = 0; run < 20; ++run) {
        REQUIRE((contents_of_fused<space::device>(positions, colors, weights) == expected));
      }
      std::vector<std::size_t> order(positions.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), std::mt19937(7));
      const auto shuffled = [&order](auto values) {
        if (values.empty()) { return values; }
        auto result = values;
        std::transform(order.begin(), order.end(), result.begin(), [&](std::size_t i) { return values[i]; });
        return result;
      };
      REQUIRE((contents_of_fused<space::device>(shuffled(positions), shuffled(colors), shuffled(weights)) == expected));
      REQUIRE((contents_of_fused<space::host>(shuffled(positions), shuffled(colors), shuffled(weights)) == expected));
    }
  }
}

TEST_CASE("both spaces fuse points of the paper's volume to the same surface", "[spaces]")
{
  const volume_settings settings{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 16384};
  const auto positions = sphere_points(0.5, 400, 800);
  volume<space::device, voxel::five_sums, paper_policies> on_device(settings, test_stream());
  volume<space::host, voxel::five_sums, paper_policies> on_host(settings);
  const auto device_points = upload<space::device>(positions);
  const auto host_points   = upload<space::host>(positions);
  static_cast<void>(on_device.integrate({.positions = device_points.span()}, origin));
  static_cast<void>(on_host.integrate({.positions = host_points.span()}, origin));
  REQUIRE(blocks_of(on_device) == blocks_of(on_host));
  require_surfaces_agree(on_device.extract_mesh().to_host(), on_host.extract_mesh().to_host());
}

TEST_CASE("both spaces see and extract the same", "[spaces]")
{
  const volume_settings settings{.voxel_size = 0.01f, .truncation = 0.04f, .block_capacity = 1 << 15};
  volume<space::device> on_device(settings, test_stream());
  volume<space::host> on_host(settings);
  fuse_images<space::device>(on_device, true, false);
  fuse_images<space::host>(on_host, true, false);

  const auto a_points = on_device.extract_points().positions.to_host();
  const auto b_points = on_host.extract_points().positions.to_host();
  REQUIRE(a_points.size() == b_points.size());
  const auto distances = nearest_distances(a_points, b_points, 0.01);
  REQUIRE(*std::max_element(distances.begin(), distances.end()) <= tolerance::spaces_surface);

  const auto view    = look_at({0.1, 0.1, 0.1}, {0.0, 0.0, 1.0});
  const auto a_image = on_device.raycast(camera_of(160, 120, 60.0), view);
  const auto b_image = on_host.raycast(camera_of(160, 120, 60.0), view);
  const auto a_depth = a_image.depth.to_host();
  const auto b_depth = b_image.depth.to_host();
  std::size_t apart  = 0;
  for (std::size_t i = 0; i < a_depth.size(); ++i) {
    if (!(std::abs(a_depth[i] - b_depth[i]) <= 1e-4f)) { ++apart; }
  }
  INFO(apart << " of " << a_depth.size() << " pixels differ");
  REQUIRE(apart < a_depth.size() / 200);  // rays that graze an edge may go either way
}

}  // namespace cutsdf_test::spaces_agree
