#include "pipeline.hpp"

namespace fuse {

fusion_result fuse_on_host(const frame_source& source, const fusion_settings& settings,
                           const progress_callback& progress)
{
  // Fusion keeps every core busy; frames decoded at the same time would only slow it down, and blur what it takes.
  constexpr int ahead = 0;
  return fuse_all<cutsdf::space::host>(source, settings, progress, {}, ahead);
}

}  // namespace fuse
