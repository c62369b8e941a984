// A load of the wrong width.
#include <cutsdf/cutsdf.hpp>

struct my_load {
#if defined(CUTSDF_TEST_RIGHT)
  static std::uint64_t load(const std::uint64_t* address) { return cutsdf::atomic::load_acquire(address); }
#else
  static std::uint32_t load(const std::uint32_t* address) { return cutsdf::atomic::load_acquire(address); }
#endif
};

template class cutsdf::block_table<cutsdf::space::host,
                                   cutsdf::policies<cutsdf::hash::mixed, cutsdf::probe::unbounded, my_load>>;
