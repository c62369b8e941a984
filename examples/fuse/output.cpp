#include "output.hpp"

#include "image_io.hpp"
#include "problem.hpp"
#include "shading.hpp"
#include "statistics.hpp"

#include <array>

#include <unistd.h>

namespace fuse {
namespace {

namespace fs = std::filesystem;

constexpr std::array names{"mesh.ply", "view.png", "stats.json"};

/// A folder for files that are not complete yet; goes away with everything in it.
class staging_folder {
 public:
  explicit staging_folder(const fs::path& parent) : path_(parent / (".cutsdf_fuse." + std::to_string(getpid())))
  {
    std::error_code code;
    fs::create_directory(path_, code);
    if (code) { throw problem(parent, "cannot be written to: " + code.message()); }
  }
  staging_folder(const staging_folder&)            = delete;
  staging_folder& operator=(const staging_folder&) = delete;
  ~staging_folder()
  {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] fs::path file(const char* name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// The highest folder on the way to `folder` that does not exist; empty when all do.
fs::path outermost_missing(const fs::path& folder)
{
  fs::path missing;
  std::error_code ignored;
  for (fs::path at = fs::absolute(folder).lexically_normal(); !fs::exists(at, ignored); at = at.parent_path()) {
    missing = at;
    if (at == at.parent_path()) { break; }
  }
  return missing;
}

}  // namespace

output_folder::output_folder(fs::path folder) : folder_(std::move(folder))
{
  const fs::path missing = outermost_missing(folder_);
  std::error_code code;
  fs::create_directories(folder_, code);
  if (!fs::is_directory(folder_)) {
    throw problem(folder_, "cannot be made a folder: " + (code ? code.message() : std::string("it is a file")));
  }
  outermost_made_ = missing;
  const staging_folder writable(folder_);
  for (const char* name : names) {
    if (fs::is_directory(folder_ / name)) { throw problem(folder_ / name, "is a folder, not a file to replace"); }
  }
}

output_folder::~output_folder()
{
  std::error_code ignored;
  for (fs::path at = fs::absolute(folder_, ignored).lexically_normal(); !outermost_made_.empty();
       at          = at.parent_path()) {
    // Fails, and ends, at the first folder that holds something.
    if (!fs::remove(at, ignored) || at == outermost_made_) { break; }
  }
}

void output_folder::write(const fusion_result& result, const options& options, double seconds_total)
{
  const staging_folder staging(folder_);
  cutsdf::write_ply(staging.file(names[0]), result.mesh);
  write_png(staging.file(names[1]), shade(result.view));
  write_statistics(staging.file(names[2]), result, options, seconds_total);
  for (const char* name : names) {
    std::error_code code;
    fs::rename(staging.file(name), folder_ / name, code);
    if (code) { throw problem(folder_ / name, "cannot be written: " + code.message()); }
  }
}

}  // namespace fuse
