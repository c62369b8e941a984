// Milliseconds a depth frame of a recording, and what the fused volume costs to look at and to mesh.
//
// All frames lie in the space's memory beforehand. A first pass over them meets new blocks, a second pass over the same
// volume meets none. On the device the frames are enqueued back to back, an event between each two, and nothing waits
// before the last: a frame that needed the host would show.
#pragma once

#include "../examples/fuse/recording.hpp"
#include "clock.hpp"
#include "resident_frames.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>

namespace bench {

/// Writes a row of figures to the terminal and to the file.
inline void write_row(std::ofstream& csv, const char* space, float voxel, const char* what, std::vector<double> ms,
                      const cutsdf::volume_report& report)
{
  std::sort(ms.begin(), ms.end());
  const double mean = std::accumulate(ms.begin(), ms.end(), 0.0) / static_cast<double>(ms.size());
  char row[256];
  std::snprintf(row, sizeof row, "%s,%g,%s,%zu,%.4f,%.4f,%.4f,%.4f,%ld,%llu", space, static_cast<double>(voxel), what,
                ms.size(), ms[ms.size() / 2], mean, ms.front(), ms.back(), static_cast<long>(report.blocks),
                static_cast<unsigned long long>(report.drops.lost()));
  std::puts(row);
  csv << row << '\n';
}

template <class Space, class Clock>
void measure_frames(const fuse::frame_source& source, float voxel, typename Space::stream_type stream,
                    std::ofstream& csv)
{
  const auto frames = read_frames<Space>(source, stream);
  const auto camera = source.camera();
  Clock clock(stream);
  for (const bool colored : {false, true}) {
    if (colored && !source.has_color()) { continue; }
    cutsdf::volume<Space> volume({.voxel_size = voxel, .truncation = 4 * voxel, .block_capacity = 1 << 17}, stream);
    const auto pass = [&](const char* what) {
      clock.mark();
      for (const auto& f : frames) {
        fuse_frame(volume, f, camera, colored);
        clock.mark();
      }
      auto ms = clock.intervals();
      write_row(csv, Space::name, voxel, what, std::move(ms), volume.report());
    };
    pass(colored ? "warm-up with colour" : "warm-up");
    volume.clear();
    pass(colored ? "first pass with colour" : "first pass");
    pass(colored ? "second pass with colour" : "second pass");
    if (colored != source.has_color()) { continue; }

    constexpr int repeats = 5;
    const auto repeat     = [&](const char* what, const auto& work) {
      work();
      clock.mark();
      for (int i = 0; i < repeats; ++i) {
        work();
        clock.mark();
      }
      write_row(csv, Space::name, voxel, what, clock.intervals(), volume.report());
    };
    repeat("ray cast", [&] { static_cast<void>(volume.raycast(camera, frames.back().pose)); });
    repeat("mesh", [&] { static_cast<void>(volume.extract_mesh()); });
  }
}

/// Usage: PROGRAM FOLDER OUT.csv [voxel sizes in metres ...]
template <class Space, class Clock>
int frame_times(int argc, char** argv, typename Space::stream_type stream)
{
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FOLDER OUT.csv [voxel size in metres] ...\n", argv[0]);
    return 2;
  }
  try {
    const auto source = fuse::open_recording(argv[1], std::nullopt);
    std::ofstream csv(argv[2]);
    const char* header = "space,voxel,what,count,median_ms,mean_ms,min_ms,max_ms,blocks,lost";
    std::puts(header);
    csv << header << '\n';
    std::vector<float> voxels;
    for (int i = 3; i < argc; ++i) {
      voxels.push_back(std::strtof(argv[i], nullptr));
    }
    if (voxels.empty()) { voxels = {0.01f}; }
    for (const float voxel : voxels) {
      measure_frames<Space, Clock>(*source, voxel, stream, csv);
    }
    return csv ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}

}  // namespace bench
