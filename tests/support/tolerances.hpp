// Every tolerance that tests use, with what it stands for.
#pragma once

namespace cutsdf_test::tolerance {

// Required of a fused and meshed sphere of radius 0.5 m at 1 cm (metres).
inline constexpr double sphere_mean_error = 3e-5;
inline constexpr double sphere_max_error  = 1e-3;

// Required of a surface fused from analytic depth images: mean distance, in voxels.
inline constexpr double depth_surface_mean_vox = 0.1;

// How far surfaces of the two spaces may be apart (metres): float sums in another order.
inline constexpr double spaces_surface = 1e-5;

// A distance that went through a dozen float operations (relative to the truncation).
inline constexpr double voxel_distance = 1e-4;

// Float round-off of a coordinate of about a metre.
inline constexpr double position = 1e-6;

// A colour that went through a mean and one interpolation, in levels of 255.
inline constexpr double color_levels = 2.0;

// A unit vector's length.
inline constexpr double unit_length = 1e-3;

// Normals of a fused curved surface against the analytic ones: smallest cosine.
inline constexpr double normal_cosine = 0.95;

// The same for the worst of many pixels of a surface fused from images of several cameras.
inline constexpr double worst_normal_cosine = 0.85;

// How far a ray's hit may be from the crossing found in tiny steps (metres, at 1 cm).
inline constexpr double march = 2e-4;

// How far a block may be from a segment that visits it, or a segment pass a block that it does not visit (blocks).
inline constexpr double segment_block = 1e-4;

}  // namespace cutsdf_test::tolerance
