// Hash policies: from a block to the slot at which its probe starts (before masking to the table's capacity).
#pragma once

#include <cutsdf/grid/coordinate.hpp>

#include <concepts>

namespace cutsdf::inline v0 {

/// A hash policy has a static `hash(vec3i block) -> std::uint32_t`, callable in kernels.
// clang-format off
template <class T>
concept hash_policy = requires(vec3i block) {
  { T::hash(block) } -> std::same_as<std::uint32_t>;
};
// clang-format on

namespace hash {

/// The three primes of Teschner et al., "Optimized Spatial Hashing for Collision Detection of Deformable Objects"
/// (2003). Blocks that mirror each other collide; kept to reproduce what was measured with it.
struct teschner {
  CUTSDF_HD static constexpr std::uint32_t hash(vec3i block)
  {
    return static_cast<std::uint32_t>(block.x) * 73856093u ^ static_cast<std::uint32_t>(block.y) * 19349663u ^
           static_cast<std::uint32_t>(block.z) * 83492791u;
  }
};

/// The default: every bit of the key reaches every bit of the result (multiply, fold the high half down, twice).
struct mixed {
  CUTSDF_HD static constexpr std::uint32_t hash(vec3i block) { return hash_key(key_of(block)); }

  CUTSDF_HD static constexpr std::uint32_t hash_key(block_key key)
  {
    std::uint64_t h = key * 0x9e3779b97f4a7c15ull;
    h ^= h >> 32;
    h *= 0xd6e8feb86659fd93ull;
    return static_cast<std::uint32_t>(h >> 32);
  }
};

/// The hash of a key's block; a policy may have a `hash_key(block_key)` that spares taking the key apart.
template <hash_policy Hash>
CUTSDF_HD constexpr std::uint32_t of_key(block_key key)
{
  if constexpr (requires { Hash::hash_key(key); }) {
    return Hash::hash_key(key);
  } else {
    return Hash::hash(block_of_key(key));
  }
}

}  // namespace hash
}  // namespace cutsdf::inline v0
