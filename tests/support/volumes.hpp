// The kinds of volume that tests use. They are instantiated once, in instantiate.cpp, and declared extern here: a CUDA
// compiler takes seconds for each set of kernels.
#pragma once

#include <cutsdf/cutsdf.hpp>

#include "space.hpp"

namespace cutsdf_test {

/// The paper's policies: a lookup a sample, Teschner's hash.
using paper_policies = language::cuda_cpp;
/// The same with relaxed atomic first loads.
using atomic_load_policies = language::rust_atomic;
/// A block's place is its slot.
using slot_policies = policies<hash::mixed, probe::unbounded, load::plain, index::slot>;
/// Probes that give up after eight slots.
using bounded_policies = policies<hash::mixed, probe::bounded<8>>;

using default_volume     = volume<test_space>;
using paper_volume       = volume<test_space, voxel::five_sums, paper_policies>;
using atomic_load_volume = volume<test_space, voxel::five_sums, atomic_load_policies>;
using slot_volume        = volume<test_space, voxel::fixed_point, slot_policies>;
using bounded_volume     = volume<test_space, voxel::compact, bounded_policies>;

}  // namespace cutsdf_test

// Fusion and reserve of volume<__VA_ARGS__>; `prefix` is "template" or "extern template".
#define CUTSDF_TEST_INSTANTIATE_FUSION(prefix, ...)                                                            \
  prefix frame_result volume<__VA_ARGS__>::integrate(const point_cloud&, const Eigen::Vector3f&);              \
  prefix void volume<__VA_ARGS__>::integrate_async(const point_cloud&, const Eigen::Vector3f&, frame_result*); \
  prefix void volume<__VA_ARGS__>::allocate_async(const point_cloud&, const Eigen::Vector3f&);                 \
  prefix void volume<__VA_ARGS__>::update_async(const point_cloud&, const Eigen::Vector3f&, frame_result*);    \
  prefix void volume<__VA_ARGS__>::reserve(std::int64_t, std::int64_t);                                        \
  CUTSDF_TEST_INSTANTIATE_DEPTH(prefix, float, __VA_ARGS__)

#define CUTSDF_TEST_INSTANTIATE_DEPTH(prefix, T, ...)                                                         \
  prefix frame_result volume<__VA_ARGS__>::integrate(const depth_view<T>&, const color_view&, const pinhole&, \
                                                     const Eigen::Isometry3f&, const depth_range&);           \
  prefix void volume<__VA_ARGS__>::integrate_async(const depth_view<T>&, const color_view&, const pinhole&,   \
                                                   const Eigen::Isometry3f&, const depth_range&, frame_result*);

#define CUTSDF_TEST_INSTANTIATE_SURFACE(prefix, Space, ...)                                                          \
  prefix ray_image<Space> volume<Space, __VA_ARGS__>::raycast(const pinhole&, const Eigen::Isometry3f&,              \
                                                              const raycast_options&) const;                         \
  prefix void volume<Space, __VA_ARGS__>::raycast_async(ray_image<Space>&, const pinhole&, const Eigen::Isometry3f&, \
                                                        const raycast_options&) const;                               \
  prefix mesh<Space> volume<Space, __VA_ARGS__>::extract_mesh(const extract_options&) const;                         \
  prefix surface_points<Space> volume<Space, __VA_ARGS__>::extract_points(const extract_options&) const;

#define CUTSDF_TEST_INSTANTIATE(prefix, Space)                                                       \
  CUTSDF_TEST_INSTANTIATE_FUSION(prefix, Space, voxel::fixed_point, policies<>)                      \
  CUTSDF_TEST_INSTANTIATE_DEPTH(prefix, std::uint16_t, Space, voxel::fixed_point, policies<>)        \
  CUTSDF_TEST_INSTANTIATE_FUSION(prefix, Space, voxel::five_sums, cutsdf_test::paper_policies)       \
  CUTSDF_TEST_INSTANTIATE_FUSION(prefix, Space, voxel::five_sums, cutsdf_test::atomic_load_policies) \
  CUTSDF_TEST_INSTANTIATE_FUSION(prefix, Space, voxel::fixed_point, cutsdf_test::slot_policies)      \
  CUTSDF_TEST_INSTANTIATE_FUSION(prefix, Space, voxel::compact, cutsdf_test::bounded_policies)       \
  CUTSDF_TEST_INSTANTIATE_SURFACE(prefix, Space, voxel::fixed_point, policies<>)                     \
  CUTSDF_TEST_INSTANTIATE_SURFACE(prefix, Space, voxel::five_sums, cutsdf_test::paper_policies)      \
  CUTSDF_TEST_INSTANTIATE_SURFACE(prefix, Space, voxel::fixed_point, cutsdf_test::slot_policies)

namespace cutsdf::inline v0 {
#if CUTSDF_HAS_CUDA
CUTSDF_TEST_INSTANTIATE(extern template, space::device)
#else
CUTSDF_TEST_INSTANTIATE(extern template, space::host)
#endif
}  // namespace cutsdf::inline v0
