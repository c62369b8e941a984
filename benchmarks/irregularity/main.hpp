// The command line of cutsdf_irregularity.
#pragma once

#include "sweep.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>

namespace study {

inline int list()
{
  std::cout << "axes:\n  cell\n  load_factor\n  scratch\ncells:\n";
  for (const auto& c : bench::cells()) {
    if (c.name != "sphere-8m") { std::cout << "  " << c.name << '\n'; }
  }
  std::cout << "arms:\n";
  for (const auto& a : all_arms<cutsdf::space::preferred>()) {
    std::cout << "  " << a.name << '\n';
  }
  return 0;
}

inline int run_command(int argc, char** argv)
{
  plan p;
  std::string out;
  std::string space   = CUTSDF_HAS_CUDA ? "device" : "host";
  std::string streams = "one_stream";
  bool only_list      = false;
  CLI::App app("Measures what irregular control flow costs, arm by arm, and writes sweep.csv.", "cutsdf_irregularity");
  std::vector<std::string> cells;
  std::vector<std::string> arms;
  for (const auto& c : bench::cells()) {
    cells.push_back(c.name);
  }
  for (const auto& a : all_arms<cutsdf::space::preferred>()) {
    arms.push_back(a.name);
  }
  const std::vector<std::string> axes{"cell", "load_factor", "scratch"};
  const std::vector<std::string> spaces =
    CUTSDF_HAS_CUDA ? std::vector<std::string>{"device", "host"} : std::vector<std::string>{"host"};
  p.axes = axes;
  app.add_option("--space", space, "Where to run")->check(CLI::IsMember(spaces))->capture_default_str();
  app.add_option("--axis", p.axes, "What to sweep")->delimiter(',')->check(CLI::IsMember(axes))->capture_default_str();
  app.add_option("--cells", p.cells, "Cells of the axis cell; all by default")
    ->delimiter(',')
    ->check(CLI::IsMember(cells));
  app.add_option("--arms", p.arms, "Arms beside cuda_cpp; all by default")->delimiter(',')->check(CLI::IsMember(arms));
  app.add_option("--passes", p.passes, "Passes over each configuration")
    ->check(CLI::Range(1, 1000))
    ->capture_default_str();
  app.add_option("--windows", p.windows, "Timed windows a pass")->check(CLI::Range(1, 100000))->capture_default_str();
  app.add_option("--discipline", streams, "Streams of the volumes in a timed window")
    ->check(CLI::IsMember({"one_stream", "stream_per_volume"}))
    ->capture_default_str();
  app.add_option("--out", out, "Folder to write into; made if it is not there");
  app.add_flag("--list", only_list, "Print axes, cells and arms, and leave");
  CLI11_PARSE(app, argc, argv);
  if (only_list) { return list(); }
  if (out.empty()) {
    std::cerr << "cutsdf_irregularity: --out is required\n";
    return 2;
  }
  try {
    p.streams = streams == "one_stream" ? discipline::one_stream : discipline::stream_per_volume;
    std::filesystem::create_directories(out);
    const auto path = (std::filesystem::path(out) / "sweep.csv").string();
#if CUTSDF_HAS_CUDA
    if (space == "device") {
      sweep<cutsdf::space::device>(p, path).run();
      return 0;
    }
#endif
    sweep<cutsdf::space::host>(p, path).run();
    return 0;
  } catch (const std::exception& failure) {
    std::cerr << "cutsdf_irregularity: " << failure.what() << '\n';
    return 1;
  }
}

}  // namespace study
