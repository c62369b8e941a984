// A visit policy in the place of an allocation policy.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using my_allocation = cutsdf::allocation::free_space;
#else
using my_allocation = cutsdf::visit::samples;
#endif

template class cutsdf::block_table<
  cutsdf::space::host,
  cutsdf::policies<cutsdf::hash::mixed, cutsdf::probe::unbounded, cutsdf::load::plain, cutsdf::index::counter,
                   cutsdf::visit::blocks, cutsdf::exchange::masked<>, cutsdf::probe::unbounded, my_allocation>>;
