// The axes of the study: for each, the scenes and settings that are swept and the arms that take part.
#pragma once

#include "../cells.hpp"
#include "frames.hpp"

#include <cutsdf/cutsdf.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace study {

enum class discipline { one_stream, stream_per_volume };

inline const char* name_of(discipline d) { return d == discipline::one_stream ? "one_stream" : "stream_per_volume"; }

/// One scene at one setting of everything.
struct configuration {
  std::string cell;
  std::string axis;
  std::shared_ptr<const host_scene> scene;
  cutsdf::volume_settings settings;
  discipline streams{discipline::one_stream};
  int units{0};                     // multiprocessors to run on; 0: all
  std::vector<std::string> arms{};  // beside the reference
};

struct axis {
  std::string name;
  std::string what;
};

inline const std::vector<axis>& all_axes()
{
  static const std::vector<axis> axes{
    {"cell", "every synthetic scene"},
    {"frames", "a real frame, into an empty volume and after eight others (needs --frames)"},
    {"load_factor", "0.02 to 0.95"},
    {"bound", "steps of a bounded probe: 4, 8, 16, 32"},
    {"scratch", "words of the scratch region: 1 to 2^20"},
    {"factorial", "{early exit, none} x {masked, unmasked exchange} x bound x scratch"},
    {"sms", "multiprocessors: 16, 32, 56, 64, 128, all (device only)"},
    {"tile", "lanes that wait for their deepest: 32 to 1024"},
    {"discipline", "one stream, and a stream for each volume"}};
  return axes;
}

/// Builds configurations. Scenes are made once and shared.
class scenery {
 public:
  /// Blocks that some points build: asked of the library itself, for tables filled to a given load factor.
  using block_counter = std::function<std::int64_t(const std::vector<cutsdf::vec3f>&)>;

  scenery(std::string frames, int multiprocessors, block_counter count_blocks)
    : frames_(std::move(frames)), multiprocessors_(multiprocessors), count_blocks_(std::move(count_blocks))
  {
    for (auto& c : bench::cells()) {
      if (c.name == "sphere-8m") { continue; }
      cells_.push_back({c.name, std::make_shared<host_scene>(host_scene{{}, {c.points, Eigen::Vector3f::Zero()}}),
                        cutsdf::volume_settings{.block_capacity = c.block_capacity}});
    }
  }

  [[nodiscard]] std::vector<std::string> cells() const
  {
    std::vector<std::string> names;
    for (const auto& c : cells_) {
      names.push_back(c.name);
    }
    return names;
  }

  /// All configurations of an axis, in order.
  [[nodiscard]] std::vector<configuration> along(const std::string& name, discipline streams) const
  {
    std::vector<configuration> all;
    if (name == "cell") { every_cell(all); }
    if (name == "frames") { real_frames(all); }
    if (name == "load_factor") { load_factors(all); }
    if (name == "bound") { bounds(all); }
    if (name == "scratch") { scratch_sizes(all); }
    if (name == "factorial") { factorial(all); }
    if (name == "sms") { parts_of_the_device(all); }
    if (name == "tile") { tiles(all); }
    for (auto& c : all) {
      c.axis    = name;
      c.streams = streams;
    }
    if (name == "discipline") {
      for (const discipline d : {discipline::one_stream, discipline::stream_per_volume}) {
        for (const char* const c : {"base", "pts-1280k", "r-2.0"}) {
          all.push_back(at(c, {"rust_plain", "rust_atomic", "rust_volatile", "slot_index", "triton_8"}));
          all.back().axis    = name;
          all.back().streams = d;
        }
      }
    }
    return all;
  }

 private:
  struct named_scene {
    std::string name;
    std::shared_ptr<const host_scene> scene;
    cutsdf::volume_settings settings;
  };

  static const std::vector<std::string>& usual_arms()
  {
    static const std::vector<std::string> arms{"rust_plain", "rust_atomic",  "rust_volatile",
                                               "slot_index", "tile_uniform", "bounded_8",
                                               "triton_8",   "triton_32",    "triton_shared_8"};
    return arms;
  }

  static std::vector<std::string> with_bound(const std::vector<std::string>& patterns)
  {
    std::vector<std::string> arms;
    for (const char* const bound : {"4", "8", "16", "32"}) {
      for (std::string name : patterns) {
        arms.push_back(name.replace(name.find('N'), 1, bound));
      }
    }
    return arms;
  }

  /// A synthetic cell.
  [[nodiscard]] configuration at(const std::string& name, std::vector<std::string> arms) const
  {
    for (const auto& c : cells_) {
      if (c.name == name) { return {.cell = name, .axis = {}, .scene = c.scene, .settings = c.settings, .arms = arms}; }
    }
    throw cutsdf::invalid_argument("there is no cell " + name);
  }

