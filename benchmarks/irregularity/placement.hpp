// Where work runs: the device, the units in it (multiprocessors of a GPU, logical processors of a CPU), and the stream.
#pragma once

#include <cutsdf/cutsdf.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <sched.h>
#include <unistd.h>

namespace study {

/// A set of units, filled by kernels.
struct unit_bits {
  static constexpr int words = 64;
  std::uint32_t word[words]{};

  /// Adds the unit that this runs on.
  CUTSDF_HD void note()
  {
#if CUTSDF_DEVICE_PASS
    unsigned unit;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(unit));
#else
    const auto unit = static_cast<unsigned>(sched_getcpu());
#endif
    std::uint32_t* const at = word + unit / 32 % words;
    const std::uint32_t bit = 1u << unit % 32;
    if ((cutsdf::atomic::load_relaxed(at) & bit) == 0) { cutsdf::atomic::set_bits(at, bit); }
  }

  [[nodiscard]] std::vector<int> list() const
  {
    std::vector<int> units;
    for (int unit = 0; unit < 32 * words; ++unit) {
      if ((word[unit / 32] >> unit % 32 & 1u) != 0) { units.push_back(unit); }
    }
    return units;
  }
};

struct placement {
  std::string device{};      // UUID of a GPU; "cpu"
  std::vector<int> units{};  // ascending
  std::uint64_t stream{0};
};

/// 0-15;32-47
inline std::string ranges(const std::vector<int>& units)
{
  std::string text;
  for (std::size_t i = 0; i < units.size();) {
    std::size_t end = i + 1;
    while (end < units.size() && units[end] == units[end - 1] + 1) {
      ++end;
    }
    if (!text.empty()) { text += ';'; }
    text += std::to_string(units[i]);
    if (end > i + 1) { text.append("-").append(std::to_string(units[end - 1])); }
    i = end;
  }
  return text;
}

struct note_units {
  unit_bits* bits;
  CUTSDF_HD void operator()(std::int64_t) const { bits->note(); }
};

/// The units that a loop on `stream` runs on: more threads than they hold at once are started. Waits.
template <class Space>
std::vector<int> units_of(const typename Space::stream_type& stream)
{
  const unit_bits none{};
  cutsdf::buffer<unit_bits, Space> seen(std::span(&none, 1), stream);
  Space::for_each(stream, 1 << 20, note_units{seen.data()});
  unit_bits found;
  Space::copy_out(stream, &found, seen.data(), sizeof found);
  return found.list();
}

inline std::string processor()
{
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) { return line.substr(line.find(':') + 2); }
  }
  return "unknown";
}

#if CUTSDF_HAS_CUDA
inline std::string uuid_of(int device)
{
  cudaDeviceProp properties{};
  cutsdf::detail::check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof properties.uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) { text += '-'; }
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

/// The device of a stream. `owned` is memory that the work on it uses.
inline int device_of([[maybe_unused]] cudaStream_t stream, [[maybe_unused]] const void* owned)
{
#if CUDART_VERSION >= 12080
  int device = 0;
  cutsdf::detail::check_cuda(cudaStreamGetDevice(stream, &device), "cudaStreamGetDevice");
  return device;
#else
  cudaPointerAttributes attributes{};
  cutsdf::detail::check_cuda(cudaPointerGetAttributes(&attributes, owned), "cudaPointerGetAttributes");
  return attributes.device;
#endif
}
#endif

/// What tells streams apart: the driver's number on a GPU; 0 on a CPU, which has none.
template <class Space>
std::uint64_t stream_id([[maybe_unused]] const typename Space::stream_type& stream)
{
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) {
    unsigned long long id = 0;
    cutsdf::detail::check_cuda(cudaStreamGetId(stream.get(), &id), "cudaStreamGetId");
    return id;
  }
#endif
  return 0;
}

/// Where work on `stream` runs. Waits for it.
template <class Space>
placement placement_of(const typename Space::stream_type& stream, [[maybe_unused]] const void* owned)
{
  placement found{"cpu", units_of<Space>(stream), stream_id<Space>(stream)};
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) { found.device = uuid_of(device_of(stream.get(), owned)); }
#endif
  return found;
}

#if CUTSDF_HAS_CUDA
struct time_cycles {
  std::uint64_t* cycles_and_ns;
  CUTSDF_HD void operator()() const
  {
#if CUTSDF_DEVICE_PASS
    const auto now = [] {
      unsigned long long ns;
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
      return ns;
    };
    const auto first  = clock64();
    const auto before = now();
    while (now() < before + 100000) {}
    cycles_and_ns[0] = static_cast<std::uint64_t>(clock64() - first);
    cycles_and_ns[1] = now() - before;
#endif
  }
};
#endif

/// Clock of a multiprocessor, measured there; 0 where there is none. Waits.
template <class Space>
double megahertz([[maybe_unused]] const typename Space::stream_type& stream)
{
#if CUTSDF_HAS_CUDA
  if constexpr (std::same_as<Space, cutsdf::space::device>) {
    cutsdf::buffer<std::uint64_t, Space> measured(2, stream);
    Space::once(stream, time_cycles{measured.data()});
    std::uint64_t seen[2];
    Space::copy_out(stream, seen, measured.data(), sizeof seen);
    return 1000.0 * static_cast<double>(seen[0]) / static_cast<double>(seen[1]);
  }
#endif
  return 0.0;
}

/// Programs other than this one that compute on a device, by its UUID; nothing where nvidia-smi cannot say.
inline std::optional<int> other_programs(const std::string& uuid)
{
  const std::string command = "nvidia-smi --query-compute-apps=pid --format=csv,noheader -i " + uuid + " 2>/dev/null";
  FILE* const pipe          = popen(command.c_str(), "r");
  if (pipe == nullptr) { return std::nullopt; }
  int others = 0;
  char line[64];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    const long pid = std::strtol(line, nullptr, 10);
    if (pid != 0 && pid != static_cast<long>(getpid())) { ++others; }
  }
  return pclose(pipe) == 0 ? std::optional<int>(others) : std::nullopt;
}

}  // namespace study
