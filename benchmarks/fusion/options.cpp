#include "options.hpp"

#include "../../examples/fuse/problem.hpp"
#include "../../examples/fuse/recording.hpp"
#include "../../examples/fuse/synthetic.hpp"

#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace bench {
namespace {

/// The value of `--name=VALUE`, or null.
const char* value_of(const char* argument, const char* name)
{
  const auto length = std::strlen(name);
  return std::strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : nullptr;
}

/// The recording beside the intrinsics in the folder that CUTSDF_DATA names, if it does.
std::string default_frames()
{
  const char* data = std::getenv("CUTSDF_DATA");  // NOLINT(concurrency-mt-unsafe)
  if (data == nullptr) { return {}; }
  const auto folder = std::filesystem::path(data) / "every10";
  return std::filesystem::is_directory(folder) ? folder.string() : std::string{};
}

}  // namespace

void print_help()
{
  std::puts(
    "Milliseconds of every operation, beside the bytes that it must move and the copy bandwidth of the same run.\n"
    "  --frames=FOLDER    a recording in the layout of 7-Scenes; $CUTSDF_DATA/every10 where it is there; empty:\n"
    "                     a built-in room\n"
    "  --most-frames=N    its first N frames\n"
    "  --table=FILE.csv   writes the table at the end there too\n"
    "By default with --benchmark_enable_random_interleaving=true --benchmark_repetitions=5. Google Benchmark's own:\n");
  benchmark::PrintDefaultHelp();
}

std::optional<options> parse(int argc, char** argv)
{
  // First, so that what the user says comes later and counts.
  std::string interleaved = "--benchmark_enable_random_interleaving=true";
  std::string repeated    = "--benchmark_repetitions=5";
  std::vector<char*> all{argv[0], interleaved.data(), repeated.data()};
  all.insert(all.end(), argv + 1, argv + argc);
  auto count = static_cast<int>(all.size());
  all.push_back(nullptr);
  benchmark::Initialize(&count, all.data(), print_help);

  options o{default_frames(), std::nullopt, {}};
  for (int i = 1; i < count; ++i) {
    const char* argument = all[static_cast<std::size_t>(i)];
    if (const char* folder = value_of(argument, "--frames")) {
      o.frames = folder;
    } else if (const char* file = value_of(argument, "--table")) {
      o.table = file;
    } else if (const char* number = value_of(argument, "--most-frames")) {
      int n             = 0;
      const char* end   = number + std::strlen(number);
      const auto parsed = std::from_chars(number, end, n);
      if (parsed.ec != std::errc{} || parsed.ptr != end || n < 1) {
        std::fprintf(stderr, "%s: --most-frames needs a positive number, not '%s'\n", argv[0], number);
        return std::nullopt;
      }
      o.most_frames = n;
    } else {
      std::fprintf(stderr, "%s: unknown argument '%s'; see --help\n", argv[0], argument);
      return std::nullopt;
    }
  }
  return o;
}

std::unique_ptr<fuse::frame_source> open_source(const options& o)
{
  if (o.frames.empty()) { return fuse::open_scene("room", o.most_frames); }
  return fuse::open_recording(o.frames, o.most_frames);
}

}  // namespace bench
