// On the device: a camera's frames as one CUDA graph.
#include "support/catch.hpp"

#include "support/busy_stream.hpp"
#include "support/counting_resource.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/volumes.hpp"

#include <memory>

namespace cutsdf_test::depth_graphs {

static_assert(CUTSDF_HAS_CUDA);
static_assert(std::is_nothrow_move_constructible_v<depth_graph<>> && std::is_nothrow_move_assignable_v<depth_graph<>>);
static_assert(!std::is_copy_constructible_v<depth_graph<>> && !std::is_copy_assignable_v<depth_graph<>>);

const pinhole camera = camera_of(160, 120, 60.0);
constexpr volume_settings settings{.block_capacity = 1 << 12, .table_capacity = 1 << 13};

/// What a camera sees that moves around a ball, every image in memory of its own.
template <class T>
struct recording {
  explicit recording(int frames)
  {
    const auto ball = sphere_distance({0.0, 0.0, 1.0}, 0.3);
    poses           = cameras_around({0.0, 0.0, 1.0}, 0.8, frames);
    for (const auto& pose : poses) {
      const auto depths = render_depth(ball, camera, pose);
      if constexpr (std::same_as<T, float>) {
        depth.push_back(upload(depths));
      } else {
        depth.push_back(upload(quantised(depths, 1000.0f)));
      }
      std::vector<rgb8> colors;
      for (int i = 0; i < 80 * 60; ++i) {
        colors.push_back({static_cast<std::uint8_t>(i % 253), static_cast<std::uint8_t>(17 * poses.size()), 77});
      }
      color.push_back(upload(colors));
    }
  }

  [[nodiscard]] int size() const { return static_cast<int>(poses.size()); }
  [[nodiscard]] depth_view<T> depth_of(int i) const { return {depth[static_cast<std::size_t>(i)].data(), 160, 120}; }
  /// Every third frame has none.
  [[nodiscard]] color_view color_of(int i) const
  {
    return i % 3 == 1 ? color_view{} : color_view{color[static_cast<std::size_t>(i)].data(), 80, 60};
  }
  [[nodiscard]] const Eigen::Isometry3f& pose_of(int i) const { return poses[static_cast<std::size_t>(i)]; }

  std::vector<buffer<T, space::device>> depth;
  std::vector<buffer<rgb8, space::device>> color;
  std::vector<Eigen::Isometry3f> poses;
};

/// The memory of all voxels, in the order of their blocks.
template <class Voxel, class Policies>
std::vector<std::byte> words_of(volume<space::device, Voxel, Policies>& v)
{
  const auto by_block = places_by_block(v);
  std::vector<std::uint32_t> rank(static_cast<std::size_t>(places_of(v)), no_storage);
  std::uint32_t next = 0;
  for (const auto& [block, place] : by_block) {
    rank[place] = next++;
  }
  const auto target = upload(rank);
  buffer<std::byte, space::device> sorted(next * voxels_per_block * Voxel::bytes_per_voxel, v.stream());
  sorted.fill_bytes(0);
  space::device::for_each_tile<voxels_per_block>(
    v.stream(), nullptr, target.size(),
    cutsdf::detail::move_blocks<Voxel>{target.data(), v.ref().voxels,
                                       Voxel::bind(sorted.data(), next * voxels_per_block)});
  return sorted.to_host();
}

void require_equal(const std::vector<frame_result>& a, const std::vector<frame_result>& b)
{
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO("frame " << i);
    REQUIRE(a[i].valid == b[i].valid);
    REQUIRE(a[i].blocks == b[i].blocks);
    REQUIRE(a[i].blocks_added == b[i].blocks_added);
    REQUIRE(a[i].blocks_updated == b[i].blocks_updated);
    REQUIRE(a[i].blocks_dropped == b[i].blocks_dropped);
    for (int cause = 0; cause < drop_causes; ++cause) {
      REQUIRE(a[i].drops.count[cause] == b[i].drops.count[cause]);
    }
  }
}

