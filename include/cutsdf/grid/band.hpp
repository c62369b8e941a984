// The truncation band around a surface sample: which voxels and which blocks an observation reaches.
#pragma once

#include <cutsdf/grid/coordinate.hpp>

namespace cutsdf::inline v0 {

/// Number of samples on each side of a point: max(1, ceil(truncation)), the truncation in voxels.
CUTSDF_HD inline int band_samples(float truncation_vox)
{
  const int n = -ieee::floor_to_int(-truncation_vox);
  return n > 1 ? n : 1;
}

/// The ray from a camera to a point, and the samples of the band along it. All lengths in voxels.
struct point_ray {
  vec3f camera;
  vec3f point;
  vec3f direction;  // unit
  float range;      // |point - camera|

  /// False for a point that is not finite, at the camera, or so far from it that a float cannot tell a voxel's distance
  /// from its neighbour's.
  CUTSDF_HD static bool make(vec3f camera_vox, vec3f point_vox, point_ray& ray)
  {
    const vec3f offset       = point_vox - camera_vox;
    const float range        = norm(offset);
    constexpr float farthest = 2.0f * static_cast<float>(voxel_limit);
    if (!(range > 0.0f) || !ieee::is_finite(range) || (range > farthest && addressable(point_vox))) { return false; }
    ray = {camera_vox, point_vox, offset * ieee::div(1.0f, range), range};
    return true;
  }

  /// Position of sample `s`, s voxels behind the point (negative: in front of it).
  [[nodiscard]] CUTSDF_HD vec3f sample(int s) const { return point + direction * static_cast<float>(s); }

  /// What for_each_voxel() makes of one sample: a voxel to visit, nothing, or a place that no key can name.
  enum class sight { nothing, voxel, outside };
  CUTSDF_HD sight look_at(int s, float truncation_vox, vec3i& voxel, float& squared_range) const
  {
    voxel         = {0, 0, 0};
    squared_range = 0.0f;
    if (ieee::add(range, static_cast<float>(s)) <= 0.0f) { return sight::nothing; }
    const vec3f position = sample(s);
    if (!addressable(position)) { return sight::outside; }
    const vec3i seen        = voxel_at(position);
    const vec3f from_camera = centre_vox(seen) - camera;
    const float squared     = dot(from_camera, from_camera);
    const float farthest    = ieee::add(range, truncation_vox);
    if (squared > ieee::mul(farthest, farthest)) { return sight::nothing; }
    voxel         = seen;
    squared_range = squared;
    return sight::voxel;
  }

  /// Calls `visit(voxel, squared_range)` for the voxels that hold the samples -n..n, from front to back, where
  /// squared_range is that of the voxel's centre from the camera, and `outside()` for each sample that no key can name.
  /// Left out: samples behind the camera, where a distance along the ray means nothing, and voxels whose centre lies
  /// more than the truncation behind the point. Both passes of fusion walk with this one function.
  template <class Visit, class Outside>
  CUTSDF_HD void for_each_voxel(float truncation_vox, const Visit& visit, const Outside& outside) const
  {
    const limits band = limits_of(truncation_vox);
    for (int s = band.first; s <= band.last; ++s) {
      vec3i voxel;
      float squared_range;
      const sight seen = look_at(s, band, voxel, squared_range);
      if (seen == sight::outside) { outside(); }
      if (seen == sight::voxel) { visit(voxel, squared_range); }
    }
  }

  /// What all samples of a band are held against.
  struct limits {
    int first, last;      // samples that are not behind the camera
    float squared_range;  // of the truncation's end behind the point
    bool inside;          // far from the end of the keys: no sample needs to be asked
    int certain;          // up to this one no voxel's centre lies behind the truncation
  };
  [[nodiscard]] CUTSDF_HD limits limits_of(float truncation_vox, bool valid = true) const
  {
    if (!valid) { return {1, 0, 0.0f, true, 0}; }
    const int n = band_samples(truncation_vox);
    int first   = -n;
    while (ieee::add(range, static_cast<float>(first)) <= 0.0f) {
      ++first;
    }
    const float farthest = ieee::add(range, truncation_vox);
    // No point of a voxel is a whole voxel from its centre. Up to `exact` rounding is far below what is left of it, and
    // from `least` on the direction is a unit vector (below, its square is denormal).
    constexpr float exact = 65536.0f, least = 1.0e-15f;
    const bool certain = within(exact) && range < exact && range > least;
    return {first, n, ieee::mul(farthest, farthest), within(static_cast<float>(voxel_limit - 1 - n)),
            certain ? ieee::floor_to_int(ieee::sub(truncation_vox, 1.0f)) : first - 1};
  }

