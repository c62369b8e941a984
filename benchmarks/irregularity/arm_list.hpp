// Defines all_arms(); included where the kernels are compiled, once per space.
#pragma once

#include "arms.hpp"

namespace study {

namespace detail {

/// {early exit, none} x {masked, unmasked exchange} for one bound, all with Triton's memory order.
template <class Space, std::uint32_t N>
void add_factorial(std::vector<arm<Space>>& arms)
{
  using namespace cutsdf;  // NOLINT: policies by their names
  using masked     = exchange::masked<exchange::acquire_release>;
  using unmasked   = exchange::unmasked<exchange::acquire_release>;
  const auto bound = std::to_string(N);
  const auto add   = [&]<class Probe, class Exchange>(Probe, Exchange, const std::string& name) {
    arms.push_back(make_arm<Space, language::bundle<Probe, load::plain, Exchange>>(name));
  };
  add(probe::bounded<N>{}, exchange::masked<>{}, "bounded_" + bound);
  add(probe::bounded<N>{}, masked{}, "early_exit_" + bound + "_masked");
  add(probe::bounded<N>{}, unmasked{}, "early_exit_" + bound + "_unmasked");
  add(probe::lockstep<N>{}, masked{}, "lockstep_" + bound + "_masked");
  arms.push_back(make_arm<Space, language::triton<N>>("triton_" + bound));
}

template <class Space, int Lanes>
arm<Space> tile_arm(std::string name)
{
  return make_arm<Space, cutsdf::language::bundle<cutsdf::probe::tile_uniform_of<Lanes>, cutsdf::load::plain>>(
    std::move(name));
}

}  // namespace detail

template <class Space>
std::vector<arm<Space>> all_arms()
{
  using namespace cutsdf;  // NOLINT: policies by their names
  using slot = policies<hash::teschner, probe::unbounded, load::plain, index::slot, visit::samples>;
  std::vector<arm<Space>> arms{make_arm<Space, language::cuda_cpp>("cuda_cpp"),
                               make_arm<Space, language::rust_plain>("rust_plain"),
                               make_arm<Space, language::rust_atomic>("rust_atomic"),
                               make_arm<Space, language::rust_volatile>("rust_volatile"),
                               make_arm<Space, slot>("slot_index"),
                               make_arm<Space, language::triton_shared<8>>("triton_shared_8"),
                               detail::tile_arm<Space, 32>("tile_32"),
                               detail::tile_arm<Space, 64>("tile_64"),
                               detail::tile_arm<Space, 128>("tile_128"),
                               detail::tile_arm<Space, 256>("tile_uniform"),
                               detail::tile_arm<Space, 512>("tile_512"),
                               detail::tile_arm<Space, 1024>("tile_1024")};
  detail::add_factorial<Space, 4>(arms);
  detail::add_factorial<Space, 8>(arms);
  detail::add_factorial<Space, 16>(arms);
  detail::add_factorial<Space, 32>(arms);
  return arms;
}

}  // namespace study
