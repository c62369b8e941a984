// Fusion of point clouds.
#pragma once

#include <cutsdf/fuse/points_combined.hpp>
#include <cutsdf/fuse/points_scatter.hpp>
#include <cutsdf/fuse/tuning.hpp>

namespace cutsdf::inline v0 {

template <class Space, class Voxel, class Policies>
void volume<Space, Voxel, Policies>::allocate_async(const point_cloud& points, const Eigen::Vector3f& camera_position)
{
  const auto v      = ref();
  const auto cloud  = detail::view_of<Voxel>(points, camera_position, v.inverse_voxel_size);
  const auto number = std::ssize(points.positions);
  if constexpr (combines_points) {
    Space::for_each(stream_, number,
                    detail::insert_bands<Policies>{v.table, cloud, v.inverse_voxel_size, v.truncation_vox});
  } else if constexpr (tile_probe_policy<typename Policies::probe_type>) {
    detail::for_each_tile_program<Space>(
      stream_, detail::allocate_tile<Policies>{v.table, cloud, number, v.inverse_voxel_size, v.truncation_vox});
  } else {
    Space::for_each(stream_, number,
                    detail::allocate_points<Policies>{v.table, cloud, v.inverse_voxel_size, v.truncation_vox});
  }
}

template <class Space, class Voxel, class Policies>
void volume<Space, Voxel, Policies>::update_async(const point_cloud& points, const Eigen::Vector3f& camera_position,
                                                  frame_result* result)
{
  const auto v      = ref();
  const auto cloud  = detail::view_of<Voxel>(points, camera_position, v.inverse_voxel_size);
  const auto number = std::ssize(points.positions);
  if constexpr (combines_points) {
    combine_points<false>(cloud, number, result);
  } else {
    const detail::update_points<Voxel, Policies> update{v, state_.data(), cloud};
    if constexpr (tile_probe_policy<typename Policies::lookup_type>) {
      detail::for_each_tile_program<Space>(stream_, detail::update_tile<Voxel, Policies>{update, number});
    } else {
      Space::for_each(stream_, number, update);
    }
    Space::once(stream_, end_of_frame(number, result));
  }
}

template <class Space, class Voxel, class Policies>
template <bool Insert>
void volume<Space, Voxel, Policies>::combine_points(const detail::cloud_view& cloud, std::int64_t number,
                                                    frame_result* result)
{
  const auto v   = ref();
  const auto run = [&](auto weighted) {
    const detail::combine_points<Insert, decltype(weighted)::value, Voxel, Policies> combine{
      v, state_.data(), cloud, number, detail::tuning<Space>::shares(number), 1.0f / v.truncation_vox};
    Space::for_each(stream_, combine.threads(), combine);
  };
  if (cloud.weights == nullptr) {
    run(std::false_type{});
  } else {
    run(std::true_type{});
  }
  Space::once(stream_, end_of_frame(number, result));
}

template <class Space, class Voxel, class Policies>
void volume<Space, Voxel, Policies>::integrate_async(const point_cloud& points, const Eigen::Vector3f& camera_position,
                                                     frame_result* result)
{
  if constexpr (combines_points) {
    const auto number = std::ssize(points.positions);
    if (number < detail::tuning<Space>::one_pass_below) {
      combine_points<true>(detail::view_of<Voxel>(points, camera_position, ref().inverse_voxel_size), number, result);
      return;
    }
  }
  allocate_async(points, camera_position);
  update_async(points, camera_position, result);
}

template <class Space, class Voxel, class Policies>
frame_result volume<Space, Voxel, Policies>::integrate(const point_cloud& points,
                                                       const Eigen::Vector3f& camera_position)
{
  integrate_async(points, camera_position, result_.data());
  return wait_for_result();
}

}  // namespace cutsdf::inline v0
