// Tests that cannot run here say so and are reported as skipped, never as passed.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cutsdf_test {

/// Exit code that ctest takes for "skipped" (SKIP_RETURN_CODE).
inline constexpr int skip_code = 77;

/// Why tests of this run were skipped.
inline std::vector<std::string>& skipped()
{
  static std::vector<std::string> reasons;
  return reasons;
}

/// Call it and return from the test.
inline void skip_test(const std::string& reason) { skipped().push_back(reason); }

/// The folder with recorded frames; skips the test where there is none.
inline std::optional<std::filesystem::path> data_folder()
{
  const char* folder = std::getenv("CUTSDF_DATA");  // NOLINT(concurrency-mt-unsafe)
  if (folder != nullptr && std::filesystem::is_regular_file(std::filesystem::path(folder) / "camera-intrinsics.txt")) {
    return folder;
  }
  skip_test("CUTSDF_DATA does not name a folder with camera-intrinsics.txt");
  return std::nullopt;
}

}  // namespace cutsdf_test
