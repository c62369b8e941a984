// How a benchmark is named, run and refused: Google Benchmark with times of our own.
//
// Every benchmark prepares itself (fresh volumes, a warm-up, checks), then runs windows. A window is a number of
// operations between two marks of the clock, enough to make the launch of the first one cheap; the time of one is what
// Google Benchmark gets as manual time. All of this is repeated, in random order across benchmarks.
#pragma once

#include "session.hpp"

#include <benchmark/benchmark.h>

#include <functional>

namespace bench {

/// What one operation does, for the columns beside its time.
struct work {
  double bytes{0.0};            // that must move at least
  double items{1.0};            // what its rate counts
  double blocks{0.0};           // of the volume, or in view
  double frame_median_ms{0.0};  // of single frames, where there are any
  double host_us{0.0};          // of the host's time until a frame is enqueued, where it only enqueues
};

/// Runs a window in each turn; `window()` returns the milliseconds of one operation. All benchmarks write the same
/// counters: Google Benchmark's CSV needs it.
template <class Window>
void measure(benchmark::State& state, const session& s, const work& done, const Window& window)
{
  double total = 0.0;
  for ([[maybe_unused]] auto turn : state) {
    const double ms = window();
    state.SetIterationTime(ms / to_ms);
    total += ms;
  }
  const auto turns    = static_cast<double>(state.iterations());
  const double second = total / turns / to_ms;
  state.SetItemsProcessed(static_cast<std::int64_t>(done.items * turns));
  state.counters["bytes"]           = done.bytes;
  state.counters["percent_of_copy"] = 100.0 * done.bytes / second / s.copy_bandwidth();
  state.counters["blocks"]          = done.blocks;
  state.counters["frame_median_ms"] = done.frame_median_ms;
  state.counters["host_us"]         = done.host_us;
}

/// Makes a benchmark known. `turns` windows a repetition; what `body` throws becomes the row instead of a time.
inline void add(const std::string& name, int turns, const std::function<void(benchmark::State&)>& body)
{
  benchmark::RegisterBenchmark(name.c_str(),
                               [body](benchmark::State& state) {
                                 try {
                                   body(state);
                                 } catch (const std::exception& failure) {
                                   state.SkipWithError(failure.what());
                                 }
                               })
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond)
    ->Iterations(turns);
}

inline double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  return values.empty() ? 0.0 : values[values.size() / 2];
}

}  // namespace bench
