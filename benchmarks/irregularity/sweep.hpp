// The sweep: cells and axes, arms interleaved, every row checked before it may be compared.
#pragma once

#include "../cells.hpp"
#include "arms.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <unistd.h>

namespace study {

enum class discipline { one_stream, stream_per_volume };

/// What is swept, and how often.
struct plan {
  std::vector<std::string> axes;
  std::vector<std::string> cells;  // empty: all
  std::vector<std::string> arms;   // empty: all
  int passes{3};
  int windows{9};  // a pass
  discipline streams{discipline::one_stream};
};

/// One scene at one setting of everything.
struct configuration {
  std::string cell;
  std::string axis;
  const std::vector<cutsdf::vec3f>* points;
  cutsdf::volume_settings settings;
};

/// Streams of one's own and the time that passes on them.
template <class Space>
class lanes_of_time;

template <>
class lanes_of_time<cutsdf::space::host> {
 public:
  explicit lanes_of_time(int) {}
  [[nodiscard]] cutsdf::space::host::stream_type stream(int) const { return {}; }
  void wait() const {}
  [[nodiscard]] std::size_t free_bytes() const
  {
    return static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  template <class Work>
  double milliseconds(const Work& work)
  {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
};

#if CUTSDF_HAS_CUDA
template <>
class lanes_of_time<cutsdf::space::device> {
  using device = cutsdf::space::device;

 public:
  explicit lanes_of_time(int streams)
    : streams_(static_cast<std::size_t>(streams)), joins_(static_cast<std::size_t>(streams))
  {
    create(start_);
    create(stop_);
    for (cudaEvent_t& e : joins_) {
      create(e);
    }
  }
  lanes_of_time(const lanes_of_time&)            = delete;
  lanes_of_time& operator=(const lanes_of_time&) = delete;
  ~lanes_of_time()
  {
    joins_.push_back(start_);
    joins_.push_back(stop_);
    for (cudaEvent_t e : joins_) {
      static_cast<void>(cudaEventDestroy(e));
    }
  }

  [[nodiscard]] device::stream_type stream(int i) const
  {
    return streams_[static_cast<std::size_t>(i) % streams_.size()].get();
  }
  void wait() const
  {
    for (const auto& s : streams_) {
      s.wait();
    }
  }

  [[nodiscard]] std::size_t free_bytes() const
  {
    wait();
    std::size_t available = 0;
    std::size_t all       = 0;
    cutsdf::detail::check_cuda(cudaMemGetInfo(&available, &all), "cudaMemGetInfo");
    return available;
  }

  /// Time from before the first to after the last thing that `work` enqueues on any of the streams.
  template <class Work>
  double milliseconds(const Work& work)
  {
    const auto check = [](cudaError_t result) { cutsdf::detail::check_cuda(result, "an event of the clock"); };
    check(cudaEventRecord(start_, stream(0).get()));
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      check(cudaStreamWaitEvent(streams_[i].get().get(), start_));
    }
    work();
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      check(cudaEventRecord(joins_[i], streams_[i].get().get()));
      check(cudaStreamWaitEvent(stream(0).get(), joins_[i]));
    }
    check(cudaEventRecord(stop_, stream(0).get()));
    check(cudaEventSynchronize(stop_));
    float ms = 0.0f;
    check(cudaEventElapsedTime(&ms, start_, stop_));
    return static_cast<double>(ms);
  }

 private:
  static void create(cudaEvent_t& e) { cutsdf::detail::check_cuda(cudaEventCreate(&e), "cudaEventCreate"); }
  std::vector<device::owned_stream> streams_;
  cudaEvent_t start_{};
  cudaEvent_t stop_{};
  std::vector<cudaEvent_t> joins_;
};
#endif

inline constexpr const char* csv_header =
  "cell,axis,arm,stage,space,discipline,points,blocks,blocks_reference,load_factor,max_probe,scratch_slots,dropped,"
  "p50_ms,p95_ms,min_ms,spread,probes,cas,atomics,comparable";

/// Milliseconds of one stage of one arm, by pass.
class samples {
 public:
  explicit samples(int passes) : by_pass_(static_cast<std::size_t>(passes)) {}
  void add(int pass, double ms) { by_pass_[static_cast<std::size_t>(pass)].push_back(ms); }