  /// Whether no coordinate of the point is beyond `limit`.
  [[nodiscard]] CUTSDF_HD bool within(float limit) const
  {
    return fabsf(point.x) < limit && fabsf(point.y) < limit && fabsf(point.z) < limit;
  }

  /// look_at() for a sample in [first, last].
  CUTSDF_HD sight look_at(int s, const limits& band, vec3i& voxel, float& squared_range) const
  {
    const vec3f position = sample(s);
    if (!band.inside && !addressable(position)) { return sight::outside; }
    voxel                   = voxel_at(position);
    const vec3f from_camera = centre_vox(voxel) - camera;
    squared_range           = dot(from_camera, from_camera);
    return squared_range > band.squared_range ? sight::nothing : sight::voxel;
  }
};

/// Names for blocks, for block_walk: the blocks themselves.
struct block_itself {
  CUTSDF_HD static constexpr vec3i of(vec3i block) { return block; }
  CUTSDF_HD static constexpr vec3i along_x() { return {1, 0, 0}; }
  CUTSDF_HD static constexpr vec3i along_y() { return {0, 1, 0}; }
  CUTSDF_HD static constexpr vec3i along_z() { return {0, 0, 1}; }
  CUTSDF_HD static constexpr bool differ(vec3i a, vec3i b) { return a.x != b.x || a.y != b.y || a.z != b.z; }
  CUTSDF_HD static constexpr bool differ_on_x(vec3i a, vec3i b) { return a.x != b.x; }
  CUTSDF_HD static constexpr bool differ_on_y(vec3i a, vec3i b) { return a.y != b.y; }
  CUTSDF_HD static constexpr bool differ_on_z(vec3i a, vec3i b) { return a.z != b.z; }
};

/// The blocks that the segment from `a` to `b` (in units of blocks) passes through. Both ends must be addressable.
///
/// The walk of Amanatides and Woo, "A Fast Voxel Traversal Algorithm for Ray Tracing" (1987), with the last block known
/// beforehand and no axis crossed beyond it, so that rounding can neither lose that block nor run on.
///
/// F is float for one segment, or a pack for several: make() and route() have no branches.
template <class F>
struct block_walk {
  using integer = integer_of<F>;

  vec3<integer> first;
  vec3<integer> crossings;  // borders to cross by axis, signed: last block - first
  vec3<F> next;             // parameter of an axis's first crossing, the whole segment being 1; `never` without one
  vec3<F> spacing;          // of an axis's crossings

  CUTSDF_INLINE static block_walk make(vec3<F> a, vec3<F> b)
  {
    const vec3<integer> first     = block_at(a);
    const vec3<integer> crossings = block_at(b) - first;
    const axis x                  = axis::make(a.x, b.x, first.x, crossings.x);
    const axis y                  = axis::make(a.y, b.y, first.y, crossings.y);
    const axis z                  = axis::make(a.z, b.z, first.z, crossings.z);
    return {first, crossings, {x.next, y.next, z.next}, {x.spacing, y.spacing, z.spacing}};
  }

  /// Several in memory, where each can be taken by its number.
  struct lanes {
    lanes_in_memory<integer> first[3], crossings[3];
    lanes_in_memory<F> next[3], spacing[3];

    explicit CUTSDF_INLINE lanes(const block_walk& several)
      : first{{several.first.x}, {several.first.y}, {several.first.z}}, crossings{{several.crossings.x},
                                                                                  {several.crossings.y},
                                                                                  {several.crossings.z}},
        next{{several.next.x}, {several.next.y}, {several.next.z}}, spacing{{several.spacing.x},
                                                                            {several.spacing.y},
                                                                            {several.spacing.z}}
    {
    }
    [[nodiscard]] CUTSDF_INLINE block_walk<float> operator[](int i) const
    {
      return {{first[0][i], first[1][i], first[2][i]},
              {crossings[0][i], crossings[1][i], crossings[2][i]},
              {next[0][i], next[1][i], next[2][i]},
              {spacing[0][i], spacing[1][i], spacing[2][i]}};
    }
  };

  /// Calls `visit(block)` for every block, each once and in order. Where the segment passes exactly through an edge,
  /// the block on one side of the edge is visited on the way. O(blocks visited).
  template <class Visit>
  CUTSDF_HD void for_each_block(const Visit& visit) const requires(lanes_of<F> == 1)
  {
    for_each_name(block_itself{}, visit);
  }

