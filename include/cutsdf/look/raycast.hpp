// Ray casting: what a camera would see of the surface.
#pragma once

#include <cutsdf/look/block_cache.hpp>
#include <cutsdf/look/cube.hpp>
#include <cutsdf/look/tiles.hpp>
#include <cutsdf/space/bits.hpp>
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

/// First pass: each pixel's depth in voxels, close to where the field crosses zero, or 0.
template <class Voxel, class Policies>
struct find_surface {
  using ref_type = volume_ref<Voxel, Policies>;

  ref_type volume;
  ray_bundle rays;
  tile_pyramid pyramid;
  float min_weight;
  float* depth;

  using scratch = block_cache;

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t patch, scratch& cache) const
  {
    group.for_each(block_cache::slots, [&](int slot) { cache.clear(slot); });
    group.for_each(patches::pixels, [&](int k) {
      int u, v;
      const bool inside = patches{rays.width, rays.height}.pixel(patch, k, u, v);
      const float z     = march(u, v, inside, cache);
      if (inside) { depth[std::int64_t{v} * rays.width + u] = z; }
    });
  }

  /// First crossing from free space to behind a surface; 0 where there is none. Blocks that hold nothing are left at
  /// their far side; in free space the step is what the truncated distance allows; close to a surface the field is
  /// interpolated. Threads of a warp come here together and stay so: those that are far from a surface, then those that
  /// are close to one.
  CUTSDF_HD float march(int u, int v, bool inside, block_cache& cache) const
  {
    const vec3f along   = rays.along(u, v);
    const float per_vox = approx::rsqrt(along.x * along.x + along.y * along.y + along.z * along.z);
    const vec3f inverse{inverse_of(along.x), inverse_of(along.y), inverse_of(along.z)};
    const occupied_depths occupied = inside ? pyramid.around(u, v) : occupied_depths{};
    float z                        = rays.nearest;
    float end                      = approx::smaller(rays.farthest, 1.0e38f);
    clip(inverse, z, end);
    z = occupied.next(z);

    vec3i block{voxel_limit, 0, 0};  // none
    std::uint32_t place = no_index;
    bool in_front       = false;  // whether (front_z, front) is a sample in free space, on this side of z
    float front_z = 0.0f, front = 0.0f;
    float enough  = 0.0f;   // how far apart, in depth, two samples may be that enclose the surface well
    bool enclosed = false;  // whether z is a guess between samples on both sides
    int guesses   = 0;
    float found   = 0.0f;
    bool searches = inside && z <= end;
    bool close    = false;
    for (;;) {
      // Those far from a surface or many of those close to one: the others wait.
      const int roaming = bits::count(warp::those(searches && !close));
      const int closing = bits::count(warp::those(searches && close));
      if (roaming + closing == 0) { break; }
      if (roaming * patience >= closing) {
        // By the voxel that holds the sample.
        if (searches && !close) {
          const vec3i voxel = voxel_at(point_on(rays.origin, along, z));
          if (!(block == block_of(voxel))) {
            block = block_of(voxel);
            place = cache.find(volume, block, rays.block);
          }
          const bool stored = ref_type::stored(place);
          const float d     = distance_of(
                stored_value<Voxel>::read(volume.voxels, ref_type::offset(stored ? place : 0, index_in_block(voxel))),
                min_weight);
          const bool seen   = stored && is_seen(d);
          const float value = d * volume.truncation_vox;
          close             = seen && value <= near_vox && (in_front || value > behind_vox);
          const bool open   = seen && value > near_vox;
          in_front          = open || (close && in_front);
          front_z           = open ? z : front_z;
          front             = open ? value : front;
          enough            = open ? roughly_vox * per_vox : enough;
          float next        = z + approx::larger(
                                    (open ? approx::larger(value - nearest_slack, least_vox) : blind_vox) * per_vox, tiny(z));
          if (!stored) { next = occupied.next(approx::larger(z, leave(block, inverse)) + tiny(z)); }
          z        = close ? z : next;
          searches = z <= end;
        }
      } else {
        const warp::team team(searches && close);
        if (searches && close) {
          // By the interpolated field.
          float value        = 0.0f;
          const bool known   = interpolate(point_on(rays.origin, along, z), cache, team, value);
          const bool ahead   = known && value > 0.0f;
          const bool crossed = known && !ahead && in_front;
          // Between a sample in front of the surface and one behind it: false position.
          const float root = front_z + (z - front_z) * approx::div(front, front - value);
          guesses += crossed ? 1 : 0;
          const bool good  = crossed && (z - front_z <= enough || value > -close_vox || guesses > 4);
          found            = good ? root : !known && enclosed ? z : 0.0f;
          const float step = ahead ? approx::larger(least_vox, value * over_factor + over_vox) : 1.0f;
          in_front         = in_front || ahead;
          front_z          = ahead ? z : front_z;
          front            = ahead ? value : front;
          enough           = ahead ? narrow_vox * per_vox : enough;
          enclosed         = crossed;
          z                = crossed ? root : z + approx::larger(step * per_vox, tiny(z));
          searches         = found == 0.0f && z <= end;
          close            = crossed || (ahead && value <= near_vox);
        }
      }
    }
    return found;
  }

 private:
  // In voxels. Chosen by counting the samples of real rays and comparing their hits with a march in tenths of a voxel.
  static constexpr float near_vox      = 0.8f;  // one voxel's distance above this is trusted to be free space
  static constexpr float nearest_slack = 0.4f;  // how much of it is not: the voxel's centre is beside the ray
  static constexpr float least_vox     = 0.6f;  // the shortest step near a surface
  static constexpr float over_factor   = 1.2f;  // steps that aim behind the surface, so that two samples enclose it
  static constexpr float over_vox      = 0.3f;
  static constexpr float roughly_vox   = 0.7f;   // samples as close as this enclose it well where one is of a voxel
  static constexpr float narrow_vox    = 1.5f;   // the same where both are interpolated
  static constexpr float close_vox     = 0.05f;  // a sample as close to it as this needs no better
  static constexpr float behind_vox    = -1.0f;  // farther behind a surface a ray that saw no front of it goes on
  static constexpr float blind_vox     = 2.0f;   // the step where nothing was seen: what is in front is thicker
  static constexpr int patience        = 2;      // those who roam go first unless twice as many are close

  /// A step that rounding cannot swallow, however far away.
  CUTSDF_HD static float tiny(float z) { return approx::larger(0.01f, z * 1.0e-6f); }

  CUTSDF_HD static float inverse_of(float d)
  {
    return fabsf(d) > 1.0e-30f ? approx::div(1.0f, d) : d < 0.0f ? -1.0e30f : 1.0e30f;
  }

  /// Cuts [z, end] to where blocks can be.
  CUTSDF_HD void clip(vec3f inverse, float& z, float& end) const
  {
    constexpr auto border = static_cast<float>(voxel_limit);
    const auto cut        = [&](float o, float i) {
      const float a = (-border - o) * i;
      const float b = (border - o) * i;
      z             = approx::larger(z, approx::smaller(a, b));
      end           = approx::smaller(end, approx::larger(a, b));
    };
    cut(rays.origin.x, inverse.x);
    cut(rays.origin.y, inverse.y);
    cut(rays.origin.z, inverse.z);
  }

  /// Depth at which the ray leaves a block.
  CUTSDF_HD float leave(vec3i from, vec3f inverse) const
  {
    const auto along = [](std::int32_t b, float o, float i) {
      return (static_cast<float>((b + (i > 0.0f ? 1 : 0)) * block_side) - o) * i;
    };
    return approx::smaller(
      along(from.x, rays.origin.x, inverse.x),
      approx::smaller(along(from.y, rays.origin.y, inverse.y), along(from.z, rays.origin.z, inverse.z)));
  }

  /// The field in voxels; false unless all eight voxels around were observed.
  CUTSDF_HD bool interpolate(vec3f position, block_cache& cache, const warp::team& team, float& value) const
  {
    const vec3f shifted{position.x - 0.5f, position.y - 0.5f, position.z - 0.5f};
    const vec3i base = voxel_at(shifted);
    const voxel_cube<2, Voxel, Policies> cube(volume, base, cache, rays.block, team);
    if (!cube.all_stored()) { return false; }
    stored_value<Voxel> values[8];
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      values[i] = stored_value<Voxel>::read(volume.voxels, cube.offset(i & 1, i >> 1 & 1, i >> 2));
    }
    trilinear cell;
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      cell.d[i] = distance_of(values[i], min_weight);
    }
    if (!cell.seen()) { return false; }
    value = cell.at(shifted - to_float(base)) * volume.truncation_vox;
    return true;
  }
};

