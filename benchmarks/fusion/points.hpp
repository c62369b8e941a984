// Cold fusion of the study's synthetic cells: the reference bundle (allocate, then update) beside the default.
//
// A window fuses the same coloured cloud into several distinct volumes, cleared before it, so that no volume is touched
// twice and launches are amortised. Neither arm is timed unless both have the cell's blocks and lost nothing.
#pragma once

#include "../cells.hpp"
#include "counts.hpp"
#include "measure.hpp"

#include <optional>

namespace bench {

using reference_volume = cutsdf::volume<space, cutsdf::voxel::five_sums, cutsdf::language::cuda_cpp>;

/// A cell, and what was found out about it when one of its arms first ran.
class cloud {
 public:
  explicit cloud(cell c) : cell_(std::move(c)) {}

  [[nodiscard]] const std::string& name() const { return cell_.name; }
  [[nodiscard]] double points() const { return static_cast<double>(cell_.points.size()); }
  [[nodiscard]] std::int64_t blocks() const { return blocks_; }
  [[nodiscard]] cutsdf::volume_settings settings() const { return {.block_capacity = cell_.block_capacity}; }
  /// How many volumes a window takes; the largest cell's are too large for more.
  [[nodiscard]] int volumes() const { return cell_.block_capacity > (1 << 18) ? 4 : 8; }

  void fuse(reference_volume& v) const
  {
    v.allocate_async(view(), Eigen::Vector3f::Zero());
    v.update_async(view(), Eigen::Vector3f::Zero());
  }
  void fuse(volume& v) const { v.integrate_async(view(), Eigen::Vector3f::Zero()); }

  /// Uploads the points and fuses them with both arms, once. Throws refused where they cannot be compared.
  void prepare(session& s)
  {
    if (!positions_) {
      const std::vector<cutsdf::rgb8> paint(cell_.points.size(), cutsdf::rgb8{90, 120, 150});
      positions_.emplace(std::span<const cutsdf::vec3f>(cell_.points), s.stream());
      colors_.emplace(std::span<const cutsdf::rgb8>(paint), s.stream());
      const auto by_reference = blocks_of<reference_volume>(s);
      const auto by_default   = blocks_of<volume>(s);
      if (by_reference != by_default) {
        verdict_ =
          "the reference has " + std::to_string(by_reference) + " blocks, the default " + std::to_string(by_default);
      } else if (!cell_.agrees(by_default)) {
        verdict_ = "has " + std::to_string(by_default) + " blocks, the cell " + std::to_string(cell_.blocks);
      }
      blocks_ = by_default;
    }
    if (!verdict_.empty()) { throw refused(verdict_); }
  }

  /// What must move: the points once, every voxel that they touch read and written, every block's entry written.
  template <class Volume>
  [[nodiscard]] double bytes(const Volume& v) const
  {
    const voxel_counts n = count(v);
    return points() * (sizeof(cutsdf::vec3f) + sizeof(cutsdf::rgb8)) +
           2.0 * geometry_bytes<typename Volume::voxel_type> * static_cast<double>(n.touched) +
           2.0 * color_bytes<typename Volume::voxel_type> * static_cast<double>(n.colored) +
           static_cast<double>(blocks_) * sizeof(cutsdf::table_entry);
  }

 private:
  [[nodiscard]] cutsdf::point_cloud view() const { return {positions_->span(), colors_->span()}; }

  template <class Volume>
  std::int64_t blocks_of(session& s)
  {
    Volume v(settings(), s.stream());
    fuse(v);
    const auto report = v.report();
    if (report.drops.lost() != 0) { verdict_ = "an arm lost " + std::to_string(report.drops.lost()) + " samples"; }
    return report.blocks;
  }

  cell cell_;
  std::optional<cutsdf::buffer<cutsdf::vec3f, space>> positions_;
  std::optional<cutsdf::buffer<cutsdf::rgb8, space>> colors_;
  std::int64_t blocks_{0};
  std::string verdict_;
};

template <class Volume>
void fuse_cloud(benchmark::State& state, session& s, cloud& c)
{
  c.prepare(s);
  std::vector<std::unique_ptr<Volume>> all;
  for (int i = 0; i < c.volumes(); ++i) {
    all.push_back(std::make_unique<Volume>(c.settings(), s.stream()));
  }
  const auto window = [&] {
    for (auto& v : all) {
      v->clear();
    }
    return s.time([&] {
      for (auto& v : all) {
        c.fuse(*v);
      }
    }) / static_cast<double>(all.size());
  };
  window();
  const double bytes = c.bytes(*all.front());
  measure(state, s, {bytes, c.points(), static_cast<double>(c.blocks())}, window);
  for (const auto& v : all) {
    const auto report = v->report();
    require_complete(report);
    if (report.blocks != c.blocks()) {
      throw refused("a timed volume has " + std::to_string(report.blocks) + " blocks");
    }
  }
}

inline void add_points(session& s)
{
  for (auto& one : cells()) {
    const auto c = std::make_shared<cloud>(std::move(one));
    add("points/" + c->name() + "/reference", 8,
        [&s, c](benchmark::State& state) { fuse_cloud<reference_volume>(state, s, *c); });
    add("points/" + c->name() + "/default", 8, [&s, c](benchmark::State& state) { fuse_cloud<volume>(state, s, *c); });
  }
}

}  // namespace bench