  void every_cell(std::vector<configuration>& all) const
  {
    for (const auto& c : cells_) {
      all.push_back(at(c.name, usual_arms()));
    }
  }

  void real_frames(std::vector<configuration>& all) const
  {
    if (frames_.empty()) { return; }
    const auto warm = std::make_shared<host_scene>(read_frames(frames_, 8));
    const auto cold = std::make_shared<host_scene>(host_scene{{}, warm->now});
    const cutsdf::volume_settings settings{.block_capacity = 32768};
    all.push_back({.cell = "frame8-cold", .axis = {}, .scene = cold, .settings = settings, .arms = usual_arms()});
    all.push_back({.cell = "frame8-warm", .axis = {}, .scene = warm, .settings = settings, .arms = usual_arms()});
  }

  void load_factors(std::vector<configuration>& all) const
  {
    auto arms = usual_arms();
    arms.insert(arms.end(), {"bounded_32", "triton_16"});
    for (const double factor : {0.02, 0.07, 0.14, 0.28, 0.45, 0.6, 0.75, 0.9, 0.95}) {
      all.push_back(filled_to(factor, arms));
    }
  }

  /// Below 0.3 the scene of base, in a table of fitting size; above, as many points on a sphere whose blocks fill a
  /// table of 2048 slots.
  [[nodiscard]] configuration filled_to(double factor, const std::vector<std::string>& arms) const
  {
    constexpr std::int64_t base_blocks = 1160;
    if (factor < 0.3) {
      auto c                    = at("base", arms);
      c.settings.table_capacity = 4096;
      while (static_cast<double>(base_blocks) / static_cast<double>(c.settings.table_capacity) > 1.1 * factor) {
        c.settings.table_capacity *= 2;
      }
      return c;
    }
    constexpr std::int64_t table = 2048;
    const auto target            = static_cast<std::int64_t>(std::llround(factor * table));
    double few                   = 0.3;
    double many                  = 0.7;
    std::vector<cutsdf::vec3f> points;
    for (int i = 0; i < 12; ++i) {
      const double radius = 0.5 * (few + many);
      points              = bench::sphere_points(radius, 400, 800);
      const auto blocks   = count_blocks_(points);
      if (blocks == target) { break; }
      (blocks < target ? few : many) = radius;
    }
    char name[32];
    std::snprintf(name, sizeof name, "lf-%.2f", factor);
    return {.cell     = name,
            .axis     = {},
            .scene    = std::make_shared<host_scene>(host_scene{{}, {std::move(points), Eigen::Vector3f::Zero()}}),
            .settings = {.block_capacity = table, .table_capacity = table},
            .arms     = arms};
  }

  void bounds(std::vector<configuration>& all) const
  {
    for (const char* const c : {"base", "lf-mid", "lf-hi"}) {
      all.push_back(at(c, with_bound({"bounded_N", "triton_N"})));
    }
  }

  static void with_scratch(const configuration& c, std::initializer_list<std::int64_t> sizes,
                           std::vector<configuration>& all)
  {
    for (const std::int64_t slots : sizes) {
      all.push_back(c);
      all.back().settings.scratch_slots = slots;
    }
  }

  static void with_every_scratch(const configuration& c, std::vector<configuration>& all)
  {
    with_scratch(c, {1, 16, 256, 4096, 65536, 1 << 20}, all);
  }

  void scratch_sizes(std::vector<configuration>& all) const
  {
    with_every_scratch(at("base", {"triton_8", "triton_32"}), all);
  }

  void factorial(std::vector<configuration>& all) const
  {
    with_every_scratch(
      at("base", with_bound({"early_exit_N_masked", "early_exit_N_unmasked", "lockstep_N_masked", "triton_N"})), all);
  }

  void parts_of_the_device(std::vector<configuration>& all) const
  {
    for (const int part : {16, 32, 56, 64, 128, 0}) {
      if (part >= multiprocessors_) { continue; }
      std::vector<configuration> here;
      with_every_scratch(at("base", {"rust_atomic", "slot_index", "triton_8"}), here);
      // Four times as many programs: those of base all run at once on the largest parts.
      with_scratch(at("pts-1280k", {"rust_atomic", "slot_index", "triton_8"}), {256, 4096, 65536}, here);
      for (auto& c : here) {
        c.units = part;
        all.push_back(c);
      }
    }
  }

  void tiles(std::vector<configuration>& all) const
  {
    for (const char* const c : {"base", "r-2.0", "lf-hi"}) {
      all.push_back(at(c, {"tile_32", "tile_64", "tile_128", "tile_uniform", "tile_512", "tile_1024"}));
    }
  }

  std::string frames_;
  int multiprocessors_;
  block_counter count_blocks_;
  std::vector<named_scene> cells_;
};

}  // namespace study
