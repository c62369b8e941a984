// Includes everything, uses what another unit uses too, and compares.
#include <all_headers.hpp>

#include <cstdio>

std::int64_t blocks_from_another_unit();

#if defined(CUTSDF_TEST_HOSTILE_UNIT)
bool hostile_unit_has_a_device_space();
#endif

int main()
{
  cutsdf::volume<cutsdf::space::host> volume({.block_capacity = 64});
  const cutsdf::vec3f point{0.0f, 0.0f, 0.5f};
  const auto here  = static_cast<std::int64_t>(volume.integrate({.positions = {&point, 1}}, {0.0f, 0.0f, 0.0f}).blocks);
  const auto there = blocks_from_another_unit();
  std::printf("%d blocks here, %d there\n", static_cast<int>(here), static_cast<int>(there));
  bool good = here > 0 && here == there;
#if defined(CUTSDF_TEST_HOSTILE_UNIT)
  good = good && hostile_unit_has_a_device_space();
#endif
  return good ? 0 : 1;
}
