// Exchange policies: how an insertion's compare-exchange is issued.
#pragma once

#include <cutsdf/space/atomic.hpp>

#include <concepts>

namespace cutsdf::inline v0 {

/// An exchange policy has a static bool `every_step`, and a static
///   `compare_exchange(std::uint64_t* address, std::uint64_t expected, std::uint64_t desired) -> std::uint64_t`
/// that returns what was there before.
// clang-format off
template <class T>
concept exchange_policy = requires(std::uint64_t* address, std::uint64_t word) {
  { T::every_step } -> std::convertible_to<bool>;
  { T::compare_exchange(address, word, word) } -> std::same_as<std::uint64_t>;
};
// clang-format on

namespace exchange {

/// Memory orders of the compare-exchange.
struct relaxed {
  CUTSDF_HD static std::uint64_t compare_exchange(std::uint64_t* address, std::uint64_t expected, std::uint64_t desired)
  {
    return atomic::compare_exchange(address, expected, desired);
  }
};
struct acquire_release {
  CUTSDF_HD static std::uint64_t compare_exchange(std::uint64_t* address, std::uint64_t expected, std::uint64_t desired)
  {
    return atomic::compare_exchange_acquire_release(address, expected, desired);
  }
};

/// Only where a slot was read as empty: what CUDA C++ and Rust write.
template <class Order = relaxed>
struct masked : Order {
  static constexpr bool every_step = false;
};

/// At every step of the probe. Where there is nothing to exchange it is aimed at a scratch region, in which it cannot
/// succeed: what a language whose atomics take no mask makes a program do.
template <class Order = acquire_release>
struct unmasked : Order {
  static constexpr bool every_step = true;
};

}  // namespace exchange
}  // namespace cutsdf::inline v0
