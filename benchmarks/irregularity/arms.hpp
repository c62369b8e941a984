// The arms of the study: sets of policies under the names that tables give them.
#pragma once

#include "contender.hpp"
#include "counting.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace study {

/// What an arm says about its counted work.
enum class claim {
  walks_as_reference,  // as many probes as the reference, but for the order in which blocks came into the table
  walks_to_the_bound,  // every lane of every tile takes every step at every sample
  nothing
};

/// What an instrumented twin did, and on which units.
struct counted_work {
  tally allocate;
  tally update;
  std::uint64_t lost{0};  // samples of the update
  std::vector<int> units;
};

template <class Space>
struct arm {
  using stream_type = typename Space::stream_type;
  std::string name;
  std::uint32_t bound{0};  // steps a probe takes at most; 0: no bound
  bool scratch{false};     // whether the scratch region matters
  int tile{0};             // lanes of a program that walk together; 0: each by itself
  claim insertions{claim::walks_as_reference};
  claim lookups{claim::walks_as_reference};
  std::function<std::unique_ptr<contender<Space>>(const cutsdf::volume_settings&, stream_type)> make;
  std::function<counted_work(const cutsdf::volume_settings&, stream_type, const scene&)> count;
};

namespace detail {

template <class Probe>
constexpr int tile_of()
{
  if constexpr (cutsdf::tile_probe_policy<Probe>) {
    return Probe::threads * Probe::lanes_per_thread;
  } else {
    return 0;
  }
}

template <class Probe>
constexpr bool in_lockstep = false;
template <std::uint32_t N>
constexpr bool in_lockstep<cutsdf::probe::lockstep<N>> = true;

template <class Probe>
constexpr claim claim_of()
{
  if (in_lockstep<Probe>) { return claim::walks_to_the_bound; }
  return Probe::bound(1u << 30) < 1u << 30 ? claim::nothing : claim::walks_as_reference;
}

}  // namespace detail

/// An arm of five float sums (or another voxel with the same arrays). `count` waits; so does nothing else.
template <class Space, class Policies, class Voxel = cutsdf::voxel::five_sums>
arm<Space> make_arm(std::string name)
{
  using probe                       = typename Policies::probe_type;
  using lookup                      = typename Policies::lookup_type;
  constexpr std::uint32_t unbounded = 1u << 30;
  constexpr std::uint32_t bound     = std::min(probe::bound(unbounded), lookup::bound(unbounded));
  arm<Space> result;
  result.name       = std::move(name);
  result.bound      = bound == unbounded ? 0 : bound;
  result.scratch    = Policies::exchange_type::every_step;
  result.tile       = detail::tile_of<probe>();
  result.insertions = detail::claim_of<probe>();
  result.lookups    = detail::claim_of<lookup>();
  result.make       = [](const cutsdf::volume_settings& settings, typename Space::stream_type stream) {
    return std::unique_ptr<contender<Space>>(new volume_contender<Space, Voxel, Policies>(settings, stream));
  };
  result.count = [](const cutsdf::volume_settings& settings, typename Space::stream_type stream, const scene& seen) {
    cutsdf::volume<Space, counting::counted_voxel<Voxel>, counted<Policies>> twin(settings, stream);
    for (const view& v : seen.before) {
      twin.allocate_async(v.points, v.camera);
    }
    counted_work done;
    stream.wait();
    counting::reset<Space>();
    twin.allocate_async(seen.now.points, seen.now.camera);
    stream.wait();
    done.allocate = counting::read<Space>();
    counting::reset<Space>();
    twin.update_async(seen.now.points, seen.now.camera);
    stream.wait();
    done.update = counting::read<Space>();
    done.lost   = twin.report().drops.lost();
    done.units  = counting::units<Space>();
    return done;
  };
  return result;
}

/// Every arm of the study; the first is the reference. Defined where the kernels are compiled: arm_list.hpp.
template <class Space>
std::vector<arm<Space>> all_arms();

}  // namespace study
