// The handful of atomic operations that kernels use, the same names in both spaces. Device code gets device scope;
// words of 64 bits are global memory's, only compare_exchange() and fetch_add() take a thread block's as well. Host
// code gets std::atomic_ref, which ThreadSanitizer understands.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>
#include <type_traits>

#if CUTSDF_HAS_CUDA
#include <cuda/atomic>
#endif
#include <atomic>
#include <thread>

namespace cutsdf::inline v0::atomic {

#if CUTSDF_DEVICE_PASS
template <class T>
using reference = cuda::atomic_ref<T, cuda::thread_scope_device>;
namespace order {
inline constexpr auto relaxed         = cuda::std::memory_order_relaxed;
inline constexpr auto acquire         = cuda::std::memory_order_acquire;
inline constexpr auto release         = cuda::std::memory_order_release;
inline constexpr auto acquire_release = cuda::std::memory_order_acq_rel;
}  // namespace order
#else
template <class T>
using reference = std::atomic_ref<T>;
namespace order {
inline constexpr auto relaxed         = std::memory_order_relaxed;
inline constexpr auto acquire         = std::memory_order_acquire;
inline constexpr auto release         = std::memory_order_release;
inline constexpr auto acquire_release = std::memory_order_acq_rel;
}  // namespace order
#endif

/// Words of 64 bits are read as words of global memory: cuda::atomic_ref asks at run time which memory it is.
template <class T>
CUTSDF_HD T load_relaxed(const T* address)
{
#if CUTSDF_DEVICE_PASS
  if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>) {
    unsigned long long value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(__cvta_generic_to_global(address)));
    return static_cast<T>(value);
  }
#endif
  return reference<T>(*const_cast<T*>(address)).load(order::relaxed);
}

template <class T>
CUTSDF_HD T load_acquire(const T* address)
{
  return reference<T>(*const_cast<T*>(address)).load(order::acquire);
}

template <class T>
CUTSDF_HD void store_relaxed(T* address, T value)
{
  reference<T>(*address).store(value, order::relaxed);
}

template <class T>
CUTSDF_HD void store_release(T* address, T value)
{
  reference<T>(*address).store(value, order::release);
}

/// Relaxed add whose old value nobody needs: on the device a reduction that does not travel back from L2.
template <class T>
CUTSDF_HD void add(T* address, T value)
{
#if CUTSDF_DEVICE_PASS
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
  } else {
    atomicAdd(address, value);
  }
#else
  reference<T>(*address).fetch_add(value, order::relaxed);
#endif
}

/// Relaxed add; returns what was there before.
template <class T>
CUTSDF_HD T fetch_add(T* address, T value)
{
#if CUTSDF_DEVICE_PASS
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    return atomicAdd(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
  } else {
    return atomicAdd(address, value);
  }
#else
  return reference<T>(*address).fetch_add(value, order::relaxed);
#endif
}

/// Relaxed or; the old value is dropped.
CUTSDF_HD inline void set_bits(std::uint32_t* address, std::uint32_t bits)
{
#if CUTSDF_DEVICE_PASS
  atomicOr(address, bits);
#else
  reference<std::uint32_t>(*address).fetch_or(bits, order::relaxed);
#endif
}

/// Relaxed minimum of floats that are not negative; the old value is dropped.
CUTSDF_HD inline void lower(float* address, float value)
{
#if CUTSDF_DEVICE_PASS
  atomicMin(reinterpret_cast<int*>(address), __float_as_int(value));  // their bits are in the same order
#else
  float seen = load_relaxed(address);
  while (value < seen && !reference<float>(*address).compare_exchange_weak(seen, value, order::relaxed)) {}
#endif
}

/// Relaxed maximum; the old value is dropped.
CUTSDF_HD inline void raise(std::int32_t* address, std::int32_t value)
{
#if CUTSDF_DEVICE_PASS
  atomicMax(address, value);
#else
  std::int32_t seen = load_relaxed(address);
  while (value > seen && !reference<std::int32_t>(*address).compare_exchange_weak(seen, value, order::relaxed)) {}
#endif
}

