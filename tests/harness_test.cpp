// The study's harness: arms that are what they say pass its checks, arms that are not are refused, each for its reason.
#include "support/catch.hpp"

#include "../benchmarks/irregularity/axes.hpp"
#include "../benchmarks/irregularity/depth_of_tiles.hpp"
#include "../benchmarks/irregularity/losses.hpp"
#include "../benchmarks/irregularity/measure.hpp"

#include "support/scenes.hpp"
#include "support/skip.hpp"
#include "support/space.hpp"

#include <set>

namespace cutsdf_test::harness {

using arm               = study::arm<test_space>;
using contender         = study::contender<test_space>;
using stream            = test_space::stream_type;
using reference         = language::cuda_cpp;
using five_sums         = voxel::five_sums;
using plain_arm         = study::volume_contender<test_space, five_sums, reference>;
constexpr int n_volumes = 2;

/// Keeps distance and weight, and forgets the colour.
struct colorless : five_sums {
  CUTSDF_HD static void add(const arrays& a, std::int64_t i, const observation& o)
  {
    five_sums::add(a, i, {o.distance, o.weight, false, o.color});
  }
};

/// Never lets one block into the table.
struct forgetful {
  static constexpr vec3i forgotten{0, 0, 3};
  CUTSDF_HD static constexpr std::uint32_t bound(std::uint32_t capacity) { return capacity; }
  template <class Load, class Claim>
  CUTSDF_HD static std::uint32_t walk(std::uint32_t first, std::uint32_t mask, block_key key, const Load& load,
                                      const Claim& claim)
  {
    if (key == key_of(forgotten)) { return no_slot; }
    return probe::unbounded::walk(first, mask, key, load, claim);
  }
};

struct cloud {
  std::vector<vec3f> points{sphere_points(0.25, 60, 120)};
  std::vector<rgb8> paint{points.size(), rgb8{90, 120, 150}};
  buffer<vec3f, test_space> positions{std::span<const vec3f>(points), test_stream()};
  buffer<rgb8, test_space> colors{std::span<const rgb8>(paint), test_stream()};
  study::scene scene{{}, {{positions.span(), colors.span()}, Eigen::Vector3f::Zero()}};
};

const volume_settings roomy{.block_capacity = 1024};
const study::effort little{.passes = 1, .windows = 1, .volumes = n_volumes};

/// What the harness says of an arm beside language::cuda_cpp.
std::string verdict_on(const arm& other, const volume_settings& settings = roomy, study::effort much = little)
{
  const cloud c;
  const auto all =
    study::measure<test_space>({study::make_arm<test_space, reference>("cuda_cpp"), other}, settings, c.scene, much);
  REQUIRE(all.arms.size() == 2);
  REQUIRE(all.arms[1].allocate.count() == 1);
  return study::verdict(all.arms[1].checks, other.bound != 0);
}

/// The reference's arm, made differently.
arm made_by(std::function<std::unique_ptr<contender>(const volume_settings&, stream)> make)
{
  auto a = study::make_arm<test_space, reference>("broken");
  a.make = std::move(make);
  return a;
}

/// The reference, which says that it ran elsewhere.
struct displaced final : plain_arm {
  displaced(const volume_settings& settings, stream s, study::placement said) : plain_arm(settings, s), said_(said) {}
  [[nodiscard]] study::placement where() const override
  {
    auto truth = plain_arm::where();
    if (!said_.device.empty()) { truth.device = said_.device; }
    if (!said_.units.empty()) { truth.units = said_.units; }
    truth.stream += said_.stream;
    return truth;
  }
  study::placement said_;
};

arm displaced_arm(const study::placement& said)
{
  return made_by([said](const volume_settings& settings, stream s) -> std::unique_ptr<contender> {
    return std::make_unique<displaced>(settings, s, said);
  });
}

TEST_CASE("arms that are what they say are comparable", "[harness]")
{
  REQUIRE(verdict_on(study::make_arm<test_space, language::rust_plain>("rust_plain")) == "yes");
  REQUIRE(verdict_on(study::make_arm<test_space, language::triton<8>>("triton_8")) == "yes");
  study::effort several   = little;
  several.several_streams = true;
  REQUIRE(verdict_on(study::make_arm<test_space, language::triton<8>>("triton_8"), roomy, several) == "yes");
}

TEST_CASE("an arm with a bound that loses is lossy, and says how much", "[harness]")
{
  using short_bound = language::bundle<probe::bounded<2>, load::plain>;
  volume_settings dense{.block_capacity = 512, .table_capacity = 512};
  const auto found = verdict_on(study::make_arm<test_space, short_bound>("bounded_2"), dense);
  REQUIRE_THAT(found, contains("lossy: lost "));
  REQUIRE_THAT(found, contains(" samples"));
}

TEST_CASE("an arm that skips the colours' sums is refused", "[harness]")
{
  REQUIRE(verdict_on(study::make_arm<test_space, reference, colorless>("colorless")) == "no: another sum of reds");
}

TEST_CASE("an arm that drops a block is refused", "[harness]")
{
  SECTION("and counts it")
  {
    using policies = language::bundle<forgetful, load::plain>;
    REQUIRE_THAT(verdict_on(study::make_arm<test_space, policies>("forgetful")), contains("no: lost "));
  }
  SECTION("and says nothing")
  {
    struct silent final : plain_arm {
      using plain_arm::plain_arm;
      [[nodiscard]] study::contents read() override
      {
        auto all = plain_arm::read();
        all.weights.erase(all.weights.begin());
        return all;
      }
    };
    REQUIRE(verdict_on(made_by([](const volume_settings& settings, stream s) -> std::unique_ptr<contender> {
              return std::make_unique<silent>(settings, s);
            })) == "no: another set of blocks");
  }
  SECTION("because it sees fewer points")
  {
    struct short_sighted final : plain_arm {
      using plain_arm::plain_arm;
      static study::view less(study::view v)
      {
        v.points.positions = v.points.positions.first(v.points.positions.size() / 2);
        v.points.colors    = v.points.colors.first(v.points.positions.size());
        return v;
      }
      void allocate(const study::view& v) override { plain_arm::allocate(less(v)); }
      void update(const study::view& v) override { plain_arm::update(less(v)); }
    };
    REQUIRE(verdict_on(made_by([](const volume_settings& settings, stream s) -> std::unique_ptr<contender> {
              return std::make_unique<short_sighted>(settings, s);
            })) == "no: another set of blocks");
  }
}

TEST_CASE("an arm that says it ran elsewhere is refused", "[harness]")
{
  REQUIRE(verdict_on(displaced_arm({})) == "yes");
  REQUIRE(verdict_on(displaced_arm({.device = "GPU-of-another"})) == "no: ran on another device GPU-of-another");
  REQUIRE(verdict_on(displaced_arm({.device = {}, .units = {2046, 2047}})) == "no: ran on other units 2046-2047");
  REQUIRE(verdict_on(displaced_arm({.device = {}, .units = {}, .stream = 1000})) == "no: another stream discipline");
}

TEST_CASE("an arm whose twin counted elsewhere is refused", "[harness]")
{
  auto a  = study::make_arm<test_space, reference>("twin elsewhere");
  a.count = [honest = a.count](const volume_settings& settings, stream s, const study::scene& seen) {
    auto done = honest(settings, s, seen);
    done.units.push_back(2047);
    return done;
  };
  REQUIRE_THAT(verdict_on(a), contains("no: counted on other units"));
}

TEST_CASE("an arm that does other work than it claims is refused", "[harness]")
{
  auto idle    = study::make_arm<test_space, language::bundle<probe::bounded<8>, load::plain>>("bounded_8");
  idle.lookups = study::claim::walks_to_the_bound;
  REQUIRE(verdict_on(idle) == "no: not every lane took every step of the update");

  auto busy    = study::make_arm<test_space, language::triton<8>>("triton_8");
  busy.lookups = study::claim::walks_as_reference;
  REQUIRE(verdict_on(busy) == "no: another number of probes");

  auto masked = study::make_arm<test_space, language::bundle<probe::lockstep<8>, load::plain>>("lockstep_8");
  REQUIRE(verdict_on(masked) == "yes");
  masked.scratch = true;
  REQUIRE(verdict_on(masked) == "no: not every lane took every step of the allocation");
}

TEST_CASE("nothing is comparable with a reference that loses", "[harness]")
{
  const volume_settings tight{.block_capacity = 16};
  REQUIRE_THAT(verdict_on(study::make_arm<test_space, language::rust_plain>("rust_plain"), tight),
               contains("no: the reference lost "));
}

TEST_CASE("nothing is comparable on a device that others use", "[harness]")
{
  const auto a = study::make_arm<test_space, reference>("cuda_cpp");
  const study::outcome found{};
  study::request asked{};
  const auto alone = [&] { return study::check_all(a, found, found, asked)[3]; };
  REQUIRE(study::verdict(study::check_all(a, found, found, asked), false) == "yes");
  REQUIRE(std::string(alone().name) == "alone");
  REQUIRE(alone().finding == "not known");
  asked.other_programs = 0;
  REQUIRE(alone().finding.empty());
  asked.other_programs = 2;
  REQUIRE(study::verdict(study::check_all(a, found, found, asked), false) == "no: 2 other programs on the device");
}

TEST_CASE("work done before the clock starts is there, and is nobody's loss", "[harness]")
{
  const cloud c;
  auto later = c.scene;
  later.before.push_back(later.now);
  const auto a   = study::make_arm<test_space, reference>("cuda_cpp");
  const auto all = study::measure<test_space>({a}, roomy, later, little);
  REQUIRE(study::verdict(all.arms[0].checks, false) == "yes");
  REQUIRE(all.arms[0].found.work.allocate[study::work::exchanges] == 0);  // every block was there
  const auto cold = study::measure<test_space>({a}, roomy, c.scene, little);
  REQUIRE(cold.arms[0].found.work.allocate[study::work::exchanges] >= cold.arms[0].found.built.weights.size());
  REQUIRE(cold.arms[0].found.built.total == all.arms[0].found.built.total);
}

TEST_CASE("more arms than there is memory for are refused before anything is timed", "[harness]")
{
  const cloud c;
  auto vast = study::make_arm<test_space, reference>("vast");
  vast.make = [](const volume_settings& settings, stream s) -> std::unique_ptr<contender> {
    struct claims_all final : plain_arm {
      using plain_arm::plain_arm;
      [[nodiscard]] volume_report report() const override
      {
        auto r  = plain_arm::report();
        r.bytes = std::size_t{1} << 60;
        return r;
      }
    };
    return std::make_unique<claims_all>(settings, s);
  };
  REQUIRE_THROWS_AS(study::measure<test_space>({vast}, roomy, c.scene, little), out_of_memory);
}

TEST_CASE("samples: quantiles over all passes, spread between their medians", "[harness]")
{
  study::samples s(2);
  for (const double ms : {1.0, 2.0, 3.0}) {
    s.add(0, ms);
  }
  for (const double ms : {4.0, 3.0, 5.0}) {
    s.add(1, ms);
  }
  REQUIRE(s.count() == 6);
  REQUIRE(s.quantile(0.0) == 1.0);
  REQUIRE(s.quantile(0.5) == 3.0);
  REQUIRE(s.quantile(1.0) == 5.0);
  REQUIRE(s.spread() == 2.0);
}

TEST_CASE("sets of units are written as ranges", "[harness]")
{
  REQUIRE(study::ranges({}).empty());
  REQUIRE(study::ranges({5}) == "5");
  REQUIRE(study::ranges({0, 1, 2, 3, 16, 20, 21}) == "0-3;16;20-21");
}

TEST_CASE("losses are told apart: blocks that are gone, blocks that lack samples", "[harness]")
{
  study::contents truth;
  truth.weights = {{1, 10.0}, {2, 10.0}, {3, 10.0}};
  study::contents found;
  found.weights  = {{1, 10.0}, {2, 9.0}};
  const auto all = study::losses_of(found, truth);
  REQUIRE(all.lost == std::set<block_key>{3});
  REQUIRE(all.touched == std::set<block_key>{2});
}

TEST_CASE("a tile walks as far as its deepest lane", "[harness]")
{
  const cloud c;
  const auto alone = study::count_walk_steps<test_space>(roomy, c.scene.now, 1, test_stream());
  REQUIRE(alone.lanes > 0);
  REQUIRE(alone.tiles == alone.lanes);
  REQUIRE(alone.deepest >= 1);
  REQUIRE(static_cast<std::size_t>(alone.deepest) <= c.points.size());
  std::uint64_t before = alone.tiles;
  for (const int tile : {32, 256}) {
    // The table is built anew, so that a few lanes' depths change with the order of insertion.
    const auto together = study::count_walk_steps<test_space>(roomy, c.scene.now, tile, test_stream());
    REQUIRE(static_cast<double>(together.lanes) == Approx(static_cast<double>(alone.lanes)).epsilon(0.2));
    REQUIRE(together.tiles > before);
    before = together.tiles;
  }
}

TEST_CASE("every axis has its configurations", "[harness]")
{
  const study::scenery scenes("", 132, [](const auto& points) { return static_cast<std::int64_t>(points.size()); });
  REQUIRE(scenes.cells().size() == 13);
  const std::map<std::string, std::size_t> expected{{"cell", 13},   {"frames", 0},  {"load_factor", 9},
                                                    {"bound", 3},   {"scratch", 6}, {"factorial", 6},
                                                    {"sms", 6 * 9}, {"tile", 3},    {"discipline", 2 * 3}};
  REQUIRE(study::all_axes().size() == expected.size());
  for (const auto& a : study::all_axes()) {
    const auto all = scenes.along(a.name, study::discipline::one_stream);
    REQUIRE(all.size() == expected.at(a.name));
    for (const auto& c : all) {
      REQUIRE(c.axis == a.name);
      REQUIRE(!c.scene->now.points.empty());
      REQUIRE(std::set<std::string>(c.arms.begin(), c.arms.end()).size() == c.arms.size());
    }
  }
  REQUIRE(scenes.along("cell", study::discipline::stream_per_volume).front().streams ==
          study::discipline::stream_per_volume);
}

#if CUTSDF_HAS_CUDA

/// Multiprocessors of half of the device, a multiple of 8; nothing where it cannot be split.
std::optional<int> half_a_device()
{
  const int half = cutsdf::detail::multiprocessors() / 2 / 8 * 8;
  try {
    const study::partition part(half);
    return half;
  } catch (const error& e) {
    skip_test(e.what());
    return std::nullopt;
  }
}

TEST_CASE("a part of the device is what was asked for, and kernels stay in it", "[harness]")
{
  const auto half = half_a_device();
  if (!half) { return; }
  study::effort confined = little;
  confined.units         = *half;
  const cloud c;
  const auto a   = study::make_arm<test_space, reference>("cuda_cpp");
  const auto all = study::measure<test_space>({a, study::make_arm<test_space, language::triton<8>>("triton_8")}, roomy,
                                              c.scene, confined);
  REQUIRE(all.units == *half);
  for (const auto& m : all.arms) {
    REQUIRE(study::verdict(m.checks, false) == "yes");
    REQUIRE(m.found.timed.size() == n_volumes);
    for (const auto& p : m.found.timed) {
      REQUIRE(p.units.size() == static_cast<std::size_t>(*half));
    }
  }
  REQUIRE_THROWS_AS(study::partition(1 << 20), error);
}

TEST_CASE("an arm that runs on other multiprocessors is refused", "[harness]")
{
  const auto half = half_a_device();
  if (!half) { return; }
  // Streams of the arm's own: the volume's member is destroyed before the stream it uses.
  struct confined_stream {
    explicit confined_stream(int units) : part(units), handle(part.make_stream()) {}
    confined_stream(const confined_stream&)            = delete;
    confined_stream& operator=(const confined_stream&) = delete;
    ~confined_stream() { static_cast<void>(cudaStreamDestroy(handle)); }
    study::partition part;
    cudaStream_t handle;
  };
  struct confined final : private confined_stream, public plain_arm {
    confined(const volume_settings& settings, int units) : confined_stream(units), plain_arm(settings, handle) {}
  };
  const auto found = verdict_on(made_by([&](const volume_settings& settings, stream) -> std::unique_ptr<contender> {
    return std::make_unique<confined>(settings, *half);
  }));
  REQUIRE_THAT(found, contains("no: ran on other units"));
}

TEST_CASE("an arm on a stream of its own is refused", "[harness]")
{
  struct apart final : private space::device::owned_stream, public plain_arm {
    explicit apart(const volume_settings& settings) : plain_arm(settings, owned_stream::get()) {}
  };
  const auto alone = made_by([](const volume_settings& settings, stream) -> std::unique_ptr<contender> {
    return std::make_unique<apart>(settings);
  });
  REQUIRE(verdict_on(alone) == "no: another stream discipline");
  study::effort several   = little;
  several.several_streams = true;
  REQUIRE(verdict_on(alone, roomy, several) == "no: another stream discipline");
}

TEST_CASE("an arm on another device is refused", "[harness]")
{
  int devices = 0;
  REQUIRE(cudaGetDeviceCount(&devices) == cudaSuccess);
  if (devices < 2) {
    skip_test("needs two GPUs");
    return;
  }
  // Everything of this arm lives on device 1; it reads its own copy of the points.
  struct on_device_1 final : contender {
    struct guard {
      guard() { REQUIRE(cudaSetDevice(1) == cudaSuccess); }
      ~guard() { static_cast<void>(cudaSetDevice(0)); }
    };
    explicit on_device_1(const volume_settings& settings)
    {
      const guard g;
      own = std::make_unique<space::device::owned_stream>();
      on  = std::make_unique<cloud_there>(own->get());
      arm = std::make_unique<plain_arm>(settings, own->get());
    }
    ~on_device_1() override
    {
      const guard g;
      arm.reset();
      on.reset();
      own.reset();
    }
    void clear() override
    {
      const guard g;
      arm->clear();
    }
    void allocate(const study::view& v) override
    {
      const guard g;
      arm->allocate({{on->positions.span(), on->colors.span()}, v.camera});
      own->wait();
    }
    void update(const study::view& v) override
    {
      const guard g;
      arm->update({{on->positions.span(), on->colors.span()}, v.camera});
      own->wait();
    }
    [[nodiscard]] volume_report report() const override
    {
      const guard g;
      return arm->report();
    }
    [[nodiscard]] study::contents read() override
    {
      const guard g;
      return arm->read();
    }
    [[nodiscard]] study::placement where() const override
    {
      const guard g;
      return arm->where();
    }
    struct cloud_there {
      explicit cloud_there(stream s)
        : points(sphere_points(0.25, 60, 120)), paint(points.size(), rgb8{90, 120, 150}),
          positions(std::span<const vec3f>(points), s), colors(std::span<const rgb8>(paint), s)
      {
      }
      std::vector<vec3f> points;
      std::vector<rgb8> paint;
      buffer<vec3f, test_space> positions;
      buffer<rgb8, test_space> colors;
    };
    std::unique_ptr<space::device::owned_stream> own;
    std::unique_ptr<cloud_there> on;
    std::unique_ptr<plain_arm> arm;
  };
  REQUIRE_THAT(verdict_on(made_by([](const volume_settings& settings, stream) -> std::unique_ptr<contender> {
                 return std::make_unique<on_device_1>(settings);
               })),
               contains("no: ran on another device GPU-"));
}

#endif

}  // namespace cutsdf_test::harness
