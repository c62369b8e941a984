// Whether a measurement may be compared with the reference's.
#pragma once

#include "arms.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace study {

/// What an arm has built, what it took to build it, and where.
struct outcome {
  contents built;
  cutsdf::volume_report report{};
  counted_work work;
  std::vector<placement> timed;  // of the volumes in the timed windows, one by one
};

/// What was asked for.
struct request {
  std::string device;
  std::vector<int> units;
  bool all_units;                      // whether a volume's work must reach all of them
  std::vector<std::uint64_t> streams;  // of the volumes, in order
  std::int64_t points;
  int samples;                        // along the ray of each point
  std::optional<int> other_programs;  // on the device
};

/// One thing that was verified. `finding` says what is wrong or, where it passed, what could not be known.
struct check {
  const char* name;
  bool passed;
  std::string finding{};
};

namespace detail {

inline check check_device(const outcome& found, const request& asked)
{
  for (const placement& p : found.timed) {
    if (p.device != asked.device) { return {"device", false, "ran on another device " + p.device}; }
  }
  return {"device", true};
}

inline check check_units(const outcome& found, const request& asked)
{
  const auto within = [&](const std::vector<int>& units) {
    return std::includes(asked.units.begin(), asked.units.end(), units.begin(), units.end());
  };
  for (const placement& p : found.timed) {
    if (!within(p.units) || (asked.all_units && p.units != asked.units)) {
      return {"units", false, "ran on other units " + ranges(p.units)};
    }
  }
  if (!within(found.work.units)) { return {"units", false, "counted on other units " + ranges(found.work.units)}; }
  return {"units", true};
}

inline check check_streams(const outcome& found, const request& asked)
{
  for (std::size_t i = 0; i < found.timed.size(); ++i) {
    if (i >= asked.streams.size() || found.timed[i].stream != asked.streams[i]) {
      return {"streams", false, "another stream discipline"};
    }
  }
  return {"streams", true};
}

inline check check_alone(const request& asked)
{
  if (!asked.other_programs) { return {"alone", true, "not known"}; }
  if (*asked.other_programs == 0) { return {"alone", true}; }
  return {"alone", false, std::to_string(*asked.other_programs) + " other programs on the device"};
}

inline check check_lost(const char* name, const char* who, const outcome& found)
{
  const auto lost = found.report.drops.lost();
  if (lost == 0) { return {name, true}; }
  return {name, false, std::string(who) + "lost " + std::to_string(lost) + " samples"};
}

inline check check_blocks(const outcome& found, const outcome& reference)
{
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::ranges::equal(found.built.weights, reference.built.weights, same)) { return {"blocks", true}; }
  return {"blocks", false, "another set of blocks"};
}

inline check check_sums(const outcome& found, const outcome& reference)
{
  constexpr const char* names[5] = {"distances", "weights", "reds", "greens", "blues"};
  for (std::size_t k = 0; k < 5; ++k) {
    const sums& expected = reference.built.total;
    const double scale   = std::max(std::abs(expected[1]), std::abs(expected[k]));
    if (std::abs(found.built.total[k] - expected[k]) > 1e-5 * scale) {
      return {"sums", false, std::string("another sum of ") + names[k]};
    }
  }
  return {"sums", true};
}

/// Probes that differ by more than the order of insertion explains. Where a table is fuller, it explains more.
inline bool far_apart(std::uint64_t a, std::uint64_t b, double load_factor)
{
  const double tolerance = load_factor < 0.5 ? 0.15 : 0.5;
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) > tolerance * static_cast<double>(b);
}

template <class Space>
check check_work(const arm<Space>& a, const outcome& found, const outcome& reference, const request& asked)
{
  const counted_work& done     = found.work;
  const counted_work& expected = reference.work;
  // Where threads race for slots, a twin may lose other samples than the arm: what it lost it did not add.
  constexpr std::uint64_t atomics_a_sample = 5;
  if (done.update[work::atomics] + atomics_a_sample * done.lost != expected.update[work::atomics]) {
    return {"work", false, "another number of atomics"};
  }
  if (a.lookups == claim::walks_as_reference &&
      far_apart(done.update[work::probes], expected.update[work::probes], reference.report.load_factor)) {
    return {"work", false, "another number of probes"};
  }
  constexpr std::int64_t tile = 256;
  const auto every_step =
    static_cast<std::uint64_t>((asked.points + tile - 1) / tile * tile * asked.samples) * std::uint64_t{a.bound};
  if (a.lookups == claim::walks_to_the_bound && done.update[work::probes] != every_step) {
    return {"work", false, "not every lane took every step of the update"};
  }
  if (a.insertions == claim::walks_to_the_bound &&
      (done.allocate[work::probes] != every_step || (a.scratch && done.allocate[work::exchanges] != every_step))) {
    return {"work", false, "not every lane took every step of the allocation"};
  }
  return {"work", true};
}

}  // namespace detail

/// All checks of an arm against the reference, which is compared with itself.
template <class Space>
std::vector<check> check_all(const arm<Space>& a, const outcome& found, const outcome& reference, const request& asked)
{
  return {detail::check_device(found, asked),
          detail::check_units(found, asked),
          detail::check_streams(found, asked),
          detail::check_alone(asked),
          detail::check_lost("reference", "the reference ", reference),
          detail::check_lost("losses", "", found),
          detail::check_blocks(found, reference),
          detail::check_sums(found, reference),
          detail::check_work(a, found, reference, asked)};
}

/// "yes"; for an arm with a bound that did nothing wrong but lose what it must, "lossy: " and how much; else "no: " and
/// the first check that failed.
inline std::string verdict(const std::vector<check>& checks, bool bounded)
{
  for (const check& c : checks) {
    if (c.passed) { continue; }
    return (bounded && std::string(c.name) == "losses" ? "lossy: " : "no: ") + c.finding;
  }
  return "yes";
}

}  // namespace study