/// Relaxed exchange; returns what was there before.
CUTSDF_HD inline std::uint32_t exchange(std::uint32_t* address, std::uint32_t value)
{
#if CUTSDF_DEVICE_PASS
  return atomicExch(address, value);
#else
  return reference<std::uint32_t>(*address).exchange(value, order::relaxed);
#endif
}

/// Relaxed compare-exchange of a 32- or 64-bit word; returns what was there before, so success is `result == expected`.
template <class T>
CUTSDF_HD T compare_exchange(T* address, std::type_identity_t<T> expected, std::type_identity_t<T> desired)
{
  static_assert(std::is_unsigned_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
#if CUTSDF_DEVICE_PASS
  using word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  return atomicCAS(reinterpret_cast<word*>(address), static_cast<word>(expected), static_cast<word>(desired));
#else
  reference<T>(*address).compare_exchange_strong(expected, desired, order::relaxed);
  return expected;
#endif
}

/// The same with acquire-release order, of device scope.
CUTSDF_HD inline std::uint64_t compare_exchange_acquire_release(std::uint64_t* address, std::uint64_t expected,
                                                                std::uint64_t desired)
{
#if CUTSDF_DEVICE_PASS
  unsigned long long before;
  asm volatile("atom.acq_rel.gpu.global.cas.b64 %0, [%1], %2, %3;"
               : "=l"(before)
               : "l"(__cvta_generic_to_global(address)), "l"(expected), "l"(desired)
               : "memory");
  return before;
#else
  reference<std::uint64_t>(*address).compare_exchange_strong(expected, desired, order::acquire_release);
  return expected;
#endif
}

/// A volatile load: on the device a relaxed one of system scope.
CUTSDF_HD inline std::uint64_t load_volatile(const std::uint64_t* address)
{
#if CUTSDF_DEVICE_PASS
  return *static_cast<const volatile std::uint64_t*>(address);
#else
  return load_relaxed(address);  // volatile orders nothing between threads of a CPU
#endif
}

/// Whether `flag` holds in any thread of the thread block, all of which must call this together.
CUTSDF_HD inline bool any_in_block(bool flag)
{
#if CUTSDF_DEVICE_PASS
  return __syncthreads_or(flag ? 1 : 0) != 0;
#else
  return flag;                   // threads of a block run one after the other here, each to its end
#endif
}

/// Adds one to a counter that many threads of a warp are likely to reach together: one atomic for those that share it.
CUTSDF_HD inline void count(std::uint64_t* counter)
{
#if CUTSDF_DEVICE_PASS
  const unsigned together = __match_any_sync(__activemask(), reinterpret_cast<unsigned long long>(counter));
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane == static_cast<unsigned>(__ffs(together) - 1)) {
    atomicAdd(reinterpret_cast<unsigned long long*>(counter), static_cast<unsigned long long>(__popc(together)));
  }
#else
  add(counter, std::uint64_t{1});
#endif
}

/// The next number of a counter that many threads of a warp are likely to reach together: one atomic for those that do.
CUTSDF_HD inline std::uint32_t take_number(std::uint32_t* counter)
{
#if CUTSDF_DEVICE_PASS
  const unsigned together = __activemask();
  unsigned below;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  const int rank      = __popc(together & below);
  std::uint32_t first = 0;
  if (rank == 0) { first = atomicAdd(counter, static_cast<std::uint32_t>(__popc(together))); }
  return __shfl_sync(together, first, __ffs(static_cast<int>(together)) - 1) + static_cast<std::uint32_t>(rank);
#else
  return fetch_add(counter, std::uint32_t{1});
#endif
}

/// What this thread did before is seen by whoever sees what it does behind it, as for_each_tile's finish() needs it. On
/// the CPU that comes after the threads have met anyway.
CUTSDF_HD inline void fence()
{
#if CUTSDF_DEVICE_PASS
  __threadfence();
#endif
}

/// One turn of a wait for another thread's publication.
CUTSDF_HD inline void wait_turn()
{
#if !CUTSDF_DEVICE_PASS
  std::this_thread::yield();
#endif
}

}  // namespace cutsdf::inline v0::atomic
