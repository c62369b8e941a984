// Milliseconds of one stage of one arm, by pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace study {

class samples {
 public:
  explicit samples(int passes) : by_pass_(static_cast<std::size_t>(passes)) {}
  void add(int pass, double ms) { by_pass_[static_cast<std::size_t>(pass)].push_back(ms); }

  [[nodiscard]] std::size_t count() const { return all().size(); }
  /// The value below which a share q of all windows lies; q = 0 is the smallest.
  [[nodiscard]] double quantile(double q) const { return quantile_of(all(), q); }
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
  [[nodiscard]] std::vector<double> all() const
  {
    std::vector<double> together;
    for (const auto& pass : by_pass_) {
      together.insert(together.end(), pass.begin(), pass.end());
    }
    return together;
  }
  static double quantile_of(std::vector<double> values, double q)
  {
    std::sort(values.begin(), values.end());
    const auto last = static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(std::lround(q * last))];
  }
  std::vector<std::vector<double>> by_pass_;
};

}  // namespace study
