#include "statistics.hpp"

#include "problem.hpp"

#include <algorithm>
#include <fstream>
#include <numeric>

#include <nlohmann/json.hpp>

namespace fuse {
namespace {

using json = nlohmann::ordered_json;

json to_json(const summary& s)
{
  return {{"median", s.median}, {"mean", s.mean}, {"min", s.min}, {"max", s.max}, {"p95", s.p95}};
}

json to_json(const cutsdf::drop_counts& drops)
{
  json causes;
  for (int i = 0; i < cutsdf::drop_causes; ++i) {
    const auto cause               = static_cast<cutsdf::drop_cause>(i);
    causes[cutsdf::name_of(cause)] = drops[cause];
  }
  return causes;
}

/// A length from the command line, without the digits that a float does not have.
double rounded(float metres) { return std::stod(std::to_string(metres)); }

}  // namespace

summary summarise(std::vector<double> values)
{
  if (values.empty()) { return {}; }
  std::sort(values.begin(), values.end());
  const auto n      = values.size();
  const auto sum    = std::accumulate(values.begin(), values.end(), 0.0);
  const auto middle = 0.5 * (values[(n - 1) / 2] + values[n / 2]);
  // The smallest value that at least 95 % of the values do not exceed.
  const auto p95 = values[(n * 95 + 99) / 100 - 1];
  return {middle, sum / static_cast<double>(n), values.front(), values.back(), p95};
}

void write_statistics(const std::filesystem::path& file, const fusion_result& result, const options& options,
                      double seconds_total)
{
  const json statistics{
    {"frames", result.integrate_ms.size()},
    {"space", result.space},
    {"device", result.device ? json(*result.device) : json(nullptr)},
    {"voxel", rounded(options.voxel)},
    {"truncation", rounded(options.truncation)},
    {"blocks", result.report.blocks},
    {"load_factor", result.report.load_factor},
    {"drops", to_json(result.report.drops)},
    {"blocks_dropped", result.blocks_dropped},
    {"mesh", {{"vertices", result.mesh.positions.size()}, {"triangles", result.mesh.triangles.size()}}},
    {"ms_per_frame", to_json(summarise(result.integrate_ms))},
    {"ms_upload", to_json(summarise(result.upload_ms))},
    {"bytes", result.report.bytes},
    {"seconds_total", seconds_total},
  };
  std::ofstream stream(file);
  stream << statistics.dump(2) << '\n';
  stream.close();
  if (!stream) { throw problem(file, "cannot be written"); }
}

}  // namespace fuse
