// Ray casting: what a camera would see of the surface.
#pragma once

#include <cutsdf/look/sampler.hpp>
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

struct empty_box {
  block_box* box;
  CUTSDF_HD void operator()() const
  {
    *box = {{key_bias, key_bias, key_bias}, {-key_bias - 1, -key_bias - 1, -key_bias - 1}};
  }
};

template <class Policies>
struct grow_box {
  block_table_ref<Policies> table;
  block_box* box;

  CUTSDF_HD void operator()(std::int64_t place) const
  {
    if (place >= table.places() || table.keys[place] == empty_key) { return; }
    const vec3i block            = block_of_key(table.keys[place]);
    const std::int32_t values[3] = {block.x, block.y, block.z};
    for (int axis = 0; axis < 3; ++axis) {
      // Looking before asking: almost every block lies inside what is known already.
      if (values[axis] < atomic::load_relaxed(&box->lower[axis])) { atomic::lower(&box->lower[axis], values[axis]); }
      if (values[axis] > atomic::load_relaxed(&box->upper[axis])) { atomic::raise(&box->upper[axis], values[axis]); }
    }
  }
};

template <class Voxel, class Policies>
struct cast_ray {
  volume_ref<Voxel, Policies> volume;
  const block_box* box;
  pinhole camera;
  rigid_motion camera_to_world;
  raycast_options options;
  float* depth;
  vec3f* normals;
  rgb8* colors;

  CUTSDF_HD void operator()(std::int64_t pixel) const
  {
    const auto width = static_cast<std::uint32_t>(camera.width);
    const auto u     = static_cast<int>(static_cast<std::uint32_t>(pixel) % width);
    const auto v     = static_cast<int>(static_cast<std::uint32_t>(pixel) / width);

    const vec3f ray       = camera_to_world.rotate(camera.ray(u, v));
    const float length    = norm(ray);  // of the ray to depth z = 1
    const float vox_per_z = ieee::mul(length, volume.inverse_voxel_size);
    const vec3f origin    = camera_to_world.translation * volume.inverse_voxel_size;
    const vec3f direction = ray * ieee::div(1.0f, length);

    depth[pixel]   = 0.0f;
    normals[pixel] = {0.0f, 0.0f, 0.0f};
    colors[pixel]  = {0, 0, 0};

    float from = options.min_depth * vox_per_z;
    float to   = options.max_depth * vox_per_z;
    if (!clip(origin, direction, from, to)) { return; }
    sampler<Voxel, Policies> field(volume, options.min_weight);
    float hit;
    if (!march(field, origin, direction, from, to, hit)) { return; }

    const vec3f position = origin + direction * hit;
    const float z        = ieee::div(hit, vox_per_z);
    depth[pixel]         = z;
    normals[pixel]       = normalised(field.gradient(position, 0.0f));
    colors[pixel]        = field.interpolate_color(position);
  }

 private:
  /// Cuts [from, to] to the box of all blocks; false when nothing is left.
  CUTSDF_HD bool clip(vec3f origin, vec3f direction, float& from, float& to) const
  {
    const float o[3] = {origin.x, origin.y, origin.z};
    const float d[3] = {direction.x, direction.y, direction.z};
    for (int axis = 0; axis < 3; ++axis) {
      const auto lower = static_cast<float>(box->lower[axis]) * block_side;
      const auto upper = static_cast<float>(box->upper[axis] + 1) * block_side;
      if (lower > upper) { return false; }  // no block at all
      if (d[axis] == 0.0f) {
        if (o[axis] < lower || o[axis] > upper) { return false; }
        continue;
      }
      const float inverse = 1.0f / d[axis];
      const float a       = (lower - o[axis]) * inverse;
      const float b       = (upper - o[axis]) * inverse;
      from                = fmaxf(from, fminf(a, b));
      to                  = fminf(to, fmaxf(a, b));
    }
    return from <= to;
  }

