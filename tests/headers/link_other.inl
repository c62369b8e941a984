// The second unit, the same text for the C++ and the CUDA compiler.
#include <all_headers.hpp>

std::int64_t blocks_from_another_unit()
{
  cutsdf::volume<cutsdf::space::host> volume({.block_capacity = 64});
  const cutsdf::vec3f point{0.0f, 0.0f, 0.5f};
  return static_cast<std::int64_t>(volume.integrate({.positions = {&point, 1}}, {0.0f, 0.0f, 0.0f}).blocks);
}
