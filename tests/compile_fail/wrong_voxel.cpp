// A number is no voxel policy.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using my_voxel = cutsdf::voxel::five_sums;
#else
using my_voxel = float;
#endif

void use(cutsdf::volume<cutsdf::space::host, my_voxel>& volume) { static_cast<void>(volume.settings()); }
