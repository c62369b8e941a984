// Every operation of the default volume for an old architecture: what newer ones brought must have a way round it. Only
// compiled; there may be no such device.
#include <cutsdf/cutsdf.hpp>

template class cutsdf::block_table<cutsdf::space::device>;
template class cutsdf::volume<cutsdf::space::device>;

void fuse(cutsdf::volume<cutsdf::space::device>& volume, const cutsdf::depth_view<float>& depth,
          const cutsdf::pinhole& camera)
{
  volume.integrate_async(depth, camera, Eigen::Isometry3f::Identity());
}
