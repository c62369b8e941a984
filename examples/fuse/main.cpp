// cutsdf_fuse: from depth images to a mesh, a picture of it and figures.
#include "fusion.hpp"
#include "options.hpp"
#include "output.hpp"
#include "problem.hpp"
#include "progress.hpp"
#include "recording.hpp"
#include "statistics.hpp"
#include "synthetic.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <new>

namespace fuse {
namespace {

std::unique_ptr<frame_source> open_source(const options& o)
{
  return o.input ? open_recording(*o.input, o.frames) : open_scene(o.scene, o.frames);
}

/// Whether to fuse on the GPU. Throws problem when a GPU is asked for and there is none.
bool use_device(space_choice choice)
{
  if (choice == space_choice::host) { return false; }
  std::string why_not;
  const bool usable = device_name(why_not).has_value();
  if (!usable && choice == space_choice::device) { throw problem("--space device", why_not); }
  return usable;
}

fusion_result fuse_frames(const frame_source& source, const options& o, bool on_device)
{
  progress_bar bar(source.size(), "frames");
  const auto progress = [&bar](int done) { bar.show(done); };
  const fusion_settings settings{o.voxel, o.truncation, o.max_depth};
  return on_device ? fuse_on_device(source, settings, progress) : fuse_on_host(source, settings, progress);
}

/// One line on standard error when something that was measured found no room.
void warn_of_losses(const fusion_result& result)
{
  if (result.report.drops.lost() == 0) { return; }
  std::string causes;
  for (int i = 0; i < cutsdf::drop_causes; ++i) {
    const auto cause = static_cast<cutsdf::drop_cause>(i);
    if (cause == cutsdf::drop_cause::invalid_input || result.report.drops[cause] == 0) { continue; }
    causes += std::string(causes.empty() ? "" : ", ") + cutsdf::name_of(cause) + " " +
              std::to_string(result.report.drops[cause]);
  }
  std::fprintf(stderr, "cutsdf_fuse: lost contributions: %s (blocks without room: %llu)\n", causes.c_str(),
               static_cast<unsigned long long>(result.blocks_dropped));
}

void print_summary(const fusion_result& result, const std::filesystem::path& folder, double seconds_total)
{
  const auto file = [&folder](const char* name) { return (folder / name).string(); };
  std::printf("%zu frames fused on %s, %.3f ms each (median), %.1f s in all\n", result.integrate_ms.size(),
              result.device ? result.device->c_str() : "the CPU", summarise(result.integrate_ms).median, seconds_total);
  std::printf("%lld blocks, load factor %.3f, %.0f MiB\n", static_cast<long long>(result.report.blocks),
              result.report.load_factor, static_cast<double>(result.report.bytes) / (1 << 20));
  std::printf("mesh of %zu vertices and %zu triangles: %s\n", result.mesh.positions.size(),
              result.mesh.triangles.size(), file("mesh.ply").c_str());
  std::printf("picture: %s\nfigures: %s\n", file("view.png").c_str(), file("stats.json").c_str());
}

int run(int argc, char** argv)
{
  const auto start   = std::chrono::steady_clock::now();
  const command asks = parse_command_line(argc, argv);
  if (!asks.options) { return asks.exit_code; }
  const options& o = *asks.options;

  const bool on_device = use_device(o.space);
  const auto source    = open_source(o);
  output_folder folder(o.out);
  const fusion_result result                  = fuse_frames(*source, o, on_device);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  folder.write(result, o, elapsed.count());
  warn_of_losses(result);
  print_summary(result, folder.path(), elapsed.count());
  return 0;
}

}  // namespace
}  // namespace fuse

int main(int argc, char** argv)
{
  try {
    return fuse::run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "cutsdf_fuse: out of memory\n");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "cutsdf_fuse: %s\n", e.what());
  }
  return 1;
}
