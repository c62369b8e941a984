// The three files that the program leaves behind: all of them or none.
#pragma once

#include "fusion.hpp"
#include "options.hpp"

#include <filesystem>

namespace fuse {

/// The folder given by --out.
class output_folder {
 public:
  /// Makes the folder where it is missing. Throws problem when results could not be written into it: better now than
  /// after the last frame.
  explicit output_folder(std::filesystem::path folder);

  /// Writes mesh.ply, view.png and stats.json under other names first and renames them when all three are complete.
  /// Throws problem or cutsdf::io_error, and then leaves none of them half-written.
  void write(const fusion_result& result, const options& options, double seconds_total);

  /// Removes the folder again if it was made here and nothing has been written into it.
  ~output_folder();
  output_folder(const output_folder&)            = delete;
  output_folder& operator=(const output_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path outermost_made_{};  // the highest folder that was missing
};

}  // namespace fuse
