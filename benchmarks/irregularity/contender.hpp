// What the harness times: a volume of some policies, behind one interface, so that arms can take turns.
#pragma once

#include "placement.hpp"

#include <cutsdf/cutsdf.hpp>

#include <array>
#include <map>
#include <vector>

namespace study {

/// Points and where they were seen from.
struct view {
  cutsdf::point_cloud points;
  Eigen::Vector3f camera;
};

/// What is fused: one view, after others outside the clock.
struct scene {
  std::vector<view> before;
  view now;
};

/// Distance, weight, red, green, blue.
using sums = std::array<double, 5>;

/// All that a volume has stored.
struct contents {
  std::map<cutsdf::block_key, double> weights;  // of each block, over its voxels
  sums total{};                                 // over all voxels
};

template <class Space>
class contender {
 public:
  virtual ~contender()                                       = default;
  virtual void clear()                                       = 0;
  virtual void allocate(const view& seen)                    = 0;
  virtual void update(const view& seen)                      = 0;
  [[nodiscard]] virtual cutsdf::volume_report report() const = 0;
  [[nodiscard]] virtual contents read()                      = 0;
  [[nodiscard]] virtual placement where() const              = 0;
};

template <class Space, class Voxel, class Policies>
class volume_contender : public contender<Space> {
 public:
  volume_contender(const cutsdf::volume_settings& settings, typename Space::stream_type stream)
    : volume_(settings, stream)
  {
  }
  void clear() override { volume_.clear(); }
  void allocate(const view& seen) override { volume_.allocate_async(seen.points, seen.camera); }
  void update(const view& seen) override { volume_.update_async(seen.points, seen.camera); }
  [[nodiscard]] cutsdf::volume_report report() const override { return volume_.report(); }
  [[nodiscard]] contents read() override
  {
    const auto ref    = volume_.ref();
    const auto report = volume_.report();
    const auto places =
      static_cast<std::size_t>(Policies::index_type::from_slot ? report.block_capacity : report.blocks);
    std::vector<cutsdf::block_key> keys(places);
    Space::copy_out(volume_.stream(), keys.data(), ref.table.keys, places * sizeof(cutsdf::block_key));
    contents found;
    std::vector<float> values(places * cutsdf::voxels_per_block);
    const float* const arrays[5] = {ref.voxels.distance, ref.voxels.weight, ref.voxels.red, ref.voxels.green,
                                    ref.voxels.blue};
    for (std::size_t k = 0; k < 5; ++k) {
      Space::copy_out(volume_.stream(), values.data(), arrays[k], values.size() * sizeof(float));
      for (std::size_t place = 0; place < places; ++place) {
        if (keys[place] == cutsdf::empty_key) { continue; }
        double sum = 0.0;
        for (std::size_t i = 0; i < cutsdf::voxels_per_block; ++i) {
          sum += static_cast<double>(values[place * cutsdf::voxels_per_block + i]);
        }
        found.total[k] += sum;
        if (k == 1) { found.weights[keys[place]] = sum; }
      }
    }
    return found;
  }
  [[nodiscard]] placement where() const override
  {
    return placement_of<Space>(volume_.stream(), volume_.ref().table.entries);
  }

 protected:
  cutsdf::volume<Space, Voxel, Policies> volume_;
};

}  // namespace study
