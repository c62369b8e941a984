// Measures the arms of one configuration: what they build, what they count, where they run, how long they take.
#pragma once

#include "checks.hpp"
#include "samples.hpp"
#include "stopwatch.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>

namespace study {

/// How often.
struct effort {
  int passes{3};
  int windows{9};               // a pass, at most
  double seconds{2.0};          // a pass; a slow configuration gets fewer windows, but three
  int volumes{8};               // an arm in a window, at most
  bool several_streams{false};  // a stream for each volume
  int units{0};                 // multiprocessors; 0: all
};

/// All there is to know about one arm in one configuration.
template <class Space>
struct measured {
  arm<Space> what;
  outcome found;
  samples allocate;
  samples update;
  std::vector<check> checks{};
};

template <class Space>
struct measurement {
  std::vector<measured<Space>> arms;  // the reference first
  int volumes;
  int units;
  double mhz;
};

namespace detail {

template <class Space>
class session {
 public:
  session(const std::vector<arm<Space>>& arms, const cutsdf::volume_settings& settings, const scene& seen,
          const effort& much)
    : settings_(settings), seen_(seen), much_(much), clock_(much.several_streams ? much.volumes : 1, much.units)
  {
    for (const auto& a : arms) {
      done_.push_back({a, {}, samples(much.passes), samples(much.passes)});
    }
  }

  measurement<Space> run()
  {
    const request asked = ask();
    for (auto& m : done_) {
      examine(m);
    }
    const int volumes = volumes_that_fit();
    for (int pass = 0; pass < much_.passes; ++pass) {
      time(pass, volumes);
    }
    for (auto& m : done_) {
      m.checks = check_all(m.what, m.found, done_.front().found, asked);
    }
    const double mhz = megahertz<Space>(clock_.stream(0));
    const int units  = much_.units == 0 ? stopwatch<Space>::all_units() : much_.units;
    return {std::move(done_), volumes, units, mhz};
  }

 private:
  request ask() const
  {
    const auto main = placement_of<Space>(clock_.stream(0), seen_.now.points.positions.data());
    request asked{main.device, main.units, true, {}, std::ssize(seen_.now.points.positions), 0, std::nullopt};
    if constexpr (std::same_as<Space, cutsdf::space::host>) {
      // The system places threads as it likes: all that is asked is that they run on processors we may use.
      asked.all_units = false;
      asked.units.clear();
      cpu_set_t allowed;
      sched_getaffinity(0, sizeof allowed, &allowed);
      for (int i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &allowed)) { asked.units.push_back(i); }
      }
    } else {
      asked.other_programs = other_programs(main.device);
    }
    for (int k = 0; k < much_.volumes; ++k) {
      asked.streams.push_back(stream_id<Space>(clock_.stream(k)));
    }
    asked.samples = 2 * cutsdf::band_samples(settings_.truncation / settings_.voxel_size) + 1;
    return asked;
  }

  void examine(measured<Space>& m) const
  {
    const auto v = m.what.make(settings_, clock_.stream(0));
    prepare(*v);
    v->allocate(seen_.now);
    v->update(seen_.now);
    m.found.report = v->report();
    m.found.built  = v->read();
    m.found.work   = m.what.count(settings_, clock_.stream(0), seen_);
  }

  void prepare(contender<Space>& v) const
  {
    v.clear();
    for (const view& earlier : seen_.before) {
      v.allocate(earlier);
    }
  }

  /// Volumes an arm in a timed window: as many as fit into four fifths of the memory there is.
  int volumes_that_fit() const
  {
    double bytes = 0.0;
    for (const auto& m : done_) {
      bytes += static_cast<double>(m.found.report.bytes);
    }
    const double fit = 0.8 * static_cast<double>(clock_.free_bytes()) / bytes;
    if (fit < 1.0) { throw cutsdf::out_of_memory("the arms' volumes do not fit side by side: choose fewer arms"); }
    return std::min(much_.volumes, static_cast<int>(fit));
  }

  /// The arms in an order of the window's own, another one first every time. The others are shuffled, alike on every
  /// machine: with a fixed order an arm would always follow the same one, and what that leaves behind would count.
  [[nodiscard]] std::vector<std::size_t> turns(int pass, int window) const
  {
    std::vector<std::size_t> order(done_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::rotate(order.begin(), order.begin() + (window + 1) % std::ssize(order), order.end());
    std::mt19937 random(static_cast<std::uint32_t>(1000 * pass + window + 1));
    for (std::size_t left = order.size() - 1; left > 1; --left) {
      std::swap(order[left], order[1 + random() % left]);
    }
    return order;
  }

  /// All arms take turns within each window. The volumes are an arm's own and distinct, made anew for each pass, and
  /// cleared outside the clock.
  void time(int pass, int volumes)
  {
    std::vector<std::vector<std::unique_ptr<contender<Space>>>> sets(done_.size());
    for (const std::size_t i : turns(pass, pass)) {
      for (int k = 0; k < volumes; ++k) {
        sets[i].push_back(done_[i].what.make(settings_, clock_.stream(k)));
      }
    }
    using seconds    = std::chrono::duration<double>;
    const auto start = std::chrono::steady_clock::now();
    for (int window = -1; window < much_.windows; ++window) {  // the first warms up
      const double elapsed = seconds(std::chrono::steady_clock::now() - start).count();
      if (window >= std::min(3, much_.windows) && elapsed > much_.seconds) { break; }
      for (const std::size_t i : turns(pass, window)) {
        time_window(done_[i], sets[i], window < 0 ? std::nullopt : std::optional(pass));
      }
    }
    // A volume says where it ran as it stands after the timed windows.
    for (std::size_t i = 0; i < done_.size(); ++i) {
      done_[i].found.timed.clear();
      for (const auto& v : sets[i]) {
        done_[i].found.timed.push_back(v->where());
      }
    }
  }

  void time_window(measured<Space>& m, std::vector<std::unique_ptr<contender<Space>>>& set, std::optional<int> pass)
  {
    for (auto& v : set) {
      prepare(*v);
    }
    clock_.wait();
    const double a = clock_.milliseconds([&] {
      for (auto& v : set) {
        v->allocate(seen_.now);
      }
    });
    const double u = clock_.milliseconds([&] {
      for (auto& v : set) {
        v->update(seen_.now);
      }
    });
    if (!pass) { return; }
    m.allocate.add(*pass, a / static_cast<double>(set.size()));
    m.update.add(*pass, u / static_cast<double>(set.size()));
  }

  const cutsdf::volume_settings settings_;
  const scene& seen_;
  const effort much_;
  stopwatch<Space> clock_;
  std::vector<measured<Space>> done_;
};

}  // namespace detail

/// Measures arms side by side; the first is the reference. `seen` lies in the memory of the space. Waits.
///
/// Throws out_of_memory where the arms do not fit, and what they throw.
template <class Space>
measurement<Space> measure(const std::vector<arm<Space>>& arms, const cutsdf::volume_settings& settings,
                           const scene& seen, const effort& much)
{
  return detail::session<Space>(arms, settings, seen, much).run();
}

}  // namespace study
