// A probe that does not say how far it goes.
#include <cutsdf/cutsdf.hpp>

struct my_probe {
  template <class Visit>
  static bool walk(std::uint32_t first, std::uint32_t mask, const Visit& visit)
  {
    return visit(first & mask);
  }
#if defined(CUTSDF_TEST_RIGHT)
  static std::uint32_t bound(std::uint32_t) { return 1; }
#endif
};

template class cutsdf::block_table<cutsdf::space::host, cutsdf::policies<cutsdf::hash::mixed, my_probe>>;
