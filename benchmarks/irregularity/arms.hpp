// The arms of the study: one contender per set of policies, behind one interface so that they can be interleaved.
#pragma once

#include "counting.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace study {

/// Distance, weight, red, green, blue.
using sums = std::array<double, 5>;

/// A volume of some policies.
template <class Space>
class contender {
 public:
  using stream_type                                           = typename Space::stream_type;
  virtual ~contender()                                        = default;
  virtual void clear()                                        = 0;
  virtual void allocate(const cutsdf::point_cloud& points)    = 0;
  virtual void update(const cutsdf::point_cloud& points)      = 0;
  [[nodiscard]] virtual cutsdf::volume_report report() const  = 0;
  [[nodiscard]] virtual std::vector<cutsdf::block_key> keys() = 0;  // sorted
  [[nodiscard]] virtual sums total()                          = 0;  // over all voxels
};

template <class Space, class Voxel, class Policies>
class volume_contender final : public contender<Space> {
 public:
  volume_contender(const cutsdf::volume_settings& settings, typename Space::stream_type stream)
    : volume_(settings, stream)
  {
  }
  void clear() override { volume_.clear(); }
  void allocate(const cutsdf::point_cloud& points) override { volume_.allocate_async(points, camera); }
  void update(const cutsdf::point_cloud& points) override { volume_.update_async(points, camera); }
  [[nodiscard]] cutsdf::volume_report report() const override { return volume_.report(); }
  [[nodiscard]] std::vector<cutsdf::block_key> keys() override
  {
    const auto ref = volume_.ref();
    std::vector<cutsdf::block_key> all(places());
    Space::copy_out(volume_.stream(), all.data(), ref.table.keys, all.size() * sizeof(cutsdf::block_key));
    std::erase(all, cutsdf::empty_key);
    std::sort(all.begin(), all.end());
    return all;
  }
  [[nodiscard]] sums total() override
  {
    const auto ref = volume_.ref();
    std::vector<float> values(places() * cutsdf::voxels_per_block);
    sums total{};
    const float* const arrays[5] = {ref.voxels.distance, ref.voxels.weight, ref.voxels.red, ref.voxels.green,
                                    ref.voxels.blue};
    for (int k = 0; k < 5; ++k) {
      Space::copy_out(volume_.stream(), values.data(), arrays[k], values.size() * sizeof(float));
      for (const float value : values) {
        total[static_cast<std::size_t>(k)] += static_cast<double>(value);
      }
    }
    return total;
  }

 private:
  /// Places of the pool that may hold a block.
  [[nodiscard]] std::size_t places() const
  {
    const auto r = volume_.report();
    return static_cast<std::size_t>(Policies::index_type::from_slot ? r.block_capacity : r.blocks);
  }

  const Eigen::Vector3f camera = Eigen::Vector3f::Zero();
  cutsdf::volume<Space, Voxel, Policies> volume_;
};

/// One set of policies, under the name that tables give it.
template <class Space>
struct arm {
  using make_type =
    std::function<std::unique_ptr<contender<Space>>(const cutsdf::volume_settings&, typename Space::stream_type)>;
  std::string name;
  std::uint32_t bound;  // steps a probe takes at most; 0: no bound
  bool scratch;         // whether the scratch region matters
  make_type make;
  make_type make_counted;  // the instrumented twin
};

template <class Space, class Policies>
arm<Space> make_arm(std::string name, std::uint32_t bound = 0)
{
  const auto maker = []<class Voxel, class P>(std::type_identity<Voxel>, std::type_identity<P>) {
    return [](const cutsdf::volume_settings& settings, typename Space::stream_type stream) {
      return std::unique_ptr<contender<Space>>(new volume_contender<Space, Voxel, P>(settings, stream));
    };
  };
  return {std::move(name), bound, Policies::exchange_type::every_step,
          maker(std::type_identity<cutsdf::voxel::five_sums>{}, std::type_identity<Policies>{}),
          maker(std::type_identity<counting::counted_voxel>{}, std::type_identity<counted<Policies>>{})};
}

/// Every arm. The first is the reference.
template <class Space>
std::vector<arm<Space>> all_arms()
{
  using namespace cutsdf;  // NOLINT: policies by their names
  using acq_rel = exchange::acquire_release;
  using slot    = policies<hash::teschner, probe::unbounded, load::plain, index::slot, visit::samples>;
  return {make_arm<Space, language::cuda_cpp>("cuda_cpp"),
          make_arm<Space, language::rust_atomic>("rust_atomic"),
          make_arm<Space, language::rust_volatile>("rust_volatile"),
          make_arm<Space, slot>("slot_index"),
          make_arm<Space, language::bundle<probe::tile_uniform, load::plain>>("tile_uniform"),
          make_arm<Space, language::bundle<probe::bounded<8>, load::plain>>("bounded_8", 8),
          make_arm<Space, language::triton<4>>("triton_4", 4),
          make_arm<Space, language::triton<8>>("triton_8", 8),
          make_arm<Space, language::triton<16>>("triton_16", 16),
          make_arm<Space, language::triton<32>>("triton_32", 32),
          make_arm<Space, language::triton_shared<8>>("triton_shared_8", 8),
          make_arm<Space, language::bundle<probe::lockstep<8>, load::plain, exchange::masked<acq_rel>>>(
            "lockstep_8_masked", 8),
          make_arm<Space, language::bundle<probe::bounded<8>, load::plain, exchange::unmasked<acq_rel>>>(
            "early_exit_8_unmasked", 8),
          make_arm<Space, language::bundle<probe::bounded<8>, load::plain, exchange::masked<acq_rel>>>(
            "early_exit_8_masked", 8)};
}

}  // namespace study
