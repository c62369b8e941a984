#include "recording.hpp"

#include "image_io.hpp"
#include "problem.hpp"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <string>

namespace fuse {
namespace {

namespace fs = std::filesystem;

using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

double parse_number(const std::string& word, const fs::path& file)
{
  char* end          = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (end != word.c_str() + word.size()) { throw problem(file, "'" + word.substr(0, 20) + "' is not a number"); }
  if (!std::isfinite(value)) { throw problem(file, "holds " + word + ", which is not finite: was tracking lost?"); }
  return value;
}

matrix read_matrix(const fs::path& file, int side)
{
  std::ifstream stream(file);
  if (!stream) { throw problem(file, "cannot be read"); }
  const int wanted = side * side;
  std::vector<double> numbers;
  for (std::string word; stream >> word;) {
    numbers.push_back(parse_number(word, file));
  }
  if (std::ssize(numbers) != wanted) {
    throw problem(file, "holds " + std::to_string(numbers.size()) + " numbers instead of " + std::to_string(wanted));
  }
  return Eigen::Map<const matrix>(numbers.data(), side, side);
}

Eigen::Isometry3f read_pose(const fs::path& file)
{
  const matrix m = read_matrix(file, 4);
  Eigen::Isometry3f pose;
  pose.matrix() = m.cast<float>();
  if (!m.row(3).isApprox(Eigen::RowVector4d(0, 0, 0, 1), 1e-6) || !cutsdf::is_rigid(pose)) {
    throw problem(file, "is not a rigid motion (a rotation and a translation, last row 0 0 0 1)");
  }
  return pose;
}

/// The camera of `file` with the size of the depth images.
cutsdf::pinhole read_camera(const fs::path& file, const depth_image& depth)
{
  const matrix k = read_matrix(file, 3);
  if (!(k(0, 0) > 0 && k(1, 1) > 0)) { throw problem(file, "the focal lengths must be positive"); }
  if (k(0, 1) != 0 || k(1, 0) != 0 || k(2, 0) != 0 || k(2, 1) != 0 || k(2, 2) != 1) {
    throw problem(file, "is not a pinhole camera without skew: fx 0 cx, 0 fy cy, 0 0 1");
  }
  const auto f = [&k](int row, int column) { return static_cast<float>(k(row, column)); };
  return {f(0, 0), f(1, 1), f(0, 2), f(1, 2), depth.width, depth.height};
}

fs::path find_intrinsics(const fs::path& folder)
{
  const char* const name = "camera-intrinsics.txt";
  for (const auto& place : {folder / name, fs::absolute(folder).lexically_normal() / ".." / name}) {
    if (fs::exists(place)) { return place.lexically_normal(); }
  }
  throw problem(folder / name, "no such file, neither here nor in the folder above");
}

/// The files of one frame; an empty path where there is none.
struct frame_files {
  std::string stem;  // frame-NNNNNN
  fs::path depth;
  fs::path color;
  fs::path pose;
};

/// The frames of a folder in the order of their numbers.
std::vector<frame_files> list_frames(const fs::path& folder)
{
  static const std::regex pattern(R"((frame-(\d{1,9}))\.(depth\.png|color\.jpg|color\.png|pose\.txt))");
  std::map<int, frame_files> frames;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    std::smatch part;
    if (!std::regex_match(name, part, pattern)) { continue; }
    frame_files& files = frames[std::stoi(part[2])];
    files.stem         = part[1];
    (part[3] == "depth.png" ? files.depth : part[3] == "pose.txt" ? files.pose : files.color) = entry.path();
  }
  std::vector<frame_files> in_order;
  for (auto& [number, files] : frames) {
    in_order.push_back(std::move(files));
  }
  return in_order;
}

/// Throws problem, naming the file, where a frame lacks its depth, its pose, or a colour that other frames have.
void require_complete(const std::vector<frame_files>& frames, const fs::path& folder)
{
  bool any_color = false;
  for (const auto& files : frames) {
    any_color = any_color || !files.color.empty();
  }
  for (const auto& files : frames) {
    const auto require = [&](const fs::path& file, const char* ending) {
      if (file.empty()) { throw problem(folder / (files.stem + ending), "no such file"); }
    };
    require(files.depth, ".depth.png");
    require(files.pose, ".pose.txt");
    if (any_color) { require(files.color, ".color.jpg"); }
  }
}

/// Throws problem where a frame's image has another size than the first frame's.
template <class T>
void require_size(const image<T>& picture, const image<T>& first, const fs::path& file)
{
  const auto size = [](const image<T>& i) { return std::to_string(i.width) + " x " + std::to_string(i.height); };
  if (!picture.same_size(first)) {
    throw problem(file, "is " + size(picture) + " pixels, the first frame's is " + size(first));
  }
}

class recording final : public frame_source {
 public:
  recording(std::vector<frame_files> frames, const fs::path& intrinsics)
    : frames_(std::move(frames)), first_(load(frames_.front())), camera_(read_camera(intrinsics, first_.depth))
  {
  }

  [[nodiscard]] int size() const override { return static_cast<int>(frames_.size()); }
  [[nodiscard]] cutsdf::pinhole camera() const override { return camera_; }
  [[nodiscard]] bool has_color() const override { return !first_.color.pixels.empty(); }

  [[nodiscard]] frame read(int i) const override
  {
    if (i == 0) { return first_; }
    const frame_files& files = frames_[static_cast<std::size_t>(i)];
    frame f                  = load(files);
    require_size(f.depth, first_.depth, files.depth);
    require_size(f.color, first_.color, files.color);
    return f;
  }

 private:
  static frame load(const frame_files& files)
  {
    return {read_depth_png(files.depth), files.color.empty() ? color_image{} : read_color(files.color),
            read_pose(files.pose)};
  }

  std::vector<frame_files> frames_;
  frame first_;
  cutsdf::pinhole camera_;
};

}  // namespace

std::unique_ptr<frame_source> open_recording(const fs::path& folder, std::optional<int> most_frames)
{
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) { throw problem(folder, "no such folder"); }
  if (!fs::is_directory(folder, ignored)) { throw problem(folder, "is not a folder"); }
  auto frames = list_frames(folder);
  if (frames.empty()) { throw problem(folder, "holds no frame-NNNNNN.depth.png"); }
  if (most_frames && *most_frames < std::ssize(frames)) { frames.resize(static_cast<std::size_t>(*most_frames)); }
  require_complete(frames, folder);
  return std::make_unique<recording>(std::move(frames), find_intrinsics(folder));
}

}  // namespace fuse
