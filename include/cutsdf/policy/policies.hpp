// A set of policies: everything a table and the walks over it can be told to do differently.
#pragma once

#include <cutsdf/grid/hash.hpp>
#include <cutsdf/policy/allocation.hpp>
#include <cutsdf/policy/exchange.hpp>
#include <cutsdf/policy/index.hpp>
#include <cutsdf/policy/load.hpp>
#include <cutsdf/policy/probe.hpp>
#include <cutsdf/policy/visit.hpp>

namespace cutsdf::inline v0 {

/// One choice per axis. Defaults are the fast ones. `Probe` is what insertions walk with, `Lookup` what lookups do.
template <class Hash = hash::mixed, class Probe = probe::bucketed<>, class Load = load::entry,
          class Index = index::warp_counter, class Visit = visit::blocks, class Exchange = exchange::masked<>,
          class Lookup = Probe, class Allocation = allocation::band>
struct policies {
  static_assert(hash_policy<Hash>, "cutsdf::policies: Hash needs static std::uint32_t hash(vec3i), see hash_policy");
  static_assert(probe_policy<Probe>, "cutsdf::policies: Probe needs static walk() and bound(), see probe_policy");
  static_assert(load_policy<Load>, "cutsdf::policies: Load needs static load(const std::uint64_t*), see load_policy");
  static_assert(index_policy<Index>, "cutsdf::policies: Index needs static bool from_slot, see index_policy");
  static_assert(visit_policy<Visit>, "cutsdf::policies: Visit needs static bool every_sample, see visit_policy");

  static_assert(exchange_policy<Exchange>,
                "cutsdf::policies: Exchange needs static every_step and compare_exchange(), see exchange_policy");
  static_assert(probe_policy<Lookup>, "cutsdf::policies: Lookup needs static walk() and bound(), see probe_policy");

  static_assert(allocation_policy<Allocation>,
                "cutsdf::policies: Allocation needs static bool sees_through, see allocation_policy");

  using hash_type       = Hash;
  using probe_type      = Probe;
  using load_type       = Load;
  using index_type      = Index;
  using visit_type      = Visit;
  using exchange_type   = Exchange;
  using lookup_type     = Lookup;
  using allocation_type = Allocation;
};

/// What other languages' compilers make of the same algorithm; for comparison, not for speed. All use Teschner's hash,
/// a counter for the index, and a lookup a sample.
namespace language {
template <class Probe, class Load, class Exchange = exchange::masked<>, class Lookup = Probe>
using bundle = policies<hash::teschner, Probe, Load, index::counter, visit::samples, Exchange, Lookup>;

/// Unbounded probe, ordinary first loads.
using cuda_cpp = bundle<probe::unbounded, load::plain>;
/// Rust with relaxed atomic first loads, the form its types ask for.
using rust_atomic = bundle<probe::unbounded, load::atomic>;
/// Rust with volatile first loads, its older form.
using rust_volatile = bundle<probe::unbounded, load::volatile_access>;
/// Rust with ordinary first loads: the same choices as cuda_cpp.
using rust_plain = cuda_cpp;
/// Triton: N steps for every lane, each with a compare-exchange; lookups run N steps too.
template <std::uint32_t N>
using triton = bundle<probe::lockstep<N>, load::plain, exchange::unmasked<>>;
/// Allocation as in CUDA C++, lookups as in Triton.
template <std::uint32_t N>
using triton_shared = bundle<probe::unbounded, load::plain, exchange::masked<>, probe::lockstep<N>>;
}  // namespace language

}  // namespace cutsdf::inline v0