/// Two volumes of the same frames, one fed launch by launch, one by a graph.
template <class Volume, class T>
struct pair {
  explicit pair(const volume_settings& s, int frames)
    : plain(s, test_stream()), graphed(s, test_stream()), graph(graphed, camera, range), images(frames),
      plain_results(frames, test_stream()), graph_results(frames, test_stream())
  {
    plain_results.fill_bytes(0);  // not every test fuses all of them
    graph_results.fill_bytes(0);
  }

  void fuse(int i)
  {
    plain.integrate_async(images.depth_of(i), images.color_of(i), camera, images.pose_of(i), range,
                          plain_results.data() + i);
    graph.integrate_async(images.depth_of(i), images.color_of(i), images.pose_of(i), graph_results.data() + i);
  }

  void require_same()
  {
    require_equal(plain_results.to_host(), graph_results.to_host());
    const auto a = plain.report();
    const auto b = graphed.report();
    REQUIRE(a.blocks == b.blocks);
    REQUIRE(a.blocks > 100);
    REQUIRE(a.frames == b.frames);
    REQUIRE(blocks_of(plain) == blocks_of(graphed));
    const auto words = words_of(plain);
    REQUIRE(words.size() ==
            static_cast<std::size_t>(a.blocks * voxels_per_block * Volume::voxel_type::bytes_per_voxel));
    REQUIRE((words == words_of(graphed)));
  }

  static constexpr depth_range range{.min_depth = 0.2f, .max_depth = 3.0f};
  Volume plain;
  Volume graphed;
  depth_graph<Volume, T> graph;
  recording<T> images;
  buffer<frame_result, space::device> plain_results;
  buffer<frame_result, space::device> graph_results;
};

template <class Volume, class T>
struct kind {
  using volume_type = Volume;
  using pixel_type  = T;
};

TEMPLATE_TEST_CASE("a graph's frames leave the words that integrate_async leaves", "[graph]",
                   (kind<default_volume, std::uint16_t>), (kind<default_volume, float>), (kind<paper_volume, float>),
                   (kind<slot_volume, float>), (kind<bounded_volume, float>))
{
  pair<typename TestType::volume_type, typename TestType::pixel_type> both(settings, 9);
  REQUIRE(both.graphed.report().frames == 0);  // nothing ran yet
  for (int i = 0; i < both.images.size(); ++i) {
    both.fuse(i);
  }
  both.require_same();
  REQUIRE(both.graphed.report().frames == 9);
  // Frames by graph and by single launches follow each other on one stream.
  for (int i = 0; i < both.images.size(); ++i) {
    both.fuse(i);
    for (auto* v : {&both.plain, &both.graphed}) {
      v->integrate_async(both.images.depth_of(i), camera, both.images.pose_of(i));
    }
  }
  both.require_same();
}

TEST_CASE("what happens to the volume between frames does not matter to its graph", "[graph]")
{
  pair<default_volume, std::uint16_t> both(settings, 8);
  const auto to_both = [&](const auto& change) {
    change(both.plain);
    change(both.graphed);
  };
  both.fuse(0);
  both.fuse(1);
  to_both([](auto& v) { v.reserve(1 << 13); });  // another pool, another table, of another size
  both.fuse(2);
  both.require_same();
  const auto points = upload(sphere_points(0.5, 50, 100));
  to_both([&](auto& v) { v.integrate_async({.positions = points.span()}, Eigen::Vector3f::Zero()); });
  both.fuse(3);
  both.require_same();
  to_both([](auto& v) { v.clear(); });
  both.fuse(4);
  both.fuse(5);
  both.require_same();
  {
    const space::device::owned_stream other;
    test_stream().wait();
    to_both([&](auto& v) { v.set_stream(other.get()); });
    both.fuse(6);
    other.wait();
    to_both([](auto& v) { v.set_stream(test_stream()); });
  }
  to_both([](auto& v) { v.reserve(1 << 12); });
  both.fuse(7);
  both.require_same();
  // Another volume in the same place, with less room for images.
  both.plain   = default_volume({.block_capacity = 1 << 12, .image_pixels = 0}, test_stream());
  both.graphed = default_volume({.block_capacity = 1 << 12, .image_pixels = 0}, test_stream());
  both.fuse(2);
  both.require_same();
}

