// What a camera sees of a volume's lattice: its rays, where on the image cells and blocks appear, and the blocks in
// view.
//
// Lengths are in voxels and positions relative to the camera's: those of lattice points are exact to a rounding
// wherever the camera is, and the planes between cells are the same numbers for the cells on both sides.
#pragma once

#include <cutsdf/frame.hpp>
#include <cutsdf/grid/camera.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0::detail {

CUTSDF_HD inline vec3f point_on(vec3f origin, vec3f direction, float t)
{
  return {origin.x + direction.x * t, origin.y + direction.y * t, origin.z + direction.z * t};
}

/// A camera in units of voxels.
struct camera_view {
  vec3i base;                  // the voxel that the camera lies in, where that is in range
  vec3f offset;                // from the camera to the centre of that voxel
  vec3f right, down, forward;  // world frame; right and down a pixel long at depth 1
  vec3f to_u, to_v;            // with these a point's column and row, counted from the principal point, times its depth
  float cx, cy;
  int width, height;
  float nearest, farthest;  // depths that are looked at
  float margin;             // what rounding may do to a column or row

  static camera_view of(const pinhole& camera, const rigid_motion& m, float inverse_voxel_size, float min_depth,
                        float max_depth)
  {
    const vec3f origin = m.translation * inverse_voxel_size;
    const vec3i base   = addressable(origin) ? voxel_at(origin) : vec3i{0, 0, 0};
    const vec3f right{m.row0.x, m.row1.x, m.row2.x};
    const vec3f down{m.row0.y, m.row1.y, m.row2.y};
    return {base,
            centre_vox(base) - origin,
            right * (1.0f / camera.fx),
            down * (1.0f / camera.fy),
            {m.row0.z, m.row1.z, m.row2.z},
            right * camera.fx,
            down * camera.fy,
            camera.cx,
            camera.cy,
            camera.width,
            camera.height,
            min_depth * inverse_voxel_size,
            max_depth * inverse_voxel_size,
            0.02f + 4.0e-6f * static_cast<float>(camera.width + camera.height)};
  }

  /// The ray of a pixel: at depth z along the camera's axis it is at z * along(), seen from the camera.
  [[nodiscard]] CUTSDF_HD vec3f along(float u, float v) const
  {
    const float x = u - cx;
    const float y = v - cy;
    return {forward.x + right.x * x + down.x * y, forward.y + right.y * x + down.y * y,
            forward.z + right.z * x + down.z * y};
  }

  /// A voxel's centre, `steps` voxels from base, seen from the camera.
  [[nodiscard]] CUTSDF_HD vec3f centre(vec3i steps) const { return to_float(steps) + offset; }

  /// Pixels that can see the cell whose lowest corner is `lowest`.
  [[nodiscard]] CUTSDF_HD pixel_box around_cell(vec3f lowest) const
  {
    constexpr float half = 0.5f;
    const vec3f centre   = lowest + vec3f{half, half, half};
    const float z        = dot(forward, centre);
    const float least    = z - half * sum_of_sizes(forward);
    if (least < nearest) {  // a part is too near to be projected
      pixel_box box{0, 0, -1, -1};
      static_cast<void>(sees(centre, half, box));
      return box;
    }
    // Of a point that lies d from the centre the column is u + (to_u - u * forward) . d / its depth.
    const float nearness = approx::div(1.0f, z);
    const float u        = dot(to_u, centre) * nearness;
    const float v        = dot(to_v, centre) * nearness;
    const float most     = approx::div(half, least);
    const float to_side  = sum_of_sizes(to_u - forward * u) * most;
    const float up_down  = sum_of_sizes(to_v - forward * v) * most;
    return {first_at(cx + (u - to_side), width), first_at(cy + (v - up_down), height),
            last_at(cx + (u + to_side), width), last_at(cy + (v + up_down), height)};
  }

  /// Whether some pixel may see the cube [centre - half, centre + half], and then a box around those that do.
  [[nodiscard]] CUTSDF_HD bool sees(vec3f centre, float half, pixel_box& box) const
  {
    const float slack = 0.001f + 1.0e-6f * (fabsf(centre.x) + fabsf(centre.y) + fabsf(centre.z));
    const auto reach  = [&](vec3f axis) { return (half + slack) * sum_of_sizes(axis); };
    const float z     = dot(forward, centre);
    const float z0    = approx::larger(z - reach(forward), nearest);
    const float z1    = approx::smaller(z + reach(forward), farthest);
    if (!(z0 <= z1)) { return false; }
    // Where a bound is not a number (0 / 0) it is the image's.
    const auto lower = [&](float a) { return approx::div(a, a < 0.0f ? z0 : z1); };
    const auto upper = [&](float b) { return approx::div(b, b > 0.0f ? z0 : z1); };
    const float x    = dot(to_u, centre);
    const float y    = dot(to_v, centre);
    const float rx   = reach(to_u);
    const float ry   = reach(to_v);
    box              = {first_at(lower(x - rx) + cx, width), first_at(lower(y - ry) + cy, height),
                        last_at(upper(x + rx) + cx, width), last_at(upper(y + ry) + cy, height)};
    return box.left <= box.right && box.top <= box.bottom;
  }

 private:
  CUTSDF_HD static float sum_of_sizes(vec3f a) { return fabsf(a.x) + fabsf(a.y) + fabsf(a.z); }

  /// The first pixel at or after a coordinate, the last at or before it, as far as there are such.
  [[nodiscard]] CUTSDF_HD int first_at(float a, int size) const
  {
    const float from = approx::smaller(approx::larger(a - margin, 0.0f), static_cast<float>(size));
    return -ieee::floor_to_int(-from);
  }
  [[nodiscard]] CUTSDF_HD int last_at(float a, int size) const
  {
    const float to = approx::larger(approx::smaller(a + margin, static_cast<float>(size) - 1.0f), -1.0f);
    return ieee::floor_to_int(to);
  }
};

/// Lists the blocks of whose cells the camera may see one, each by the steps from the view's base to its first voxel;
/// and clears the image.
template <class Policies>
struct list_blocks {
  static constexpr bool launches_early = true;

  block_table_ref<Policies> table;
  camera_view view;
  listed_block* listed;
  cast_counts* counts;
  float* depth;
  std::int64_t pixels;

  CUTSDF_HD void operator()(std::int64_t i) const
  {
    if (i < pixels) { depth[i] = nothing; }
    if (i >= table.places() || is_empty(table.keys[i])) { return; }
    // Cells reach from the centre of a block's first voxel to that of the next block's.
    constexpr float half = block_side / 2;
    const vec3f steps    = to_float(block_of_key(table.keys[i]) * block_side - view.base);
    pixel_box box;
    if (!view.sees(steps + view.offset + vec3f{half, half, half}, half, box)) { return; }
    listed[atomic::take_number(&counts->blocks)] = {steps, static_cast<std::uint32_t>(i)};
  }

  static constexpr float nothing = 3.0e38f;  // farther than every depth
};

}  // namespace cutsdf::inline v0::detail
