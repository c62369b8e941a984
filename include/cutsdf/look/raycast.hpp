// Ray casting: what a camera would see of the surface.
#pragma once

#include <cutsdf/look/cells.hpp>
#include <cutsdf/look/cube.hpp>
#include <cutsdf/look/view.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0 {

/// A ray cast, row by row, in the space of the volume. Where a ray meets no surface all three are zero.
template <class Space>
struct ray_image {
  int width;
  int height;
  buffer<float, Space> depth;    // metres along the camera's z axis
  buffer<vec3f, Space> normals;  // unit, world frame, towards free space
  buffer<rgb8, Space> colors;    // black where the volume has no colour
};

namespace detail {

/// The image in patches of 8x4 pixels, each the work of a warp: rays that stay together.
struct patches {
  static constexpr int columns = 8;
  static constexpr int rows    = 4;
  static constexpr int pixels  = columns * rows;
  int width, height;

  /// How many there are; those at the edges reach beyond them.
  [[nodiscard]] std::int64_t count() const
  {
    return std::int64_t{(width + columns - 1) / columns} * ((height + rows - 1) / rows);
  }
  /// Pixel k of a patch; false beyond the edges.
  CUTSDF_HD bool pixel(std::int64_t patch, int k, int& u, int& v) const
  {
    const auto across = static_cast<std::uint32_t>((width + columns - 1) / columns);
    u                 = static_cast<int>(static_cast<std::uint32_t>(patch) % across) * columns + k % columns;
    v                 = static_cast<int>(static_cast<std::uint32_t>(patch) / across) * rows + k / columns;
    return u < width && v < height;
  }
};

/// The last pass: from depths close to the surface the depths on it, in metres; normals and colours.
template <class Voxel, class Policies>
struct shade_surface {
  using ref_type = volume_ref<Voxel, Policies>;

  ref_type volume;
  camera_view view;
  float min_weight;
  float* depth;
  vec3f* normals;
  rgb8* colors;
  cast_counts* counts;
  const block_neighbours* neighbours;

  struct scratch {};

  static constexpr bool launches_early  = true;
  static constexpr float nothing        = list_blocks<Policies>::nothing;
  static constexpr int resident_threads = 640;

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t patch, scratch&) const
  {
    group.for_each_thread([&](int k) {
      if (patch == 0 && k == 0) { *counts = {0, 0}; }
      int u, v;
      if (!patches{view.width, view.height}.pixel(patch, k, u, v)) { return; }
      const std::int64_t pixel = std::int64_t{v} * view.width + u;
      const float z            = depth[pixel];
      if (z < nothing) {
        shade(pixel, view.along(static_cast<float>(u), static_cast<float>(v)), z);
      } else {
        depth[pixel]   = 0.0f;
        normals[pixel] = {0.0f, 0.0f, 0.0f};
        colors[pixel]  = {0, 0, 0};
      }
    });
  }

  CUTSDF_HD void shade(std::int64_t pixel, vec3f along, float z) const
  {
    const vec3i steps         = voxel_at(along * z - view.offset);
    const vec3i lowest        = steps + view.base;
    const vec3f from          = vec3f{0.0f, 0.0f, 0.0f} - view.centre(steps);  // the camera, seen from the cell
    const std::uint32_t place = volume.find(block_of(lowest));
    if (!ref_type::stored(place)) {  // rounding moved it out of the block that was drawn
      write(pixel, z, {0.0f, 0.0f, 0.0f}, along, {0, 0, 0});
      return;
    }
    const voxel_cube<Voxel, Policies> cube(neighbours[place], voxel_in_block(index_in_block(lowest)));

    // The cell and the voxels next to its faces.
    voxel_value sums[4][4][4];
    CUTSDF_UNROLLED
    for (int k = 0; k < 64; ++k) {
      const int x = k & 3, y = k >> 2 & 3, w = k >> 4;
      if (takes_part(x, y, w)) {
        const auto spot      = cube.at(x - 1, y - 1, w - 1);
        sums[w][y][x]        = stored_value<Voxel>::read(volume.voxels, spot.offset).sums();
        sums[w][y][x].weight = spot.exists ? sums[w][y][x].weight : 0.0f;
      }
    }
    float d[4][4][4];
    CUTSDF_UNROLLED
    for (int k = 0; k < 64; ++k) {
      const int x = k & 3, y = k >> 2 & 3, w = k >> 4;
      if (takes_part(x, y, w)) { d[w][y][x] = distance_of<Voxel>(sums[w][y][x], min_weight); }
    }
    const trilinear cell{
      {d[1][1][1], d[1][1][2], d[1][2][1], d[1][2][2], d[2][1][1], d[2][1][2], d[2][2][1], d[2][2][2]}};
    const bool whole = all_seen(cell);  // unless rounding moved it
    if (whole) { z = polished(cell, from, along, z); }
    const vec3f t = point_on(from, along, z);

    // The central differences at the cell's corners, interpolated.
    vec3f gradient{0.0f, 0.0f, 0.0f};
    CUTSDF_UNROLLED
    for (int k = 0; k < 4; ++k) {
      const int a = 1 + (k & 1), b = 1 + (k >> 1);
      const auto weight = [&](float s, float r) { return (a == 2 ? s : 1.0f - s) * (b == 2 ? r : 1.0f - r); };
      gradient.x += weight(t.y, t.z) * difference(d[b][a][0], d[b][a][1], d[b][a][2], d[b][a][3], t.x);
      gradient.y += weight(t.x, t.z) * difference(d[b][0][a], d[b][1][a], d[b][2][a], d[b][3][a], t.y);
      gradient.z += weight(t.x, t.y) * difference(d[0][b][a], d[1][b][a], d[2][b][a], d[3][b][a], t.z);
    }
    write(pixel, z, gradient * (whole ? 1.0f : 0.0f), along, color(cube, t));
  }