/// Second pass: from depths close to the surface the depths on it, in metres; normals and colours.
template <class Voxel, class Policies>
struct shade_surface {
  using ref_type = volume_ref<Voxel, Policies>;

  ref_type volume;
  ray_bundle rays;
  float min_weight;
  float* depth;
  vec3f* normals;
  rgb8* colors;

  using scratch = block_cache;

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t patch, scratch& cache) const
  {
    group.for_each(block_cache::slots, [&](int slot) { cache.clear(slot); });
    group.for_each(patches::pixels, [&](int k) {
      int u, v;
      const bool inside        = patches{rays.width, rays.height}.pixel(patch, k, u, v);
      const std::int64_t pixel = std::int64_t{v} * rays.width + u;
      const float z            = inside ? depth[pixel] : 0.0f;
      const warp::team team(z > 0.0f);
      if (z > 0.0f) {
        shade(pixel, rays.along(u, v), z, cache, team);
      } else if (inside) {
        depth[pixel]   = 0.0f;
        normals[pixel] = {0.0f, 0.0f, 0.0f};
        colors[pixel]  = {0, 0, 0};
      }
    });
  }

  CUTSDF_HD void shade(std::int64_t pixel, vec3f along, float z, block_cache& cache, const warp::team& team) const
  {
    const vec3f shifted{rays.origin.x - 0.5f, rays.origin.y - 0.5f, rays.origin.z - 0.5f};
    const vec3i base = voxel_at(point_on(shifted, along, z));
    const vec3f from = shifted - to_float(base);  // the ray's origin, as seen from the cell
    const voxel_cube<4, Voxel, Policies> cube(volume, base - vec3i{1, 1, 1}, cache, rays.block, team);

    // The cell and the voxels next to its faces.
    stored_value<Voxel> values[4][4][4];
    CUTSDF_UNROLLED
    for (int k = 0; k < 64; ++k) {
      const int x = k & 3, y = k >> 2 & 3, w = k >> 4;
      if (takes_part(x, y, w)) {
        const auto from = cube.offset(x, y, w);
        values[w][y][x] = stored_value<Voxel>::read(volume.voxels, readable(from));
        if (from < 0) { values[w][y][x].stored.weight = 0.0f; }
      }
    }
    float d[4][4][4];
    CUTSDF_UNROLLED
    for (int k = 0; k < 64; ++k) {
      const int x = k & 3, y = k >> 2 & 3, w = k >> 4;
      if (takes_part(x, y, w)) { d[w][y][x] = distance_of(values[w][y][x], min_weight); }
    }
    const trilinear cell{
      {d[1][1][1], d[1][1][2], d[1][2][1], d[1][2][2], d[2][1][1], d[2][1][2], d[2][2][1], d[2][2][2]}};
    if (cell.seen()) { z = polished(cell, from, along, z); }
    const vec3f t = point_on(from, along, z);
    depth[pixel]  = z * volume.voxel_size;

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
    float square = gradient.x * gradient.x + gradient.y * gradient.y + gradient.z * gradient.z;
    if (!(square > 1.0e-20f)) {  // nothing to tell: it faces the camera
      gradient = {-along.x, -along.y, -along.z};
      square   = along.x * along.x + along.y * along.y + along.z * along.z;
    }
    const float scale = approx::rsqrt(square);
    normals[pixel]    = {gradient.x * scale, gradient.y * scale, gradient.z * scale};
    colors[pixel]     = color(cube, t);
  }

 private:
  CUTSDF_HD static constexpr bool takes_part(int x, int y, int z)
  {
    const auto outer = [](int i) { return i == 0 || i == 3 ? 1 : 0; };
    return outer(x) + outer(y) + outer(z) <= 1;
  }

  /// The root of a cell's field on the ray, from a depth close to it: Newton's steps.
  CUTSDF_HD static float polished(const trilinear& cell, vec3f from, vec3f along, float z)
  {
    CUTSDF_UNROLLED
    for (int i = 0; i < 2; ++i) {
      vec3f slope;
      const float value = cell.at(point_on(from, along, z), slope);
      const float gain  = slope.x * along.x + slope.y * along.y + slope.z * along.z;
      const float step  = gain < -1.0e-6f ? approx::div(value, -gain) : 0.0f;
      z += approx::smaller(approx::larger(step, -0.5f), 0.5f);
    }
    return z;
  }

  /// Derivative at `t` between b and c of four values in a row: central differences where there are neighbours.
  CUTSDF_HD static float difference(float a, float b, float c, float d, float t)
  {
    if (!is_seen(b) || !is_seen(c)) { return 0.0f; }
    const float inside = c - b;
    const float at_b   = is_seen(a) ? 0.5f * (c - a) : inside;
    const float at_c   = is_seen(d) ? 0.5f * (d - b) : inside;
    return mix(at_b, at_c, t);
  }

  /// Interpolation of the colour over those of the cell's voxels that have one; black where none has.
  CUTSDF_HD rgb8 color(const voxel_cube<4, Voxel, Policies>& cube, vec3f t) const
  {
    stored_color<Voxel> colors[8];
    CUTSDF_UNROLLED
    for (int i = 0; i < 8; ++i) {
      const auto from = cube.offset(1 + (i & 1), 1 + (i >> 1 & 1), 1 + (i >> 2));
      colors[i]       = stored_color<Voxel>::read(volume.voxels, readable(from));
      if (from < 0) { colors[i].stored.weight = 0.0f; }
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
/// interpolated. Rays start at min_depth and end where there are no more blocks before them (or at max_depth). Does not
/// wait. O(pixels * (blocks along a ray + voxels near its surface) + block capacity); blocks elsewhere, however far
/// away, cost nothing more. Throws invalid_argument for a camera, options or a pose that cannot be meant.
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
  detail::require(into.depth.size() == pixels, "size of the depth image", into.depth.size(), "the number of pixels");
  detail::require(into.normals.size() == pixels, "size of the normals", into.normals.size(), "the number of pixels");
  detail::require(into.colors.size() == pixels, "size of the colours", into.colors.size(), "the number of pixels");
  if (pixels == 0) { return; }
  const auto rays    = detail::rays_of(camera, pose, v.inverse_voxel_size, options.min_depth, options.max_depth);
  const auto pyramid = detail::tile_pyramid::over(camera.width, camera.height, tiles_.data());
  const auto count   = detail::patches{camera.width, camera.height}.count();
  Space::fill_bytes(stream_, tiles_.data(), 0, static_cast<std::size_t>(pyramid.size()) * sizeof(detail::tile_depths));
  Space::for_each(stream_, storage_.table.block_capacity(),
                  detail::enter_blocks<Policies>::make(v.table, rays, pyramid, camera, pose));
  Space::template for_each_group<detail::patches::pixels>(
    stream_, nullptr, count,
    detail::find_surface<Voxel, Policies>{v, rays, pyramid, options.min_weight, into.depth.data()});
  Space::template for_each_group<detail::patches::pixels>(
    stream_, nullptr, count,
    detail::shade_surface<Voxel, Policies>{v, rays, options.min_weight, into.depth.data(), into.normals.data(),
                                           into.colors.data()});
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
