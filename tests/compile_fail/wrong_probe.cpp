// A probe that knows its bound and cannot walk.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using my_probe = cutsdf::probe::bounded<4>;
#else
struct my_probe {
  static std::uint32_t bound(std::uint32_t) { return 4; }
};
#endif

template class cutsdf::block_table<cutsdf::space::host, cutsdf::policies<cutsdf::hash::mixed, my_probe>>;
