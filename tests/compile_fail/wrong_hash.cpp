// A hash of a block that is no 32-bit number.
#include <cutsdf/cutsdf.hpp>

struct my_hash {
#if defined(CUTSDF_TEST_RIGHT)
  static std::uint32_t hash(cutsdf::vec3i block) { return static_cast<std::uint32_t>(block.x); }
#else
  static float hash(cutsdf::vec3i block) { return static_cast<float>(block.x); }
#endif
};

template class cutsdf::block_table<cutsdf::space::host, cutsdf::policies<my_hash>>;
