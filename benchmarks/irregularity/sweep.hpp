// The sweep: configuration after configuration, each measured, checked and written down at once, so that a run that is
// cut short keeps what it has.
#pragma once

#include "../../examples/fuse/progress.hpp"
#include "axes.hpp"
#include "depth_of_tiles.hpp"
#include "losses.hpp"
#include "measure.hpp"

#include <filesystem>
#include <iostream>
#include <sstream>

namespace study {

/// What is swept, and how often.
struct plan {
  std::vector<std::string> axes;
  std::vector<std::string> cells;  // empty: all
  std::vector<std::string> arms;   // beside the reference; empty: all
  discipline streams{discipline::one_stream};
  std::string frames;  // a recording's folder, or empty
  effort much{};
};

/// A line of a CSV file. Fields with a comma are a mistake of the caller's.
class row {
 public:
  template <class T>
  row& operator<<(const T& value)
  {
    line_ << (first_ ? "" : ",") << value;
    first_ = false;
    return *this;
  }
  row& fixed(double value, int digits)
  {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return *this << text;
  }
  [[nodiscard]] std::string text() const { return line_.str() + '\n'; }

 private:
  std::ostringstream line_;
  bool first_{true};
};

inline constexpr const char* sweep_header =
  "cell,axis,arm,stage,space,discipline,sms,points,blocks,blocks_reference,load_factor,max_probe,scratch_slots,dropped,"
  "p50_ms,p95_ms,min_ms,spread,probes,cas,atomics,comparable,blocks_lost,dropped_pool,dropped_table,dropped_bound,tile,"
  "lane_steps,tile_steps,deepest,volumes,samples,device,sm_ids,mhz\n";
inline constexpr const char* losses_header =
  "cell,axis,arm,scratch_slots,load_factor,blocks_reference,blocks_lost,blocks_touched,samples_lost,picture\n";

/// A file in the folder of results; says so when it cannot be written.
class results_file {
 public:
  results_file(const std::filesystem::path& path, const char* header) : path_(path), stream_(path) { write(header); }
  void write(const std::string& text)
  {
    stream_ << text << std::flush;
    if (!stream_) { throw cutsdf::error(path_.string() + " could not be written"); }
  }

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

template <class Space>
class sweep {
 public:
  sweep(const plan& p, const std::filesystem::path& folder)
    : plan_(p), folder_(folder), arms_(all_arms<Space>()), csv_(folder / "sweep.csv", sweep_header),
      losses_(folder / "losses.csv", losses_header), checks_(folder / "checks.txt", ""), stream_(make_stream())
  {
  }

  /// The number of configurations that could not be measured; why is on the terminal and in checks.txt.
  int run()
  {
    const auto all = configurations();
    fuse::progress_bar bar(static_cast<int>(all.size()), "configurations");
    int done   = 0;
    int failed = 0;
    for (const auto& c : all) {
      bar.show(done++);
      try {
        measure_what_fits(c);
      } catch (const cutsdf::out_of_memory& e) {
        say(c.axis + " " + c.cell + ": left out: " + e.what(), true);
        ++failed;
      }
    }
    bar.show(done);
    say(std::to_string(comparable_) + " arms comparable, " + std::to_string(lossy_) + " lossy, " +
          std::to_string(refused_) + " refused, " + std::to_string(failed) + " configurations left out",
        true);
    return failed;
  }

 private:
#if CUTSDF_HAS_CUDA
  static auto make_stream()
  {
    if constexpr (std::same_as<Space, cutsdf::space::device>) {
      return std::make_unique<cutsdf::space::device::owned_stream>();
    } else {
      return std::make_unique<typename Space::stream_type>();
    }
  }
#else
  static auto make_stream() { return std::make_unique<typename Space::stream_type>(); }
#endif

  [[nodiscard]] typename Space::stream_type stream() const { return *stream_; }

