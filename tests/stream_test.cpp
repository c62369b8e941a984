// On the device: everything runs on the volume's stream, and what is called async neither waits nor allocates.
#include "support/catch.hpp"

#include "support/busy_stream.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/volumes.hpp"

#include <memory>

namespace cutsdf_test::streams {

static_assert(CUTSDF_HAS_CUDA);

const pinhole camera = camera_of(160, 120, 60.0);

/// A volume and its inputs.
template <class Volume>
struct setup {
  space::device::owned_stream stream;
  Volume v{{.block_capacity = 1 << 13, .table_capacity = 1 << 14}, stream.get()};
  std::vector<float> depths =
    render_depth(sphere_distance({0.0, 0.0, 1.0}, 0.4), camera, Eigen::Isometry3f::Identity());
  buffer<float, space::device> image{std::span<const float>(depths), stream.get()};
  buffer<std::uint16_t, space::device> raw{std::span<const std::uint16_t>(quantised(depths, 1000.0f)), stream.get()};
  buffer<rgb8, space::device> colors{std::span<const rgb8>(std::vector<rgb8>(depths.size(), {9, 8, 7})), stream.get()};
  buffer<vec3f, space::device> points{std::span<const vec3f>(sphere_points(0.5, 100, 200)), stream.get()};
  buffer<frame_result, space::device> results{3, stream.get()};

