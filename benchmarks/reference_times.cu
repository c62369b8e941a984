// Times of the reference bundle: language::cuda_cpp over five float sums, allocate (cold and warm) and update apart, on
// one stream. A timed window holds one launch for each of several distinct volumes, so that launch overhead is
// amortised and no volume is touched twice; volumes are cleared between windows, outside the clock.
//
// Usage: cutsdf_reference_times OUT.csv [volumes = 8] [windows = 25]
#include "cells.hpp"

#include <cutsdf/cutsdf.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

namespace {

using device    = cutsdf::space::device;
using reference = cutsdf::volume<device, cutsdf::voxel::five_sums, cutsdf::language::cuda_cpp>;
using fast      = cutsdf::volume<device>;

class event_timer {
 public:
  explicit event_timer(device::stream_type stream) : stream_(stream)
  {
    cutsdf::detail::check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    cutsdf::detail::check_cuda(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  event_timer(const event_timer&)            = delete;
  event_timer& operator=(const event_timer&) = delete;
  ~event_timer()
  {
    static_cast<void>(cudaEventDestroy(start_));
    static_cast<void>(cudaEventDestroy(stop_));
  }

  template <class Work>
  float milliseconds(const Work& work)
  {
    cutsdf::detail::check_cuda(cudaEventRecord(start_, stream_.get()), "cudaEventRecord");
    work();
    cutsdf::detail::check_cuda(cudaEventRecord(stop_, stream_.get()), "cudaEventRecord");
    stream_.wait();
    float ms = 0.0f;
    cutsdf::detail::check_cuda(cudaEventElapsedTime(&ms, start_, stop_), "cudaEventElapsedTime");
    return ms;
  }

 private:
  device::stream_type stream_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
};

double median(std::vector<float> times)
{
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

template <class Volume>
void measure(const char* arm, const bench::cell& cell, int volumes, int windows, device::stream_type stream,
             std::ofstream& csv)
{
  if (cell.block_capacity > (1 << 18)) { volumes = std::min(volumes, 4); }
  const cutsdf::buffer<cutsdf::vec3f, device> points(std::span<const cutsdf::vec3f>(cell.points), stream);
  const std::vector<cutsdf::rgb8> grey(cell.points.size(), cutsdf::rgb8{90, 120, 150});
  const cutsdf::buffer<cutsdf::rgb8, device> colors(std::span<const cutsdf::rgb8>(grey), stream);
  const cutsdf::point_cloud cloud{points.span(), colors.span()};
  const Eigen::Vector3f camera = Eigen::Vector3f::Zero();

  std::vector<std::unique_ptr<Volume>> all;
  for (int i = 0; i < volumes; ++i) {
    all.push_back(std::make_unique<Volume>(cutsdf::volume_settings{.block_capacity = cell.block_capacity}, stream));
  }
  event_timer timer(stream);
  std::vector<float> cold, warm, update;
  for (int window = 0; window < windows + 2; ++window) {
    for (auto& v : all) {
      v->clear();
    }
    stream.wait();
    const float c = timer.milliseconds([&] {
      for (auto& v : all) {
        v->allocate_async(cloud, camera);
      }
    });
    const float w = timer.milliseconds([&] {
      for (auto& v : all) {
        v->allocate_async(cloud, camera);
      }
    });
    const float u = timer.milliseconds([&] {
      for (auto& v : all) {
        v->update_async(cloud, camera);
      }
    });
    if (window < 2) { continue; }  // warm-up
    cold.push_back(c / static_cast<float>(volumes));
    warm.push_back(w / static_cast<float>(volumes));
    update.push_back(u / static_cast<float>(volumes));
  }
  const auto report = all.front()->report();
  const bool exact  = cell.agrees(report.blocks) && report.drops.lost() == 0;
  char row[256];
  std::snprintf(row, sizeof row, "%s,%s,%zu,%ld,%s,%.4f,%.4f,%.4f", cell.name.c_str(), arm, cell.points.size(),
                static_cast<long>(report.blocks), exact ? "yes" : "NO", median(cold), median(warm), median(update));
  std::puts(row);
  csv << row << '\n';
}

}  // namespace

int main(int argc, char** argv)
{
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s OUT.csv [volumes] [windows]\n", argv[0]);
    return 2;
  }
  const int volumes = argc > 2 ? std::atoi(argv[2]) : 8;
  const int windows = argc > 3 ? std::atoi(argv[3]) : 25;
  const device::owned_stream stream;
  std::ofstream csv(argv[1]);
  const char* header = "cell,arm,points,blocks,exact,allocate_cold_ms,allocate_warm_ms,update_ms";
  std::puts(header);
  csv << header << '\n';
  for (const auto& cell : bench::cells()) {
    measure<reference>("cuda_cpp", cell, volumes, windows, stream.get(), csv);
    measure<fast>("default", cell, volumes, windows, stream.get(), csv);
  }
  return csv ? 0 : 1;
}
