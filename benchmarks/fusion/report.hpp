// The table at the end of a run.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>
#include <vector>

namespace bench {

/// Remembers what all benchmarks report, for one row each: median, least and most of its repetitions' milliseconds, the
/// bytes that must move, the percentage of the copy bandwidth that they make, the rate, and beside the default of a
/// pair how many times as long the reference takes.
///
/// On the terminal the table replaces the library's own lines; with --benchmark_format=json or csv these go to standard
/// output as ever, and the table to standard error.
class table_reporter : public benchmark::BenchmarkReporter {
 public:
  /// `copy_bandwidth` in bytes a second.
  explicit table_reporter(double copy_bandwidth);

  bool ReportContext(const Context& context) override { return library_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override { library_->Finalize(); }

  /// Prints the table, and `footer` below it. `comparable`: whether ratios may be printed.
  void print(bool comparable, const std::string& footer) const;
  /// Writes the same to a file, as CSV. False where that fails.
  [[nodiscard]] bool write(const std::string& file, bool comparable) const;

  /// Whether a benchmark was refused.
  [[nodiscard]] bool any_refused() const;

 private:
  struct row {
    std::string name;
    std::vector<double> ms;  // of each repetition
    double bytes{0.0};
    double blocks{0.0};
    double items{0.0};
    double frame_median_ms{0.0};
    double host_us{0.0};
    std::string refusal;

    [[nodiscard]] double median_ms() const;
  };

  [[nodiscard]] double percent_of_copy(const row& r) const;
  /// How many times as long as a row the reference beside it takes; 0 where there is none.
  [[nodiscard]] double ratio(const row& r) const;

  benchmark::BenchmarkReporter* library_;  // what --benchmark_format asks for; the library owns it
  bool to_terminal_;
  double copy_bandwidth_;
  std::map<std::int64_t, row> rows_;  // in the order of registration; they arrive in the order of their ends
};

}  // namespace bench
