// Takes the place of device_pipeline.cu where there is no CUDA toolkit.
#include "fusion.hpp"

namespace fuse {

fusion_result fuse_on_device(const frame_source&, const fusion_settings&, const progress_callback&)
{
  throw cutsdf::cuda_error("this program was built without CUDA");
}

std::optional<std::string> device_name(std::string& why_not)
{
  why_not = "this program was built without CUDA";
  return {};
}

}  // namespace fuse
