// Which packs this processor computes with.
#pragma once

#include "skip.hpp"

#include <cutsdf/space/host.hpp>

namespace cutsdf_test {

/// Whether space::host computes with packs of as many lanes here, or would if it had no wider ones; skips the test
/// where it does not.
template <int Lanes>
bool has_lanes()
{
  int most = 0;
  cutsdf::space::host::with_number([&](auto number) { most = cutsdf::lanes_of<typename decltype(number)::type>; });
  if (most < Lanes) { skip_test("no packs of " + std::to_string(Lanes) + " with this processor and these options"); }
  return most >= Lanes;
}

}  // namespace cutsdf_test
