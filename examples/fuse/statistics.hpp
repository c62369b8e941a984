// stats.json
#pragma once

#include "fusion.hpp"
#include "options.hpp"

#include <filesystem>
#include <vector>

namespace fuse {

/// Figures of a series of measurements; all 0 for an empty one.
struct summary {
  double median{0}, mean{0}, min{0}, max{0}, p95{0};
};
summary summarise(std::vector<double> values);

/// Throws problem when the file cannot be written.
void write_statistics(const std::filesystem::path& file, const fusion_result& result, const options& options,
                      double seconds_total);

}  // namespace fuse
