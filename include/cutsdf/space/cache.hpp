// What is said to caches about single reads and writes: of global memory to a device's, and to a CPU's what to fetch.
#pragma once

#include <cutsdf/space/atomic.hpp>

namespace cutsdf::inline v0::cache {

/// Reads a word that is not needed again: it is not to push out what is.
template <class T>
CUTSDF_HD T read_once(const T* address)
{
#if CUTSDF_DEVICE_PASS
  return __ldcs(address);
#else
  return *address;
#endif
}
CUTSDF_HD inline std::uint64_t read_once(const std::uint64_t* address)
{
#if CUTSDF_DEVICE_PASS
  return __ldcs(reinterpret_cast<const unsigned long long*>(address));
#else
  return *address;
#endif
}

/// Says that a word is to be on its way by now: the compiler likes to put a load off until after the next branch, and
/// trips to memory that could go together then follow each other.
CUTSDF_HD inline void load_now([[maybe_unused]] std::uint64_t word)
{
#if CUTSDF_DEVICE_PASS
  asm volatile("" ::"l"(word));
#endif
}

/// Writes a word that is not needed again soon.
CUTSDF_HD inline void write_once(std::uint32_t* address, std::uint32_t value)
{
#if CUTSDF_DEVICE_PASS
  __stcs(address, value);
#else
  *address = value;
#endif
}
CUTSDF_HD inline void write_once(std::uint64_t* address, std::uint64_t value)
{
#if CUTSDF_DEVICE_PASS
  __stcs(reinterpret_cast<unsigned long long*>(address), static_cast<unsigned long long>(value));
#else
  *address = value;
#endif
}

/// atomic::store_relaxed() of the last word that is written to its line of the cache: the line may leave first.
CUTSDF_HD inline void store_relaxed_last(std::uint32_t* address, std::uint32_t value)
{
#if CUTSDF_DEVICE_PASS && __CUDA_ARCH__ >= 800
  asm volatile(
    "{ .reg .b64 policy;\n"
    "  createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
    "  st.relaxed.gpu.global.L2::cache_hint.u32 [%0], %1, policy; }" ::"l"(__cvta_generic_to_global(address)),
    "r"(value)
    : "memory");
#else
  atomic::store_relaxed(address, value);
#endif
}

/// Asks for what lies at an address, mapped or not, before it is read; on the host, nothing on the device.
CUTSDF_INLINE void prefetch([[maybe_unused]] std::uintptr_t address)
{
#if !CUTSDF_DEVICE_PASS
  __builtin_prefetch(reinterpret_cast<const void*>(address));  // NOLINT(performance-no-int-to-ptr): not read
#endif
}

}  // namespace cutsdf::inline v0::cache