  [[nodiscard]] double quantile(double q) const
  {
    std::vector<double> all;
    for (const auto& pass : by_pass_) {
      all.insert(all.end(), pass.begin(), pass.end());
    }
    return quantile_of(all, q);
  }
  /// Largest median of a pass over the smallest.
  [[nodiscard]] double spread() const
  {
    double low  = std::numeric_limits<double>::infinity();
    double high = 0.0;
    for (const auto& pass : by_pass_) {
      low  = std::min(low, quantile_of(pass, 0.5));
      high = std::max(high, quantile_of(pass, 0.5));
    }
    return high / low;
  }

 private:
  static double quantile_of(std::vector<double> values, double q)
  {
    std::sort(values.begin(), values.end());
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(q * last))];
  }
  std::vector<std::vector<double>> by_pass_;
};

/// What an arm has built, and what it took to build it.
struct outcome {
  std::vector<cutsdf::block_key> keys;
  sums total{};
  cutsdf::volume_report report{};
  tally allocate_work{};
  tally update_work{};
};

/// "yes", or the check that failed. The reference is compared with itself.
inline std::string comparable(const outcome& found, const outcome& reference, bool bounded)
{
  const auto lost = found.report.drops.lost();
  if (reference.report.drops.lost() != 0) {
    return "no: the reference lost " + std::to_string(reference.report.drops.lost());
  }
  if (lost != 0) { return std::string(bounded ? "lossy" : "no") + ": lost " + std::to_string(lost) + " samples"; }
  if (found.keys != reference.keys) { return "no: another set of blocks"; }
  constexpr const char* names[5] = {"distances", "weights", "reds", "greens", "blues"};
  for (std::size_t k = 0; k < 5; ++k) {
    const double scale = std::max(std::abs(reference.total[1]), std::abs(reference.total[k]));
    if (std::abs(found.total[k] - reference.total[k]) > 1e-5 * scale) {
      return std::string("no: another sum of ") + names[k];
    }
  }
  if (found.update_work[static_cast<int>(work::atomics)] != reference.update_work[static_cast<int>(work::atomics)]) {
    return "no: another number of atomics";
  }
  return "yes";
}

template <class Space>
class sweep {
 public:
  sweep(const plan& p, const std::string& path)
    : plan_(p), csv_(path), clock_(p.streams == discipline::one_stream ? 1 : most_volumes)
  {
    csv_ << csv_header << '\n';
    for (auto& a : all_arms<Space>()) {
      if (a.name == "cuda_cpp" || plan_.arms.empty() || contains(plan_.arms, a.name)) { arms_.push_back(std::move(a)); }
    }
  }

  void run()
  {
    const auto all = configurations();
    int done       = 0;
    for (const auto& c : all) {
      std::fprintf(stderr, "\r%d/%zu %s %-12s", ++done, all.size(), c.axis.c_str(), c.cell.c_str());
      measure(c);
    }
    std::fputc('\n', stderr);
    if (!csv_) { throw cutsdf::error("sweep.csv could not be written"); }
  }

 private:
  static constexpr int most_volumes = 8;

  /// Volumes an arm in a timed window: as many as fit into four fifths of the memory there is, 8 at most.
  [[nodiscard]] int volumes_for(const cutsdf::volume_settings& settings) const
  {
    double bytes = 0.0;
    for (const auto& a : arms_) {
      bytes += static_cast<double>(a.make(settings, clock_.stream(0))->report().bytes);
    }
    const double fit = 0.8 * static_cast<double>(clock_.free_bytes()) / bytes;
    if (fit < 1.0) { throw cutsdf::error("the arms' volumes do not fit into memory side by side: choose fewer arms"); }
    return std::min(most_volumes, static_cast<int>(fit));
  }

