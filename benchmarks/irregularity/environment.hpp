// What the measurements were made on.
#pragma once

#include "placement.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace study {

inline std::string now_utc()
{
  const std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

#if CUTSDF_HAS_CUDA
inline nlohmann::json describe_device()
{
  int device = 0;
  int driver = 0;
  cudaDeviceProp p{};
  cutsdf::detail::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  cutsdf::detail::check_cuda(cudaGetDeviceProperties(&p, device), "cudaGetDeviceProperties");
  cutsdf::detail::check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  const auto version = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return {{"name", p.name},
          {"uuid", uuid_of(device)},
          {"multiprocessors", p.multiProcessorCount},
          {"l2_bytes", p.l2CacheSize},
          {"memory_bytes", p.totalGlobalMem},
          {"compute_capability", std::to_string(p.major) + "." + std::to_string(p.minor)},
          {"driver", version(driver)},
          {"runtime", version(CUDART_VERSION)}};
}
#endif

/// environment.json of a run; `finished` is empty while it goes on.
template <class Space>
nlohmann::json environment(const std::string& command, const std::string& started, const std::string& finished)
{
  nlohmann::json device;
  std::optional<int> others;
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) {
    device = describe_device();
    others = other_programs(device["uuid"]);
  }
#endif
  nlohmann::json all{{"device", device},
                     {"host", {{"processor", processor()}, {"threads", std::thread::hardware_concurrency()}}},
                     {"cutsdf", std::to_string(CUTSDF_VERSION_MAJOR) + "." + std::to_string(CUTSDF_VERSION_MINOR) +
                                  "." + std::to_string(CUTSDF_VERSION_PATCH)},
                     {"compiler", __VERSION__},
                     {"command", command},
                     {"started", started},
                     {"finished", nullptr},
                     {"other_processes", nullptr}};
  if (!finished.empty()) { all["finished"] = finished; }
  if (others) { all["other_processes"] = *others; }
  return all;
}

}  // namespace study
