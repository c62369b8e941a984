// An index policy that does not say where the index comes from.
#include <cutsdf/cutsdf.hpp>

struct my_index {
#if defined(CUTSDF_TEST_RIGHT)
  static constexpr bool from_slot = true;
#endif
};

template class cutsdf::block_table<
  cutsdf::space::host, cutsdf::policies<cutsdf::hash::mixed, cutsdf::probe::unbounded, cutsdf::load::plain, my_index>>;
