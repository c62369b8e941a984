#include "pipeline.hpp"

namespace fuse {

fusion_result fuse_on_device(const frame_source& source, const fusion_settings& settings,
                             const progress_callback& progress)
{
  // The GPU needs far less than a millisecond for a frame, the CPU several for decoding one.
  constexpr int ahead = 4;
  const cutsdf::space::device::owned_stream stream;
  fusion_result result = fuse_all<cutsdf::space::device>(source, settings, progress, stream, ahead);
  std::string why_not;
  result.device = device_name(why_not);
  return result;
}

std::optional<std::string> device_name(std::string& why_not)
{
  int device = 0;
  cudaDeviceProp properties{};
  auto code = cudaGetDevice(&device);
  if (code == cudaSuccess) { code = cudaGetDeviceProperties(&properties, device); }
  if (code == cudaSuccess) { return properties.name; }
  why_not = std::string("no usable GPU: ") + cudaGetErrorString(code);
  return {};
}

}  // namespace fuse
