// Memory comes through the caller's resource, on the volume's stream, and the steady state takes none.
#include "support/catch.hpp"

#include "support/counting_resource.hpp"
#include "support/inspect.hpp"
#include "support/scenes.hpp"
#include "support/volumes.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

// On the host also every call of operator new is counted, whoever makes it. The sanitizers bring their own.
#if !CUTSDF_HAS_CUDA && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define CUTSDF_TEST_SANITIZED 1
#endif
#endif
#if !defined(CUTSDF_TEST_SANITIZED)
#define CUTSDF_TEST_COUNTS_NEW 1
#endif
#endif

#if defined(CUTSDF_TEST_COUNTS_NEW)
namespace {
std::atomic<std::int64_t> news{0};
}

void* operator new(std::size_t bytes)
{
  news.fetch_add(1, std::memory_order_relaxed);
  void* p = std::malloc(bytes);  // NOLINT
  if (p == nullptr) { throw std::bad_alloc(); }
  return p;
}
void operator delete(void* p) noexcept { std::free(p); }               // NOLINT
void operator delete(void* p, std::size_t) noexcept { std::free(p); }  // NOLINT
#endif

namespace cutsdf_test::allocations {

std::int64_t calls_of_new()
{
#if defined(CUTSDF_TEST_COUNTS_NEW)
  return news.load(std::memory_order_relaxed);
#else
  return 0;
#endif
}

TEST_CASE("the steady state of fusion takes no memory", "[allocation]")
{
  counting_resource<test_space> memory;
  default_volume v({.block_capacity = 1 << 13}, test_stream(), memory);
  const auto camera = camera_of(160, 120, 60.0);
  const auto pose   = Eigen::Isometry3f::Identity();
  const auto depths = render_depth(sphere_distance({0.0, 0.0, 1.0}, 0.4), camera, pose);
  const auto image  = upload(depths);
  const auto raw    = upload(quantised(depths, 1000.0f));
  const auto colors = upload(std::vector<rgb8>(depths.size(), rgb8{1, 2, 3}));
  const auto points = upload(sphere_points(0.5, 50, 100));
  const depth_view<float> view{.data = image.data(), .width = 160, .height = 120};
  const depth_view<std::uint16_t> raw_view{.data = raw.data(), .width = 160, .height = 120};
  const color_view color{colors.data(), 160, 120};

  const auto fuse = [&] {
    static_cast<void>(v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero()));
    static_cast<void>(v.integrate(view, color, camera, pose));
    static_cast<void>(v.integrate(raw_view, camera, pose));
    v.integrate_async({.positions = points.span()}, Eigen::Vector3f::Zero());
    v.integrate_async(view, color, camera, pose);
    v.clear();
    test_stream().wait();
  };
  fuse();  // the first call may start the pool's threads or load kernels
  const auto allocations = memory.allocations;
  const auto held        = memory.held;
  const auto before      = calls_of_new();
  for (int frame = 0; frame < 5; ++frame) {
    fuse();
  }
  const auto after = calls_of_new();
  REQUIRE(after == before);
  REQUIRE(memory.allocations == allocations);
  REQUIRE(memory.deallocations == 0);
  REQUIRE(memory.held == held);
}

TEST_CASE("every allocation is asked for on the volume's stream", "[allocation]")
{
  counting_resource<test_space> memory;
#if CUTSDF_HAS_CUDA
  const space::device::owned_stream stream;
  const auto own = stream.get();
#else
  thread_pool pool(2);
  const space::host::stream_type own(pool);
#endif
  {
    default_volume v({.block_capacity = 1 << 11}, own, memory);
    const auto points = upload(sphere_points(0.5, 50, 100));
    static_cast<void>(v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero()));
    const auto mesh  = v.extract_mesh();
    const auto cloud = v.extract_points();
    const auto image = v.raycast(camera_of(32, 24, 60.0), Eigen::Isometry3f::Identity());
    v.reserve(1 << 12);
    own.wait();
    REQUIRE(memory.blocks > 10);
  }
  REQUIRE(memory.streams == std::set<const void*>{identity(own)});
  REQUIRE(memory.blocks == 0);
  REQUIRE(memory.held == 0);
  REQUIRE(memory.allocations == memory.deallocations);
}

TEST_CASE("extraction and ray casting give back all but their results", "[allocation]")
{
  counting_resource<test_space> memory;
  default_volume v({.block_capacity = 1 << 11}, test_stream(), memory);
  const auto points = upload(sphere_points(0.5, 100, 200));
  static_cast<void>(v.integrate({.positions = points.span()}, Eigen::Vector3f::Zero()));
  const auto held = memory.held;
  {
    const auto mesh = v.extract_mesh();
    REQUIRE(memory.held ==
            held + mesh.positions.bytes() + mesh.normals.bytes() + mesh.colors.bytes() + mesh.triangles.bytes());
  }
  {
    const auto cloud = v.extract_points();
    REQUIRE(memory.held == held + cloud.positions.bytes() + cloud.normals.bytes() + cloud.colors.bytes());
  }
  {
    const auto image = v.raycast(camera_of(32, 24, 60.0), Eigen::Isometry3f::Identity());
    REQUIRE(memory.held == held + image.depth.bytes() + image.normals.bytes() + image.colors.bytes());
  }
  REQUIRE(memory.held == held);
}

}  // namespace cutsdf_test::allocations