  static bool contains(const std::vector<std::string>& names, const std::string& name)
  {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  std::vector<configuration> configurations()
  {
    std::vector<configuration> all;
    const auto settings_of = [](std::int64_t blocks, std::int64_t table = 0, std::int64_t scratch = 1 << 16) {
      return cutsdf::volume_settings{.block_capacity = blocks, .table_capacity = table, .scratch_slots = scratch};
    };
    const auto wanted = [&](const std::string& cell) { return plan_.cells.empty() || contains(plan_.cells, cell); };
    for (const std::string& axis : plan_.axes) {
      if (axis == "cell") {
        for (const auto& c : cells_) {
          if (wanted(c.name) && c.name != "sphere-8m") {
            all.push_back({c.name, axis, &c.points, settings_of(c.block_capacity)});
          }
        }
      } else if (axis == "load_factor") {
        for (const double factor : {0.02, 0.07, 0.14, 0.28, 0.45, 0.6, 0.75, 0.9, 0.95}) {
          add_load_factor(factor, all);
        }
      } else if (axis == "scratch") {
        for (const std::int64_t slots : {1, 16, 256, 4096, 65536, 1 << 20}) {
          all.push_back({"base", axis, &cells_.front().points, settings_of(16384, 0, slots)});
        }
      }
    }
    return all;
  }

  /// As many points as in base, on a sphere whose blocks fill a table of 2048 or, below 0.3, base in a larger table.
  void add_load_factor(double factor, std::vector<configuration>& all)
  {
    const std::int64_t base_blocks = 1160;
    if (factor < 0.3) {
      std::int64_t table = 4096;
      while (static_cast<double>(base_blocks) / static_cast<double>(table) > 1.1 * factor) {
        table *= 2;
      }
      all.push_back({"base", "load_factor", &cells_.front().points,
                     cutsdf::volume_settings{.block_capacity = 16384, .table_capacity = table}});
      return;
    }
    constexpr std::int64_t table = 2048;
    const auto target            = static_cast<std::int64_t>(std::llround(factor * table));
    double few                   = 0.3;
    double many                  = 0.7;
    std::vector<cutsdf::vec3f> best;
    for (int i = 0; i < 12; ++i) {
      const double radius = 0.5 * (few + many);
      best                = bench::sphere_points(radius, 400, 800);
      const auto blocks   = count_blocks(best);
      if (blocks == target) { break; }
      (blocks < target ? few : many) = radius;
    }
    spheres_.push_back(std::make_unique<std::vector<cutsdf::vec3f>>(std::move(best)));
    char name[32];
    std::snprintf(name, sizeof name, "lf-%.2f", factor);
    all.push_back({name, "load_factor", spheres_.back().get(),
                   cutsdf::volume_settings{.block_capacity = table, .table_capacity = table}});
  }

  std::int64_t count_blocks(const std::vector<cutsdf::vec3f>& points)
  {
    const auto stream = clock_.stream(0);
    const cutsdf::buffer<cutsdf::vec3f, Space> positions(std::span<const cutsdf::vec3f>(points), stream);
    const auto v = arms_.front().make({.block_capacity = 16384}, stream);
    v->allocate({.positions = positions.span()});
    return v->report().blocks;
  }

  void measure(const configuration& c)
  {
    const auto main = clock_.stream(0);
    const cutsdf::buffer<cutsdf::vec3f, Space> positions(std::span<const cutsdf::vec3f>(*c.points), main);
    const std::vector<cutsdf::rgb8> paint(c.points->size(), cutsdf::rgb8{90, 120, 150});
    const cutsdf::buffer<cutsdf::rgb8, Space> colors(std::span<const cutsdf::rgb8>(paint), main);
    const cutsdf::point_cloud cloud{positions.span(), colors.span()};
    clock_.wait();

    std::vector<outcome> outcomes;
    for (const auto& a : arms_) {
      outcomes.push_back(examine(a, c.settings, cloud));
    }
    std::vector<samples> allocate(arms_.size(), samples(plan_.passes));
    std::vector<samples> update(arms_.size(), samples(plan_.passes));
    for (int pass = 0; pass < plan_.passes; ++pass) {
      time_pass(c, cloud, pass, allocate, update);
    }
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      write(c, i, "allocate", allocate[i], outcomes[i].allocate_work, outcomes);
      write(c, i, "update", update[i], outcomes[i].update_work, outcomes);
    }
    csv_.flush();  // a run that is cut short keeps what it has
  }

