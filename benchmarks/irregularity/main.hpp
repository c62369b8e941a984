// The command line of cutsdf_irregularity.
#pragma once

#include "environment.hpp"
#include "sweep.hpp"

#include <CLI/CLI.hpp>

#if CUTSDF_HAS_CUDA
#include <cuda_profiler_api.h>
#endif

namespace study {

inline const scenery& synthetic()
{
  static const scenery scenes("", 0, [](const auto&) { return std::int64_t{0}; });
  return scenes;
}

template <class Space>
std::vector<std::string> arm_names()
{
  std::vector<std::string> names;
  for (const auto& a : all_arms<Space>()) {
    names.push_back(a.name);
  }
  return names;
}

inline void list()
{
  std::cout << "axes:\n";
  for (const auto& a : all_axes()) {
    std::cout << "  " << a.name << ": " << a.what << '\n';
  }
  std::cout << "cells of the axis cell:\n";
  for (const auto& name : synthetic().cells()) {
    std::cout << "  " << name << '\n';
  }
  std::cout << "arms (the first is the reference):\n";
  for (const auto& name : arm_names<cutsdf::space::host>()) {
    std::cout << "  " << name << '\n';
  }
}

#if CUTSDF_HAS_CUDA
/// One cold allocation of an arm, between the calls that start and stop a profiler. Waits.
inline void profile(const std::string& name, const std::string& cell)
{
  using device = cutsdf::space::device;
  const device::owned_stream stream;
  for (const auto& c : synthetic().along("cell", discipline::one_stream)) {
    if (c.cell != cell) { continue; }
    const cutsdf::buffer<cutsdf::vec3f, device> points(std::span<const cutsdf::vec3f>(c.scene->now.points), stream);
    for (const auto& a : all_arms<device>()) {
      if (a.name != name) { continue; }
      const auto v = a.make(c.settings, stream);
      v->clear();
      stream.wait();
      cutsdf::detail::check_cuda(cudaProfilerStart(), "cudaProfilerStart");
      v->allocate({{.positions = points.span()}, Eigen::Vector3f::Zero()});
      stream.wait();
      cutsdf::detail::check_cuda(cudaProfilerStop(), "cudaProfilerStop");
    }
  }
}
#endif

template <class Space>
int run_sweep(const plan& p, const std::filesystem::path& folder, const std::string& command)
{
  const auto started = now_utc();
  const auto write   = [&](const std::string& finished) {
    results_file(folder / "environment.json", "").write(environment<Space>(command, started, finished).dump(2) + '\n');
  };
  write("");
  const int failed = sweep<Space>(p, folder).run();
  write(now_utc());
  return failed == 0 ? 0 : 1;
}

/// Runs the report's script on what was measured; says so where that does not work.
inline void report_on(const std::filesystem::path& folder, const std::string& script)
{
  const std::string command = "python3 '" + script + "' '" + folder.string() + "'";
  if (std::system(command.c_str()) != 0) {
    std::cerr << "cutsdf_irregularity: no report; once its packages are there: " << command << '\n';
  }
}

inline int run_command(int argc, char** argv, const std::string& report_script)
{
  plan p;
  std::string out;
  std::string space   = CUTSDF_HAS_CUDA ? "device" : "host";
  std::string streams = "one_stream";
  std::string profiled;
  bool only_list = false;
  bool no_report = false;
  CLI::App app("Measures what irregular control flow costs, arm by arm, and reports on it.", "cutsdf_irregularity");
  std::vector<std::string> axes;
  for (const auto& a : all_axes()) {
    axes.push_back(a.name);
  }
  p.axes            = axes;
  const auto spaces = CUTSDF_HAS_CUDA ? std::vector<std::string>{"device", "host"} : std::vector<std::string>{"host"};
  const auto arms   = arm_names<cutsdf::space::host>();
  app.add_option("--space", space, "Where to run; on the host, times are the CPU's")
    ->check(CLI::IsMember(spaces))
    ->capture_default_str();
  app.add_option("--axis", p.axes, "What to sweep; everything by default")->delimiter(',')->check(CLI::IsMember(axes));
  app.add_option("--cells", p.cells, "Only these cells")->delimiter(',');
  app.add_option("--arms", p.arms, "Only these arms beside the reference")->delimiter(',')->check(CLI::IsMember(arms));
  app.add_option("--passes", p.much.passes, "Passes over each configuration")
    ->check(CLI::Range(1, 1000))
    ->capture_default_str();
  const auto windows = app.add_option("--windows", p.much.windows, "Timed windows a pass, at most; 1 on the host");
  windows->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--discipline", streams, "Streams of the volumes in a timed window")
    ->check(CLI::IsMember({"one_stream", "stream_per_volume"}))
    ->capture_default_str();
  app.add_option("--frames", p.frames, "A recording's folder, for the axis frames")->check(CLI::ExistingDirectory);
  app.add_option("--out", out, "Folder to write into; made if it is not there");
  app.add_option("--profile", profiled, "Instead of a sweep: one cold allocation of this arm, for a profiler")
    ->check(CLI::IsMember(arms));
  app.add_flag("--no-report", no_report, "Write no report");
  app.add_flag("--list", only_list, "Print axes, cells and arms, and leave");
  CLI11_PARSE(app, argc, argv);
  try {
    if (only_list) {
      list();
      return 0;
    }
    if (!profiled.empty()) {
#if CUTSDF_HAS_CUDA
      profile(profiled, p.cells.empty() ? "base" : p.cells.front());
      return 0;
#else
      throw cutsdf::error("--profile needs a program built with CUDA");
#endif
    }
    if (out.empty()) { throw cutsdf::error("--out is required"); }
    p.streams = streams == "one_stream" ? discipline::one_stream : discipline::stream_per_volume;
    const std::filesystem::path folder(out);
    std::filesystem::create_directories(folder);
    std::string command = "cutsdf_irregularity";
    for (int i = 1; i < argc; ++i) {
      command += std::string(" ") + argv[i];
    }
    int status = 0;
#if CUTSDF_HAS_CUDA
    if (space == "device") { status = run_sweep<cutsdf::space::device>(p, folder, command); }
#endif
    if (space == "host") {
      p.much.volumes = 1;
      if (windows->count() == 0) { p.much.windows = 1; }
      status = run_sweep<cutsdf::space::host>(p, folder, command);
    }
    if (!no_report) { report_on(folder, report_script); }
    return status;
  } catch (const std::exception& failure) {
    std::cerr << "cutsdf_irregularity: " << failure.what() << '\n';
    return 1;
  }
}

}  // namespace study