 private:
  CUTSDF_HD void write(std::int64_t pixel, float z, vec3f gradient, vec3f along, rgb8 color) const
  {
    float square = dot(gradient, gradient);
    if (!(square > 1.0e-20f)) {  // nothing to tell: it faces the camera
      gradient = {-along.x, -along.y, -along.z};
      square   = dot(along, along);
    }
    depth[pixel]   = z * volume.voxel_size;
    normals[pixel] = gradient * approx::rsqrt(square);
    colors[pixel]  = color;
  }

  CUTSDF_HD static constexpr bool takes_part(int x, int y, int z)
  {
    const auto outer = [](int i) { return i == 0 || i == 3 ? 1 : 0; };
    return outer(x) + outer(y) + outer(z) <= 1;
  }

  /// The root of a cell's field on the ray, from a depth close to it: Newton's steps, as long as they stay in the cell.
  CUTSDF_HD static float polished(const trilinear& cell, vec3f from, vec3f along, float z)
  {
    CUTSDF_UNROLLED
    for (int i = 0; i < 2; ++i) {
      vec3f slope;
      const float value = cell.at(point_on(from, along, z), slope);
      const float gain  = dot(slope, along);
      const float next  = gain < -1.0e-6f ? z - approx::div(value, gain) : z;
      const vec3f t     = point_on(from, along, next);
      const float least = approx::smaller(t.x, approx::smaller(t.y, t.z));
      const float most  = approx::larger(t.x, approx::larger(t.y, t.z));
      z                 = least > -0.001f && most < 1.001f ? next : z;
    }
    return z;
  }

  /// Derivative at `t` between b and c, which were measured, of four values in a row: central differences where there
  /// are neighbours.
  CUTSDF_HD static float difference(float a, float b, float c, float d, float t)
  {
    const float inside = c - b;
    const float at_b   = is_seen(a) ? 0.5f * (c - a) : inside;
    const float at_c   = is_seen(d) ? 0.5f * (d - b) : inside;
    return mix(at_b, at_c, t);
  }

  /// Interpolation of the colour over those of the cell's voxels that have one; black where none has.
  CUTSDF_HD rgb8 color(const voxel_cube<Voxel, Policies>& cube, vec3f t) const
  {
    stored_color<Voxel> colors[8];
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      const auto spot         = cube.at(i & 1, i >> 1 & 1, i >> 2);
      colors[i]               = stored_color<Voxel>::read(volume.voxels, spot.offset);
      colors[i].stored.weight = spot.exists ? colors[i].stored.weight : 0.0f;
    }
    vec3f sum{0.0f, 0.0f, 0.0f};
    float total = 0.0f;
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      const vec3f share{(i & 1) != 0 ? t.x : 1.0f - t.x, (i & 2) != 0 ? t.y : 1.0f - t.y,
                        (i & 4) != 0 ? t.z : 1.0f - t.z};
      const voxel_color& c = colors[i].stored;
      const float weight   = c.weight > 0.0f ? share.x * share.y * share.z : 0.0f;
      sum                  = sum + c.rgb * (weight * colors[i].approx_scale());
      total += weight;
    }
    const float scale = total > 0.0f ? approx::div(1.0f, total) : 0.0f;
    const auto level  = [scale](float c) {
      return static_cast<std::uint8_t>(approx::smaller(approx::larger(c * scale, 0.0f), 255.0f) + 0.5f);
    };
    return {level(sum.x), level(sum.y), level(sum.z)};
  }
};

}  // namespace detail

