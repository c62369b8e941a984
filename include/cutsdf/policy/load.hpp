// Load policies: how the first read of a word that other threads may be writing is made.
#pragma once

#include <cutsdf/space/atomic.hpp>

#include <concepts>

namespace cutsdf::inline v0 {

/// A load policy has a static `load(const std::uint64_t*) -> std::uint64_t`, callable in kernels. A stale "empty" is
/// harmless to an insertion: the compare-exchange that follows sees the truth. A lookup may miss a block that was
/// inserted in the same kernel.
// clang-format off
template <class T>
concept load_policy = requires(const std::uint64_t* address) {
  { T::load(address) } -> std::same_as<std::uint64_t>;
};
// clang-format on

namespace load {

/// An ordinary load, which the first-level cache may answer. On the CPU a relaxed atomic (a race would be undefined
/// there), which is the same instruction.
struct plain {
  CUTSDF_HD static std::uint64_t load(const std::uint64_t* address)
  {
#if CUTSDF_DEVICE_PASS
    return *address;
#else
    return cutsdf::atomic::load_relaxed(address);
#endif
  }
};

/// plain, and where a block's index is wanted it comes with the key: all 16 bytes of an entry in one load.
struct entry : plain {
  static constexpr bool whole_entry = true;
};

/// A relaxed atomic load of device scope: what a type system without data races asks for. Goes to the second-level
/// cache every time.
struct atomic {
  CUTSDF_HD static std::uint64_t load(const std::uint64_t* address) { return cutsdf::atomic::load_relaxed(address); }
};

/// A volatile load: never cached in the first level, of system scope; Rust's older form.
struct volatile_access {
  CUTSDF_HD static std::uint64_t load(const std::uint64_t* address) { return cutsdf::atomic::load_volatile(address); }
};

}  // namespace load
}  // namespace cutsdf::inline v0
