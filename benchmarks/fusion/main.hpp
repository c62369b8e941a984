// The programs cutsdf_bench and cutsdf_bench_host.
#pragma once

#include "../irregularity/placement.hpp"
#include "copy.hpp"
#include "growth.hpp"
#include "options.hpp"
#include "report.hpp"
#if CUTSDF_HAS_CUDA
#include "points.hpp"
#include "table.hpp"
#endif

#include <cstdio>

namespace bench {

inline constexpr int no_device = 77;

#if CUTSDF_HAS_CUDA
/// Why there is nothing to measure on; empty where there is a device.
inline std::string missing_device()
{
  int devices     = 0;
  const auto code = cudaGetDeviceCount(&devices);
  if (code != cudaSuccess) { return cudaGetErrorString(code); }
  return devices == 0 ? "none found" : "";
}

/// Freed memory stays with the program: what comes back from the driver again and again is the driver's time.
inline void keep_memory()
{
  cudaMemPool_t pool{};
  std::uint64_t everything = ~std::uint64_t{0};
  int device               = 0;
  cutsdf::detail::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cutsdf::detail::check_cuda(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
  cutsdf::detail::check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything),
                             "cudaMemPoolSetAttribute");
}
#endif

/// Forgets the benchmarks: the memory that they hold must go before its stream does.
struct forget_benchmarks {
  forget_benchmarks()                                    = default;
  forget_benchmarks(const forget_benchmarks&)            = delete;
  forget_benchmarks& operator=(const forget_benchmarks&) = delete;
  ~forget_benchmarks() { benchmark::ClearRegisteredBenchmarks(); }
};

/// What the times are taken on, as read now.
struct machine {
  std::string text;
  bool shared;  // other programs use it, so that no ratio may be printed
};

inline machine describe([[maybe_unused]] const session& s)
{
#if CUTSDF_HAS_CUDA
  int device = 0;
  int driver = 0;
  cudaDeviceProp p{};
  cutsdf::detail::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cutsdf::detail::check_cuda(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  cutsdf::detail::check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  const auto others = study::other_programs(study::uuid_of(device));
  char text[512];
  std::snprintf(text, sizeof text,
                "%s, %d multiprocessors at %.0f MHz, %.0f MiB L2, driver %d.%d, runtime %d.%d, other programs: %s",
                p.name, p.multiProcessorCount, study::megahertz<space>(s.stream()),
                static_cast<double>(p.l2CacheSize) / (1 << 20), driver / 1000, driver % 1000 / 10,
                CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
                others ? std::to_string(*others).c_str() : "unknown");
  return {text, others.value_or(0) != 0};
#else
  return {study::processor() + ", " + std::to_string(s.stream().pool().size()) + " threads", false};
#endif
}

inline int run(int argc, char** argv)
{
  const auto asked = parse(argc, argv);
  if (!asked) { return 2; }
#if CUTSDF_HAS_CUDA
  if (const auto why = missing_device(); !why.empty()) {
    std::fprintf(stderr, "%s: no CUDA device (%s)\n", argv[0], why.c_str());
    return no_device;
  }
  keep_memory();
#endif
  session s(open_source(*asked));
  const machine before = describe(s);
  char copy[64];
  std::snprintf(copy, sizeof copy, "%.1f GB/s", s.copy_bandwidth() * 1e-9);
  const std::string version = std::to_string(CUTSDF_VERSION_MAJOR) + "." + std::to_string(CUTSDF_VERSION_MINOR) + "." +
                              std::to_string(CUTSDF_VERSION_PATCH);
  const std::string recording = asked->frames.empty() ? "a built-in room" : asked->frames;
  benchmark::AddCustomContext("cutsdf", version);
  benchmark::AddCustomContext("measured_on", before.text);
  benchmark::AddCustomContext("copy", copy);
  benchmark::AddCustomContext("recording", recording);

  const forget_benchmarks in_the_end;
  add_copy(s);
#if CUTSDF_HAS_CUDA
  add_points(s);
#endif
  add_frames(s);
#if CUTSDF_HAS_CUDA
  add_update(s);
  add_table(s);
#endif
  add_growth(s);

  table_reporter table(s.copy_bandwidth());
  const auto ran        = benchmark::RunSpecifiedBenchmarks(&table);
  const machine after   = describe(s);
  const bool comparable = !before.shared && !after.shared;
  table.print(comparable, "cutsdf " + version + ", copy " + copy + ", frames of " + recording +
                            "\nbefore: " + before.text + "\nafter:  " + after.text);
  if (!asked->table.empty() && !table.write(asked->table, comparable)) {
    throw cutsdf::error("cannot write " + asked->table);
  }
  return ran > 0 && !table.any_refused() ? 0 : 1;
}

/// Runs the benchmarks that the command line asks for: 0, or 1 where one was refused, 2 for a command line that is not
/// understood, 77 without a device.
inline int main_program(int argc, char** argv)
{
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s: %s\n", argv[0], failure.what());
    return 1;
  }
}

}  // namespace bench