/// Renders what `camera` at `camera_to_world` would see: per pixel the first crossing from free space to behind the
/// surface in the trilinearly interpolated field, and its normal: the central differences of the voxels around it,
/// interpolated. A crossing counts where all eight voxels around it were observed, at depths from min_depth to
/// max_depth; of two within one cell of the lattice (a ray that grazes a surface) none may be found. Does not wait.
/// O(pixels + voxels of the blocks in view + pixels of the cells that a surface in view passes through, those behind
/// others included + block capacity): max_depth limits what is in view. Throws invalid_argument for a camera, options
/// or a pose that cannot be meant.
template <class Space, class Voxel, class Policies>
void volume<Space, Voxel, Policies>::raycast_async(ray_image<Space>& into, const pinhole& camera,
                                                   const Eigen::Isometry3f& camera_to_world,
                                                   const raycast_options& options) const
{
  detail::require_camera(camera);
  detail::require(options.min_depth > 0.0f, "min_depth", options.min_depth, "positive (metres)");
  detail::require(options.max_depth >= options.min_depth, "max_depth", options.max_depth,
                  "at least min_depth (metres)");
  detail::require(options.min_weight >= 0.0f, "min_weight", options.min_weight, "zero or more");
  detail::require(into.width == camera.width, "width of the images", into.width, "the camera's");
  detail::require(into.height == camera.height, "height of the images", into.height, "the camera's");
  const auto pose   = to_rigid_motion(camera_to_world);
  const auto pixels = std::int64_t{camera.width} * camera.height;
  const auto v      = ref();
  detail::require(pixels <= std::numeric_limits<std::int32_t>::max(), "number of pixels", pixels, "below 2^31");
  detail::require(into.depth.size() == pixels, "size of the depth image", into.depth.size(), "the number of pixels");
  detail::require(into.normals.size() == pixels, "size of the normals", into.normals.size(), "the number of pixels");
  detail::require(into.colors.size() == pixels, "size of the colours", into.colors.size(), "the number of pixels");
  if (pixels == 0) { return; }
  const auto view = detail::camera_view::of(camera, pose, v.inverse_voxel_size, options.min_depth, options.max_depth);
  const auto painter = detail::cell_painter::of(view, v.truncation_vox, into.depth.data());
  const auto places  = storage_.table.block_capacity();
  auto* const counts = cast_counts_.data();
  const auto room    = static_cast<std::uint32_t>(cell_queue_.size());
  Space::for_each(
    stream_, std::max<std::int64_t>(places, pixels),
    detail::list_blocks<Policies>{v.table, view, storage_.listed.data(), counts, into.depth.data(), pixels});
  using draw_cells = detail::draw_cells<Voxel, Policies>;
  Space::template for_each_group<draw_cells::threads>(
    stream_, &counts->blocks, places,
    draw_cells{v, painter, storage_.listed.data(), storage_.neighbours.data(), cell_queue_.data(), room, counts,
               options.min_weight});
  using detail::draw_queue;
  Space::template for_each_group<draw_queue::threads>(stream_, nullptr, draw_queue::groups,
                                                      draw_queue{painter, cell_queue_.data(), room, counts});
  Space::template for_each_group<detail::patches::pixels>(
    stream_, nullptr, detail::patches{camera.width, camera.height}.count(),
    detail::shade_surface<Voxel, Policies>{v, view, options.min_weight, into.depth.data(), into.normals.data(),
                                           into.colors.data(), counts, storage_.neighbours.data()});
}

template <class Space, class Voxel, class Policies>
ray_image<Space> volume<Space, Voxel, Policies>::raycast(const pinhole& camera,
                                                         const Eigen::Isometry3f& camera_to_world,
                                                         const raycast_options& options) const
{
  detail::require_camera(camera);
  const auto pixels = std::int64_t{camera.width} * camera.height;
  detail::require(pixels <= std::numeric_limits<std::int32_t>::max(), "number of pixels", pixels, "below 2^31");
  ray_image<Space> image{camera.width, camera.height, buffer<float, Space>(pixels, stream_, *memory_),
                         buffer<vec3f, Space>(pixels, stream_, *memory_),
                         buffer<rgb8, Space>(pixels, stream_, *memory_)};
  raycast_async(image, camera, camera_to_world, options);
  return image;
}

}  // namespace cutsdf::inline v0