  /// The same with names for blocks: `visit(names.of(block))`, in fewer instructions where a name is a word. See
  /// block_itself for what `names` has: names that can be added, and whether two differ on an axis.
  template <class Names, class Visit>
  CUTSDF_HD void for_each_name(const Names& names, const Visit& visit) const requires(lanes_of<F> == 1)
  {
    // Without branches, for neighbours of a warp cross different axes at the same time.
    const auto cross = [](bool crosses, bool goes_on, float& next, float spacing) {
      next = crosses ? ieee::add(next, spacing) : next;
      next = goes_on ? next : never;
    };
    const auto signed_by = [](std::int32_t n, auto step) { return n > 0 ? step : decltype(step){} - step; };
    const auto along_x   = signed_by(crossings.x, Names::along_x());
    const auto along_y   = signed_by(crossings.y, Names::along_y());
    const auto along_z   = signed_by(crossings.z, Names::along_z());
    auto name            = names.of(first);
    const auto last      = names.of(first + crossings);
    float x = next.x, y = next.y, z = next.z;
    CUTSDF_ROLLED
    for (;;) {
      visit(name);
      if (!Names::differ(name, last)) { return; }
      const bool over_x = x <= y && x <= z;
      const bool over_y = !over_x && y <= z;
      name              = name + (over_x ? along_x : over_y ? along_y : along_z);
      cross(over_x, Names::differ_on_x(name, last), x, spacing.x);
      cross(over_y, Names::differ_on_y(name, last), y, spacing.y);
      cross(!over_x && !over_y, Names::differ_on_z(name, last), z, spacing.z);
    }
  }

  /// A number that decides which blocks for_each_block() visits, the same for no other route near `base`; no_route
  /// where there is none. There is one where the first block is within 32 of `base` on each axis and either no axis is
  /// crossed more than once, when the order of the axes decides, or only one is, three times at most.
  static constexpr std::int32_t no_route = -1;
  [[nodiscard]] CUTSDF_INLINE integer route(vec3<integer> base) const
  {
    const integer zero(0);
    const integer x    = first.x - base.x + integer(32);
    const integer y    = first.y - base.y + integer(32);
    const integer z    = first.z - base.z + integer(32);
    const integer most = magnitude(crossings.x) | magnitude(crossings.y) | magnitude(crossings.z);
    const integer axes = number(crossings.x != zero) + number(crossings.y != zero) + number(crossings.z != zero);
    const auto close   = ((x | y | z) & integer(~63)) == zero;
    const auto simple  = (most <= integer(1)) | ((axes <= integer(1)) & (most <= integer(3)));
    const auto order   = number(next.x <= next.y) | number(next.x <= next.z) << 1 | number(next.y <= next.z) << 2;
    const integer ways = crossings.x + (crossings.y << 3) + (crossings.z << 6) + integer(4 + (4 << 3) + (4 << 6));
    return select(close & simple, x | y << 6 | z << 12 | ways << 18 | order << 27, integer(no_route));
  }

 private:
  static constexpr float never = 3.0e38f;
  static constexpr float least = 1.0e-30f;

  struct axis {
    F next, spacing;

    CUTSDF_INLINE static axis make(F from, F to, integer block, integer steps)
    {
      const integer none(0);
      const F difference = ieee::sub(to, from);  // only where there is no crossing hardly any
      const F inverse    = ieee::reciprocal_of_normal(select(ieee::abs(difference) >= F(least), difference, F(least)));
      const F border     = ieee::to_float(block + select(steps > none, integer(1), none));
      const F next       = ieee::mul(ieee::sub(border, from), inverse);
      // A crossing lies on the segment.
      const F within = select(next <= F(1.0f), next, F(1.0f));
      return {select(steps != none, within, F(never)), ieee::abs(inverse)};
    }
  };

  [[nodiscard]] CUTSDF_INLINE static vec3<integer> block_at(vec3<F> p)
  {
    return {ieee::floor_of_small(p.x), ieee::floor_of_small(p.y), ieee::floor_of_small(p.z)};
  }
  /// 1 where a mask holds, and 0.
  [[nodiscard]] CUTSDF_INLINE static integer number(mask_of<F> m) { return select(m, integer(1), integer(0)); }
  [[nodiscard]] CUTSDF_INLINE static integer magnitude(integer n) { return select(n < integer(0), integer(0) - n, n); }
};

}  // namespace cutsdf::inline v0
