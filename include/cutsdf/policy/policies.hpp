// A set of policies: everything a table and the walks over it can be told to do differently.
#pragma once

#include <cutsdf/grid/hash.hpp>
#include <cutsdf/policy/index.hpp>
#include <cutsdf/policy/load.hpp>
#include <cutsdf/policy/probe.hpp>
#include <cutsdf/policy/visit.hpp>

namespace cutsdf::inline v0 {

/// One choice per axis. Defaults are the fast ones.
template <class Hash = hash::mixed, class Probe = probe::unbounded, class Load = load::plain,
          class Index = index::counter, class Visit = visit::blocks>
struct policies {
  static_assert(hash_policy<Hash>, "cutsdf::policies: Hash needs static std::uint32_t hash(vec3i), see hash_policy");
  static_assert(probe_policy<Probe>, "cutsdf::policies: Probe needs static walk() and bound(), see probe_policy");
  static_assert(load_policy<Load>, "cutsdf::policies: Load needs static load(const std::uint64_t*), see load_policy");
  static_assert(index_policy<Index>, "cutsdf::policies: Index needs static bool from_slot, see index_policy");
  static_assert(visit_policy<Visit>, "cutsdf::policies: Visit needs static bool every_sample, see visit_policy");

  using hash_type  = Hash;
  using probe_type = Probe;
  using load_type  = Load;
  using index_type = Index;
  using visit_type = Visit;
};

/// What other languages' compilers make of the same algorithm; for comparison, not for speed.
namespace language {
/// Unbounded probe, ordinary loads, a counter for the index, Teschner's hash, a lookup a sample.
using cuda_cpp = policies<hash::teschner, probe::unbounded, load::plain, index::counter, visit::samples>;
/// The same with relaxed atomic first loads.
using rust_atomic = policies<hash::teschner, probe::unbounded, load::atomic, index::counter, visit::samples>;
}  // namespace language

}  // namespace cutsdf::inline v0
