// Reads that are waited for together.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>
#include <type_traits>

namespace cutsdf::inline v0 {

/// What lies at an address of global memory where that is wanted, zero bytes elsewhere; T has 4 or 8 bytes. Without a
/// branch, and in the order of the calls: a compiler that is short of predicates puts each read next to its use, and
/// waits for one after the other.
template <class T>
CUTSDF_HD T load_where(bool wanted, const T* address)
{
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
#if CUTSDF_DEVICE_PASS
  T value;
  const unsigned predicate = wanted ? 1u : 0u;
  if constexpr (sizeof(T) == 8) {
    unsigned long long word;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; mov.u64 %0, 0; @p ld.global.u64 %0, [%2]; }"
                 : "=l"(word)
                 : "r"(predicate), "l"(__cvta_generic_to_global(address))
                 : "memory");
    __builtin_memcpy(&value, &word, sizeof value);
  } else {
    unsigned word;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; mov.u32 %0, 0; @p ld.global.u32 %0, [%2]; }"
                 : "=r"(word)
                 : "r"(predicate), "l"(__cvta_generic_to_global(address))
                 : "memory");
    __builtin_memcpy(&value, &word, sizeof value);
  }
  return value;
#else
  return wanted ? *address : T{};
#endif
}

/// The same number, of which the compiler does not know that: what follows from it is computed where it is used, not
/// kept from one turn of a loop to the next in registers that are needed for something else.
CUTSDF_HD inline int computed_anew(int x)
{
#if CUTSDF_DEVICE_PASS
  asm volatile("" : "+r"(x));
#endif
  return x;
}

}  // namespace cutsdf::inline v0