  outcome examine(const arm<Space>& a, const cutsdf::volume_settings& settings, const cutsdf::point_cloud& cloud)
  {
    outcome o;
    const auto v = a.make(settings, clock_.stream(0));
    v->allocate(cloud);
    v->update(cloud);
    o.report        = v->report();
    o.keys          = v->keys();
    o.total         = v->total();
    const auto twin = a.make_counted(settings, clock_.stream(0));
    clock_.wait();
    counting::reset<Space>();
    twin->allocate(cloud);
    clock_.wait();
    o.allocate_work = counting::read<Space>();
    counting::reset<Space>();
    twin->update(cloud);
    clock_.wait();
    o.update_work = counting::read<Space>();
    return o;
  }

  /// All arms take turns within each window, another one first every time. The volumes are an arm's own and distinct,
  /// and are cleared outside the clock.
  void time_pass(const configuration& c, const cutsdf::point_cloud& cloud, int pass, std::vector<samples>& allocate,
                 std::vector<samples>& update)
  {
    const int volumes = volumes_for(c.settings);
    std::vector<std::vector<std::unique_ptr<contender<Space>>>> sets(arms_.size());
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      for (int k = 0; k < volumes; ++k) {
        sets[i].push_back(arms_[i].make(c.settings, clock_.stream(k)));
      }
    }
    for (int window = -1; window < plan_.windows; ++window) {  // the first warms up
      for (std::size_t turn = 0; turn < arms_.size(); ++turn) {
        const std::size_t i = (turn + static_cast<std::size_t>(window + 1)) % arms_.size();
        auto& set           = sets[i];
        for (auto& v : set) {
          v->clear();
        }
        clock_.wait();
        const double a = clock_.milliseconds([&] {
          for (auto& v : set) {
            v->allocate(cloud);
          }
        });
        const double u = clock_.milliseconds([&] {
          for (auto& v : set) {
            v->update(cloud);
          }
        });
        if (window < 0) { continue; }
        allocate[i].add(pass, a / volumes);
        update[i].add(pass, u / volumes);
      }
    }
  }

  void write(const configuration& c, std::size_t i, const char* stage, const samples& ms, const tally& counted,
             const std::vector<outcome>& outcomes)
  {
    const auto& a      = arms_[i];
    const outcome& o   = outcomes[i];
    const auto verdict = comparable(o, outcomes.front(), a.bound != 0);
    const auto scratch = a.scratch ? c.settings.scratch_slots : 0;
    char row[512];
    std::snprintf(row, sizeof row, "%s,%s,%s,%s,%s,%s,%zu,%ld,%zu,%.4f,%u,%ld,%lu,%.5f,%.5f,%.5f,%.3f,%lu,%lu,%lu,%s",
                  c.cell.c_str(), c.axis.c_str(), a.name.c_str(), stage, Space::name,
                  plan_.streams == discipline::one_stream ? "one_stream" : "stream_per_volume", c.points->size(),
                  static_cast<long>(o.report.blocks), outcomes.front().keys.size(), o.report.load_factor, a.bound,
                  static_cast<long>(scratch), static_cast<unsigned long>(o.report.drops.lost()), ms.quantile(0.5),
                  ms.quantile(0.95), ms.quantile(0.0), ms.spread(), static_cast<unsigned long>(counted[0]),
                  static_cast<unsigned long>(counted[1]), static_cast<unsigned long>(counted[2]), verdict.c_str());
    csv_ << row << '\n';
  }

  plan plan_;
  std::ofstream csv_;
  lanes_of_time<Space> clock_;
  std::vector<arm<Space>> arms_;
  std::vector<bench::cell> cells_{bench::cells()};
  std::vector<std::unique_ptr<std::vector<cutsdf::vec3f>>> spheres_;
};

}  // namespace study