  /// Every call that promises not to wait.
  void fuse_async()
  {
    const auto pose = Eigen::Isometry3f::Identity();
    v.integrate_async({.positions = points.span()}, Eigen::Vector3f::Zero(), results.data());
    v.integrate_async(depth_view<float>{.data = image.data(), .width = 160, .height = 120},
                      color_view{colors.data(), 160, 120}, camera, pose, {}, results.data() + 1);
    v.integrate_async(depth_view<std::uint16_t>{.data = raw.data(), .width = 160, .height = 120}, {}, camera, pose, {},
                      results.data() + 2);
  }
};

TEMPLATE_TEST_CASE("a frame can be captured into a graph and replayed", "[stream]", default_volume)
{
  // Capture in global mode fails on a host synchronisation, on an allocation outside the stream's order, and on work
  // for the legacy default stream.
  setup<TestType> s;
  s.fuse_async();  // kernels are loaded now
  s.stream.wait();
  s.v.clear();
  s.stream.wait();

  cudaGraph_t graph{};
  REQUIRE(cudaStreamBeginCapture(s.stream.get().get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  bool threw = false;
  try {
    s.fuse_async();
  } catch (const error& e) {
    UNSCOPED_INFO(e.what());
    threw = true;
  }
  const auto ended = cudaStreamEndCapture(s.stream.get().get(), &graph);
  static_cast<void>(cudaGetLastError());
  REQUIRE_FALSE(threw);
  REQUIRE(ended == cudaSuccess);

  std::size_t nodes = 0;
  REQUIRE(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  REQUIRE(nodes == 6);  // two kernels a call: the last thread block of the second closes the frame
  std::vector<cudaGraphNode_t> all(nodes);
  REQUIRE(cudaGraphGetNodes(graph, all.data(), &nodes) == cudaSuccess);
  for (const auto& node : all) {
    cudaGraphNodeType type{};
    REQUIRE(cudaGraphNodeGetType(node, &type) == cudaSuccess);
    REQUIRE(type != cudaGraphNodeTypeMemAlloc);
    REQUIRE(type != cudaGraphNodeTypeMemFree);
    REQUIRE(type != cudaGraphNodeTypeHost);
  }
  REQUIRE(s.v.report().blocks == 0);  // nothing ran yet

  cudaGraphExec_t executable{};
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (int replay = 0; replay < 2; ++replay) {
    REQUIRE(cudaGraphLaunch(executable, s.stream.get().get()) == cudaSuccess);
  }
  s.stream.wait();
  REQUIRE(s.v.report().frames == 6);
  const auto blocks   = blocks_of(s.v);
  const auto voxels   = observed_voxels(s.v);
  const auto replayed = s.results.to_host();
  static_cast<void>(cudaGraphExecDestroy(executable));
  static_cast<void>(cudaGraphDestroy(graph));

  setup<TestType> plain;
  plain.fuse_async();
  plain.fuse_async();
  plain.stream.wait();
  REQUIRE(blocks == blocks_of(plain.v));
  const auto expected = observed_voxels(plain.v);
  REQUIRE(voxels.size() == expected.size());
  for (const auto& [voxel, value] : expected) {
    REQUIRE(voxels.at(voxel).weight == value.weight);
  }
  const auto results = plain.results.to_host();
  for (std::size_t i = 0; i < results.size(); ++i) {
    REQUIRE(replayed[i].valid == results[i].valid);
    REQUIRE(replayed[i].blocks == results[i].blocks);
  }
}

TEST_CASE("the default stream held busy is noticed by whoever uses it", "[stream]")
{
  // The test of the test: a copy on the default stream returns only when the holder has given up.
  int* memory = nullptr;
  REQUIRE(cudaMalloc(&memory, sizeof(int)) == cudaSuccess);
  {
    const busy_stream busy;
    const int value = 1;
    REQUIRE(cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice) == cudaSuccess);
    static_cast<void>(cudaStreamSynchronize(nullptr));
    REQUIRE_FALSE(busy.still_busy());
  }
  static_cast<void>(cudaFree(memory));
}

TEST_CASE("no call waits for the default stream", "[stream]")
{
  setup<default_volume> s;
  const auto pose    = Eigen::Isometry3f::Identity();
  const auto use_all = [&] {
    s.fuse_async();
    static_cast<void>(s.v.integrate({.positions = s.points.span()}, Eigen::Vector3f::Zero()));
    static_cast<void>(s.v.integrate(depth_view<float>{.data = s.image.data(), .width = 160, .height = 120},
                                    color_view{s.colors.data(), 160, 120}, camera, pose));
    const auto image = s.v.raycast(camera, pose);
    const auto mesh  = s.v.extract_mesh();
    const auto cloud = s.v.extract_points();
    const auto host  = mesh.to_host();
    static_cast<void>(s.v.report());
    s.v.reserve(1 << 13);
    s.stream.wait();
    return host.triangles.size();
  };
  const auto expected = use_all();  // kernels are loaded and the pool has grown
  static_cast<void>(use_all());
  bool busy_throughout  = false;
  std::size_t triangles = 0;
  {
    const busy_stream busy;
    triangles       = use_all();
    busy_throughout = busy.still_busy();
  }
  REQUIRE(busy_throughout);
  REQUIRE(expected > 1000);
  REQUIRE(triangles > 1000);
}

TEST_CASE("a volume may move to another stream", "[stream]")
{
  setup<default_volume> s;
  static_cast<void>(s.v.integrate({.positions = s.points.span()}, Eigen::Vector3f::Zero()));
  s.stream.wait();
  {
    const space::device::owned_stream other;
    s.v.set_stream(other.get());
    REQUIRE(s.v.integrate({.positions = s.points.span()}, Eigen::Vector3f::Zero()).blocks == 1104);
    REQUIRE(s.v.report().frames == 2);
    other.wait();
    s.v.set_stream(s.stream.get());
  }
  REQUIRE(s.v.report().blocks == 1104);
}

TEST_CASE("a result may go to pinned memory", "[stream]")
{
  setup<default_volume> s;
  buffer<frame_result, space::device> result(1, s.stream.get(), space::device::shared_resource());
  s.v.integrate_async({.positions = s.points.span()}, Eigen::Vector3f::Zero(), result.data());
  s.stream.wait();
  REQUIRE(result.data()->blocks == 1104);
  REQUIRE(result.data()->valid == 20000);
}

TEST_CASE("errors of the machine are thrown as such and leave the device usable", "[stream]")
{
  space::device::owned_stream stream;
  REQUIRE_THROWS_AS((volume<space::device>({.block_capacity = std::int64_t{1} << 31}, stream.get())), out_of_memory);
  volume<space::device> v({.block_capacity = 64}, stream.get());
  REQUIRE(v.report().blocks == 0);
  REQUIRE_THROWS_AS(cutsdf::detail::check_cuda(cudaErrorInvalidValue, "a call"), cuda_error);
  REQUIRE_THROWS_WITH(cutsdf::detail::check_cuda(cudaErrorInvalidValue, "a call"), contains("a call"));
}

}  // namespace cutsdf_test::streams