  /// Distance along the ray at which it leaves a block.
  CUTSDF_HD static float leave(vec3i block, vec3f origin, vec3f direction)
  {
    const auto along = [](std::int32_t b, float o, float d) {
      if (d == 0.0f) { return 3.0e38f; }
      const auto border = static_cast<float>((d > 0.0f ? b + 1 : b) * block_side);
      return (border - o) / d;
    };
    return fminf(along(block.x, origin.x, direction.x),
                 fminf(along(block.y, origin.y, direction.y), along(block.z, origin.z, direction.z)));
  }

  /// First crossing from free space to behind a surface. Blocks that hold nothing are left at their far side; in free
  /// space the step is what the truncated distance allows; near the surface the field is interpolated.
  CUTSDF_HD bool march(sampler<Voxel, Policies>& field, vec3f origin, vec3f direction, float t, float to,
                       float& hit) const
  {
    constexpr float near_vox  = 2.0f;  // nearest-voxel readings above this are trusted to be free space
    constexpr float least_vox = 0.5f;
    bool in_front             = false;  // whether (front_t, front) is a sample in free space, on this side of t
    float front_t = 0.0f, front = 0.0f;
    while (t <= to) {
      // A step that rounding cannot swallow, however far away.
      const float tiny     = fmaxf(0.01f, t * 1.0e-6f);
      const vec3f position = origin + direction * t;
      if (!addressable(position)) {
        t += tiny;
        continue;
      }
      const vec3i voxel = voxel_at(position);
      if (!volume.stored(field.find(block_of(voxel)))) {
        t        = fmaxf(t, leave(block_of(voxel), origin, direction)) + tiny;
        in_front = false;
        continue;
      }
      float distance;
      if (!field.read(voxel, distance)) {
        t += fmaxf(1.0f, tiny);
        in_front = false;
        continue;
      }
      if (distance * volume.truncation_vox > near_vox) {
        in_front = true;
        front_t  = t;
        front    = distance;
        t += fmaxf(distance * volume.truncation_vox - 1.0f, tiny);
        continue;
      }
      if (!field.interpolate(position, distance)) {
        t += fmaxf(least_vox, tiny);
        continue;
      }
      if (distance > 0.0f) {
        in_front = true;
        front_t  = t;
        front    = distance;
        t += fmaxf(fmaxf(least_vox, 0.75f * distance * volume.truncation_vox), tiny);
        continue;
      }
      if (in_front) {
        hit = refine(field, origin, direction, front_t, front, t, distance);
        return true;
      }
      t += fmaxf(1.0f, tiny);
    }
    return false;
  }

  /// Root between a sample in front of the surface and one behind it: false position, bracket kept.
  CUTSDF_HD float refine(sampler<Voxel, Policies>& field, vec3f origin, vec3f direction, float a, float at_a, float b,
                         float at_b) const
  {
    constexpr int iterations = 4;
    float root               = a + (b - a) * at_a / (at_a - at_b);
    for (int i = 0; i < iterations; ++i) {
      float value;
      if (!field.interpolate(origin + direction * root, value)) { break; }
      if (value > 0.0f) {
        a    = root;
        at_a = value;
      } else {
        b    = root;
        at_b = value;
      }
      root = a + (b - a) * at_a / (at_a - at_b);
    }
    return root;
  }
};

}  // namespace detail

/// Renders what `camera` at `camera_to_world` would see: per pixel the first crossing from free space to behind the
/// surface, found in the trilinearly interpolated field, with the field's gradient as normal. Rays start at min_depth
/// and end where the volume's blocks end (or at max_depth). Does not wait. O(pixels * (blocks along a ray + voxels near
/// its surface) + block capacity). Throws invalid_argument for a camera, options or a pose that cannot be meant.
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
  Space::once(stream_, detail::empty_box{box_.data()});
  Space::for_each(stream_, storage_.table.block_capacity(), detail::grow_box<Policies>{v.table, box_.data()});
  Space::for_each(stream_, pixels,
                  detail::cast_ray<Voxel, Policies>{v, box_.data(), camera, pose, options, into.depth.data(),
                                                    into.normals.data(), into.colors.data()});
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