TEST_CASE("a full pool is counted, and filled after reserve()", "[graph]")
{
  default_volume v({.block_capacity = 64, .table_capacity = 1 << 13}, test_stream());
  depth_graph<default_volume> graph(v, camera);
  const recording<std::uint16_t> images(1);
  buffer<frame_result, space::device> result(1, test_stream());
  graph.integrate_async(images.depth_of(0), images.pose_of(0), result.data());
  const auto full = result.to_host().front();
  REQUIRE(full.blocks == 64);
  REQUIRE(full.blocks_dropped > 0);
  REQUIRE(full.drops[drop_cause::pool_full] > 0);
  v.reserve(1 << 12);
  graph.integrate_async(images.depth_of(0), images.pose_of(0), result.data());
  const auto filled = result.to_host().front();
  REQUIRE(filled.drops.lost() == 0);
  REQUIRE(filled.blocks == full.blocks + full.blocks_dropped);
}

TEST_CASE("frames by graph never wait, and take no memory", "[graph]")
{
  counting_resource<space::device> memory;
  default_volume v({.block_capacity = 1 << 12, .image_pixels = 0}, test_stream(), memory);
  const auto held_before = memory.held;
  depth_graph<default_volume> graph(v, camera);
  REQUIRE(memory.held == held_before + sizeof(float) * 160 * 120);  // room for the image
  const recording<std::uint16_t> images(4);
  buffer<frame_result, space::device> results(4, test_stream());
  const auto feed = [&](int rounds) {
    for (int i = 0; i < 4 * rounds; ++i) {
      graph.integrate_async(images.depth_of(i % 4), images.color_of(i % 4), images.pose_of(i % 4),
                            results.data() + i % 4);
    }
  };
  feed(1);
  test_stream().wait();
  const auto allocations   = memory.allocations;
  const auto deallocations = memory.deallocations;

  // While a stream is captured in global mode, calls that might wait or allocate fail, whatever stream they are for.
  const space::device::owned_stream side;
  cudaGraph_t captured{};
  REQUIRE(cudaStreamBeginCapture(side.get().get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  bool threw = false;
  try {
    feed(1);
  } catch (const error& e) {
    UNSCOPED_INFO(e.what());
    threw = true;
  }
  const auto ended = cudaStreamEndCapture(side.get().get(), &captured);
  static_cast<void>(cudaGetLastError());
  static_cast<void>(cudaGraphDestroy(captured));
  REQUIRE_FALSE(threw);
  REQUIRE(ended == cudaSuccess);
  test_stream().wait();

  bool busy_throughout = false;
  {
    const busy_stream busy(test_stream().get());  // every frame is behind it, and the host goes on
    feed(25);
    busy_throughout = busy.still_busy();
  }
  REQUIRE(busy_throughout);
  {
    const busy_stream busy;  // the default stream
    feed(1);
    test_stream().wait();
    busy_throughout = busy.still_busy();
  }
  REQUIRE(busy_throughout);
  REQUIRE(v.report().frames == 4 * 28);
  REQUIRE(memory.allocations == allocations);
  REQUIRE(memory.deallocations == deallocations);
}

TEST_CASE("a graph refuses what integrate_async refuses, and goes on", "[graph]")
{
  default_volume v(settings, test_stream());
  REQUIRE_THROWS_AS((depth_graph<default_volume>(v, pinhole{0.0f, 1.0f, 0.0f, 0.0f, 4, 4})), invalid_argument);
  REQUIRE_THROWS_AS((depth_graph<default_volume>(v, pinhole{1.0f, 1.0f, 0.0f, 0.0f, -4, 4})), invalid_argument);
  REQUIRE_THROWS_AS((depth_graph<default_volume>(v, camera, depth_range{.min_depth = 0.0f})), invalid_argument);
  REQUIRE_THROWS_AS((depth_graph<default_volume>(v, camera, depth_range{2.0f, 1.0f})), invalid_argument);

  depth_graph<default_volume> graph(v, camera);
  const recording<std::uint16_t> images(1);
  const auto good  = images.depth_of(0);
  const auto color = images.color_of(0);
  const auto pose  = images.pose_of(0);
  const auto with  = [](auto view, const auto& change) {
    change(view);
    return view;
  };
  const auto refuse = [&](const depth_view<std::uint16_t>& d, const color_view& c, const Eigen::Isometry3f& p) {
    REQUIRE_THROWS_AS(graph.integrate_async(d, c, p), invalid_argument);
  };
  refuse({}, {}, pose);
  refuse(with(good, [](auto& d) { d.data = nullptr; }), {}, pose);
  refuse(with(good, [](auto& d) { d.width = 159; }), {}, pose);
  refuse(with(good, [](auto& d) { d.row_stride = 100; }), {}, pose);
  refuse(with(good, [](auto& d) { d.units_per_metre = 0.0f; }), {}, pose);
  refuse(good, with(color, [](auto& c) { c.row_stride = 3; }), pose);
  refuse(good, with(color, [](auto& c) { c.camera = camera; }), pose);
  Eigen::Isometry3f nowhere = pose;
  nowhere.translation().x() = std::numeric_limits<float>::quiet_NaN();
  refuse(good, color, nowhere);
  REQUIRE(v.report().frames == 0);

  graph.integrate_async(good, color, pose);
  REQUIRE(v.report().frames == 1);
  REQUIRE(v.report().blocks > 50);

  depth_graph<default_volume> of_nothing(v, pinhole{1.0f, 1.0f, 0.0f, 0.0f, 0, 0});
  of_nothing.integrate_async({}, pose);
  REQUIRE(v.report().frames == 2);
}

TEST_CASE("a graph may be moved, and destroyed while its frame runs", "[graph]")
{
  pair<default_volume, std::uint16_t> both(settings, 3);
  auto first = std::make_unique<depth_graph<default_volume>>(both.graphed, camera, both.range);
  auto moved = std::move(*first);
  first.reset();
  bool busy_throughout = false;
  {
    const busy_stream busy(test_stream().get());
    both.fuse(0);
    both.graph = std::move(moved);
    both.fuse(1);
    busy_throughout = busy.still_busy();
  }
  REQUIRE(busy_throughout);
  both.graph = depth_graph<default_volume>(both.graphed, camera, both.range);
  both.fuse(2);
  both.require_same();
}

TEST_CASE("images and results may lie in pinned memory", "[graph]")
{
  default_volume v(settings, test_stream());
  default_volume expected(settings, test_stream());
  depth_graph<default_volume> graph(v, camera);
  const recording<std::uint16_t> images(1);
  const auto depth = images.depth.front().to_host();
  const auto color = images.color.front().to_host();
  auto& pinned     = space::device::shared_resource();
  buffer<std::uint16_t, space::device> pinned_depth(std::ssize(depth), test_stream(), pinned);
  buffer<rgb8, space::device> pinned_color(std::ssize(color), test_stream(), pinned);
  buffer<frame_result, space::device> result(1, test_stream(), pinned);
  std::copy(depth.begin(), depth.end(), pinned_depth.data());
  std::copy(color.begin(), color.end(), pinned_color.data());
  graph.integrate_async({pinned_depth.data(), 160, 120}, {pinned_color.data(), 80, 60}, images.pose_of(0),
                        result.data());
  test_stream().wait();
  const auto reference = expected.integrate(images.depth_of(0), images.color_of(0), camera, images.pose_of(0));
  REQUIRE(result.data()->valid == reference.valid);
  REQUIRE(result.data()->blocks == reference.blocks);
  REQUIRE((words_of(v) == words_of(expected)));
}

}  // namespace cutsdf_test::depth_graphs