  static bool contains(const std::vector<std::string>& names, const std::string& name)
  {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  [[nodiscard]] std::vector<configuration> configurations()
  {
    constexpr bool on_gpu = !std::same_as<Space, cutsdf::space::host>;
    const scenery scenes(plan_.frames, on_gpu ? stopwatch<Space>::all_units() : 0,
                         [this](const auto& points) { return count_blocks(points); });
    std::vector<configuration> all;
    for (const std::string& axis : plan_.axes) {
      auto here = scenes.along(axis, plan_.streams);
      if (here.empty()) { say("axis " + axis + ": left out: frames needs --frames, sms needs a GPU", true); }
      for (auto& c : here) {
        if (!plan_.cells.empty() && !contains(plan_.cells, c.cell)) { continue; }
        if (!plan_.arms.empty()) {
          std::erase_if(c.arms, [&](const std::string& name) { return !contains(plan_.arms, name); });
        }
        all.push_back(std::move(c));
      }
    }
    for (const std::string& name : plan_.cells) {
      const auto is_it = [&](const configuration& c) { return c.cell == name; };
      if (std::none_of(all.begin(), all.end(), is_it)) {
        throw cutsdf::invalid_argument("no axis of these has a cell " + name);
      }
    }
    if (all.empty()) { throw cutsdf::invalid_argument("there is nothing to measure"); }
    return all;
  }

  std::int64_t count_blocks(const std::vector<cutsdf::vec3f>& points) const
  {
    const cutsdf::buffer<cutsdf::vec3f, Space> positions(std::span<const cutsdf::vec3f>(points), stream());
    const auto v = arms_.front().make({.block_capacity = 16384}, stream());
    v->allocate({{.positions = positions.span()}, Eigen::Vector3f::Zero()});
    return v->report().blocks;
  }

  /// Clouds in the memory of the space.
  struct resident {
    std::vector<cutsdf::buffer<cutsdf::vec3f, Space>> positions;
    std::vector<cutsdf::buffer<cutsdf::rgb8, Space>> colors;
    scene views;
  };

  [[nodiscard]] resident upload(const host_scene& from) const
  {
    resident here;
    const auto add = [&](const host_view& v) {
      const std::vector<cutsdf::rgb8> paint(v.points.size(), cutsdf::rgb8{90, 120, 150});
      here.positions.emplace_back(std::span<const cutsdf::vec3f>(v.points), stream());
      here.colors.emplace_back(std::span<const cutsdf::rgb8>(paint), stream());
      return view{{here.positions.back().span(), here.colors.back().span()}, v.camera};
    };
    for (const auto& earlier : from.before) {
      here.views.before.push_back(add(earlier));
    }
    here.views.now = add(from.now);
    stream().wait();
    return here;
  }

  /// All arms side by side or, where memory is short, in halves, each beside the reference.
  void measure_what_fits(const configuration& c)
  {
    try {
      measure(c);
    } catch (const cutsdf::out_of_memory&) {
      if (c.arms.size() < 2) { throw; }
      const auto middle  = c.arms.begin() + std::ssize(c.arms) / 2;
      configuration half = c;
      half.arms.assign(c.arms.begin(), middle);
      measure_what_fits(half);
      half.arms.assign(middle, c.arms.end());
      measure_what_fits(half);
    }
  }

  void measure(const configuration& c)
  {
    const auto here = upload(*c.scene);
    std::vector<arm<Space>> arms{arms_.front()};
    for (const auto& a : arms_) {
      if (contains(c.arms, a.name)) { arms.push_back(a); }
    }
    effort much          = plan_.much;
    much.units           = c.units;
    much.several_streams = c.streams == discipline::stream_per_volume;
    const auto result    = study::measure(arms, c.settings, here.views, much);
    for (const auto& m : result.arms) {
      record_checks(c, m);
      record_losses(c, m, result.arms.front(), here.views);
      walk_steps steps;
      const bool is_reference = &m == &result.arms.front();
      if (c.axis == "tile" ? m.what.tile != 0 : c.axis == "load_factor" && is_reference) {
        steps = count_walk_steps<Space>(c.settings, here.views.now, std::max(1, m.what.tile), stream());
      }
      csv_.write(sweep_row(c, result, m, "allocate", steps) + sweep_row(c, result, m, "update", steps));
    }
  }

  std::string sweep_row(const configuration& c, const measurement<Space>& all, const measured<Space>& m,
                        const char* stage, const walk_steps& steps) const
  {
    const bool allocates = std::string(stage) == "allocate";
    const samples& ms    = allocates ? m.allocate : m.update;
    const tally& counted = allocates ? m.found.work.allocate : m.found.work.update;
    const auto& found    = m.found;
    const auto& drops    = found.report.drops;
    const auto& truth    = all.arms.front().found;
    row line;
    line << c.cell << c.axis << m.what.name << stage << Space::name << name_of(c.streams) << all.units
         << c.scene->now.points.size() << found.report.blocks << truth.built.weights.size();
    line.fixed(truth.report.load_factor, 4);
    line << m.what.bound << scratch_of(c, m) << drops.lost();
    line.fixed(ms.quantile(0.5), 5).fixed(ms.quantile(0.95), 5).fixed(ms.quantile(0.0), 5).fixed(ms.spread(), 3);
    line << counted[work::probes] << counted[work::exchanges] << counted[work::atomics]
         << verdict(m.checks, m.what.bound != 0) << losses_of(found.built, truth.built).lost.size()
         << drops[cutsdf::drop_cause::pool_full] << drops[cutsdf::drop_cause::table_full]
         << drops[cutsdf::drop_cause::probe_bound] << m.what.tile << steps.lanes << steps.tiles << steps.deepest
         << all.volumes << ms.count() << found.timed.front().device << ranges(found.work.units);
    line.fixed(all.mhz, 0);
    return line.text();
  }

  static std::int64_t scratch_of(const configuration& c, const measured<Space>& m)
  {
    return m.what.scratch ? c.settings.scratch_slots : 0;
  }

  /// Every check into checks.txt; what makes an arm incomparable also to the terminal.
  void record_checks(const configuration& c, const measured<Space>& m)
  {
    const std::string found = verdict(m.checks, m.what.bound != 0);
    std::string line        = c.axis + " " + c.cell + " " + m.what.name + ": " + found + " (";
    for (const check& k : m.checks) {
      line += std::string(&k == m.checks.data() ? "" : ", ") + k.name + (k.finding.empty() ? " ok" : ": " + k.finding);
    }
    (found == "yes" ? comparable_ : found.starts_with("lossy") ? lossy_ : refused_) += 1;
    say(line + ')', found.starts_with("no"));
  }

  void record_losses(const configuration& c, const measured<Space>& m, const measured<Space>& reference,
                     const scene& seen)
  {
    const auto samples_lost = m.found.report.drops.lost();
    if (samples_lost == 0) { return; }
    const losses all = losses_of(m.found.built, reference.found.built);
    char load_factor[16];
    std::snprintf(load_factor, sizeof load_factor, "%.3f", reference.found.report.load_factor);
    std::string picture = "pictures/lost-" + c.cell + "-" + load_factor + "-" + m.what.name + ".png";
    if (!std::filesystem::exists(folder_ / picture)) {
      std::filesystem::create_directories(folder_ / "pictures");
      try {
        draw_losses((folder_ / picture).string(), surface_of<Space>(c.settings, seen, stream()), c.settings.voxel_size,
                    all);
      } catch (const cutsdf::error& e) {
        say(e.what(), true);
        picture.clear();
      }
    }
    row line;
    line << c.cell << c.axis << m.what.name << scratch_of(c, m);
    line.fixed(reference.found.report.load_factor, 4);
    line << reference.found.built.weights.size() << all.lost.size() << all.touched.size() << samples_lost << picture;
    losses_.write(line.text());
  }

  void say(const std::string& text, bool aloud)
  {
    checks_.write(text + '\n');
    if (aloud) { std::cout << text << '\n' << std::flush; }
  }

  plan plan_;
  std::filesystem::path folder_;
  std::vector<arm<Space>> arms_;
  results_file csv_;
  results_file losses_;
  results_file checks_;
  decltype(make_stream()) stream_;
  int comparable_{0};
  int lossy_{0};
  int refused_{0};
};

}  // namespace study
