// What an arm has lost, block by block, and a picture of it.
#pragma once

#include "contender.hpp"

#include <cutsdf/cutsdf.hpp>

#include <set>
#include <string>

namespace study {

struct losses {
  std::set<cutsdf::block_key> lost;     // blocks that are not there at all
  std::set<cutsdf::block_key> touched;  // blocks that lack samples
};

inline losses losses_of(const contents& found, const contents& reference)
{
  losses all;
  for (const auto& [key, weight] : reference.weights) {
    const auto kept = found.weights.find(key);
    if (kept == found.weights.end()) {
      all.lost.insert(key);
    } else if (kept->second < weight) {
      all.touched.insert(key);
    }
  }
  return all;
}

/// Writes a PNG of a fused surface, seen along +z and along -z: what lies in lost blocks red, what lies in touched ones
/// orange. Throws cutsdf::error where it cannot be written, or in a program built without images.
void draw_losses(const std::string& file, const cutsdf::host_mesh& surface, float voxel_size, const losses& all);

/// The surface of a scene as language::cuda_cpp fuses it. Waits.
template <class Space>
cutsdf::host_mesh surface_of(const cutsdf::volume_settings& settings, const scene& seen,
                             typename Space::stream_type stream)
{
  cutsdf::volume<Space, cutsdf::voxel::five_sums, cutsdf::language::cuda_cpp> volume(settings, stream);
  for (const view& v : seen.before) {
    volume.integrate(v.points, v.camera);
  }
  volume.integrate(seen.now.points, seen.now.camera);
  return volume.extract_mesh().to_host();
}

}  // namespace study
