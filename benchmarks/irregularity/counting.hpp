// Instrumented twins: the same policies, which also count what they do and note where. Timed runs never use them.
#pragma once

#include "placement.hpp"

#include <cutsdf/cutsdf.hpp>

#include <array>
#include <atomic>

namespace study {

enum class work : int { probes, exchanges, atomics };

/// By kind of work.
struct tally {
  std::array<std::uint64_t, 3> count{};
  [[nodiscard]] std::uint64_t operator[](work what) const { return count[static_cast<std::size_t>(what)]; }
};

namespace counting {

inline std::atomic<std::uint64_t> on_host[3];
inline unit_bits host_units;
#if CUTSDF_HAS_CUDA
static __device__ unsigned long long on_device[3];
static __device__ unit_bits device_units;
#endif

CUTSDF_HD inline void count(work what, std::uint64_t n = 1)
{
#if CUTSDF_DEVICE_PASS
  atomicAdd(on_device + static_cast<int>(what), static_cast<unsigned long long>(n));
  device_units.note();
#else
  on_host[static_cast<int>(what)].fetch_add(n, std::memory_order_relaxed);
  host_units.note();
#endif
}

/// Sets all counts to zero. The space must be idle.
template <class Space>
void reset()
{
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) {
    const unsigned long long zero[3]{};
    const unit_bits none{};
    cutsdf::detail::check_cuda(cudaMemcpyToSymbol(on_device, zero, sizeof zero), "cudaMemcpyToSymbol");
    cutsdf::detail::check_cuda(cudaMemcpyToSymbol(device_units, &none, sizeof none), "cudaMemcpyToSymbol");
  }
#endif
  for (auto& n : on_host) {
    n = 0;
  }
  host_units = {};
}

/// The counts since reset(). The space must be idle.
template <class Space>
tally read()
{
  tally counts{{on_host[0], on_host[1], on_host[2]}};
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) {
    unsigned long long seen[3];
    cutsdf::detail::check_cuda(cudaMemcpyFromSymbol(seen, on_device, sizeof seen), "cudaMemcpyFromSymbol");
    counts.count = {seen[0], seen[1], seen[2]};
  }
#endif
  return counts;
}

/// The units that counted anything since reset(). The space must be idle.
template <class Space>
std::vector<int> units()
{
  unit_bits seen = host_units;
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) {
    cutsdf::detail::check_cuda(cudaMemcpyFromSymbol(&seen, device_units, sizeof seen), "cudaMemcpyFromSymbol");
  }
#endif
  return seen.list();
}

template <class Load>
struct counted_load {
  CUTSDF_HD static std::uint64_t load(const std::uint64_t* address)
  {
    count(work::probes);
    return Load::load(address);
  }
};

template <class Exchange>
struct counted_exchange {
  static constexpr bool every_step = Exchange::every_step;
  CUTSDF_HD static std::uint64_t compare_exchange(std::uint64_t* address, std::uint64_t expected, std::uint64_t desired)
  {
    count(work::exchanges);
    return Exchange::compare_exchange(address, expected, desired);
  }
};

/// Counts the atomics of an add() that sums distance and weight and, with a colour, three colours.
template <class Voxel>
struct counted_voxel : Voxel {
  CUTSDF_HD static void add(const typename Voxel::arrays& a, std::int64_t i, const cutsdf::observation& o)
  {
    count(work::atomics, o.colored ? 5 : 2);
    Voxel::add(a, i, o);
  }
};

}  // namespace counting

/// The instrumented twin of a set of policies.
template <class P>
using counted =
  cutsdf::policies<typename P::hash_type, typename P::probe_type, counting::counted_load<typename P::load_type>,
                   typename P::index_type, typename P::visit_type,
                   counting::counted_exchange<typename P::exchange_type>, typename P::lookup_type>;

}  // namespace study
