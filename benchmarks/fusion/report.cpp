#include "report.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace bench {

table_reporter::table_reporter(double copy_bandwidth)
  : library_(benchmark::CreateDefaultDisplayReporter()),
    to_terminal_(dynamic_cast<benchmark::ConsoleReporter*>(library_) != nullptr), copy_bandwidth_(copy_bandwidth)
{
}

void table_reporter::ReportRuns(const std::vector<Run>& runs)
{
  if (!to_terminal_) { library_->ReportRuns(runs); }
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) { continue; }
    row& r = rows_[run.family_index];
    r.name = run.run_name.function_name;
    if (run.error_occurred) {
      r.refusal = run.error_message;
      continue;
    }
    r.ms.push_back(run.GetAdjustedRealTime());  // in the run's unit, milliseconds everywhere here
    const auto counter = [&](const char* key) {
      const auto at = run.counters.find(key);
      return at == run.counters.end() ? 0.0 : at->second.value;
    };
    r.bytes           = counter("bytes");
    r.blocks          = counter("blocks");
    r.items           = counter("items_per_second") * r.ms.back() * 1e-3;
    r.frame_median_ms = counter("frame_median_ms");
    r.host_us         = counter("host_us");
  }
}

bool table_reporter::any_refused() const
{
  return std::any_of(rows_.begin(), rows_.end(), [](const auto& r) { return !r.second.refusal.empty(); });
}

double table_reporter::row::median_ms() const
{
  auto sorted = ms;
  std::sort(sorted.begin(), sorted.end());
  const auto half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

double table_reporter::percent_of_copy(const row& r) const
{
  return 100.0 * r.bytes / (r.median_ms() * 1e-3) / copy_bandwidth_;
}

double table_reporter::ratio(const row& r) const
{
  const std::string arm = "/default";
  if (!r.name.ends_with(arm)) { return 0.0; }
  const auto other = r.name.substr(0, r.name.size() - arm.size()) + "/reference";
  const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const auto& one) { return one.second.name == other; });
  return at == rows_.end() || !at->second.refusal.empty() ? 0.0 : at->second.median_ms() / r.median_ms();
}

void table_reporter::print(bool comparable, const std::string& footer) const
{
  FILE* const out = to_terminal_ ? stdout : stderr;
  int width       = 0;
  for (const auto& [index, r] : rows_) {
    width = std::max(width, static_cast<int>(r.name.size()));
  }
  if (rows_.empty()) {
    std::fprintf(out, "No table: nothing ran, or only aggregates are reported.\n");
    return;
  }
  std::fprintf(out, "%-*s %10s %10s %10s %10s %7s %11s %10s\n", width, "", "ms", "min", "max", "MB", "% copy",
               "million/s", "ref./def.");
  for (const auto& [index, r] : rows_) {
    if (!r.refusal.empty()) {
      std::fprintf(out, "%-*s  refused: %s\n", width, r.name.c_str(), r.refusal.c_str());
      continue;
    }
    const double ms     = r.median_ms();
    const auto [lo, hi] = std::minmax_element(r.ms.begin(), r.ms.end());
    std::fprintf(out, "%-*s %10.4f %10.4f %10.4f %10.3f %7.1f %11.4g", width, r.name.c_str(), ms, *lo, *hi,
                 r.bytes * 1e-6, percent_of_copy(r), r.items / (ms * 1e-3) * 1e-6);
    if (const double times = ratio(r); comparable && times > 0.0) { std::fprintf(out, " %10.2f", times); }
    std::fputc('\n', out);
  }
  std::fprintf(out, "%s\n", footer.c_str());
}

bool table_reporter::write(const std::string& file, bool comparable) const
{
  std::ofstream csv(file);
  csv << "name,median_ms,min_ms,max_ms,repetitions,bytes,percent_of_copy,items_per_second,blocks,frame_median_ms,"
         "host_us,reference_by_default,refused\n";
  for (const auto& [index, r] : rows_) {
    csv << r.name;
    if (!r.refusal.empty()) {
      std::string text = r.refusal;
      std::replace(text.begin(), text.end(), '"', '\'');
      csv << ",,,,,,,,,,,,\"" << text << "\"\n";
      continue;
    }
    const double ms     = r.median_ms();
    const double times  = ratio(r);
    const auto [lo, hi] = std::minmax_element(r.ms.begin(), r.ms.end());
    char figures[256];
    std::snprintf(figures, sizeof figures, ",%.6f,%.6f,%.6f,%zu,%.0f,%.2f,%.6g,%.0f,%.6f,%.3f,", ms, *lo, *hi,
                  r.ms.size(), r.bytes, percent_of_copy(r), r.items / (ms * 1e-3), r.blocks, r.frame_median_ms,
                  r.host_us);
    csv << figures;
    if (comparable && times > 0.0) {
      std::snprintf(figures, sizeof figures, "%.3f", times);
      csv << figures;
    }
    csv << ",\n";
  }
  csv.close();
  return !csv.fail();
}

}  // namespace bench
