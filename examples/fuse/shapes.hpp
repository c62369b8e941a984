// The shapes of the built-in scenes and what a ray meets among them.
//
// Only + - * / and square roots of single floats occur here and in the other scene files, no library function whose
// last bit differs between machines: a scene renders to the same bits everywhere.
#pragma once

#include <cutsdf/grid/vec3.hpp>

#include <limits>
#include <vector>

namespace fuse {

using cutsdf::dot;
using cutsdf::normalised;
using cutsdf::vec3f;

inline vec3f cross(vec3f a, vec3f b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline vec3f scaled(vec3f a, vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline vec3f mixed(vec3f a, vec3f b, float share) { return a * (1.0f - share) + b * share; }

enum class pattern { plain, checker, planks, stripes, rug, painting };

/// How a surface is coloured: by its shape's own coordinates, so that every view of it agrees.
struct paint {
  pattern kind{pattern::plain};
  vec3f first{200, 200, 200};   // 0 to 255 a channel
  vec3f second{200, 200, 200};  // ignored by plain
  float size{0.1f};             // of the pattern's elements, in metres

  /// Colour at `local`, in metres from the centre of a shape with half extents `half`.
  [[nodiscard]] vec3f at(vec3f local, vec3f half) const;
};

enum class shape {
  box,
  ellipsoid,
  cylinder,  // upright, of elliptic section
  room,      // a box seen from inside: a ray meets the wall where it would leave
};

struct solid {
  shape kind;
  vec3f centre;
  vec3f half;  // half extents on the solid's own axes
  fuse::paint paint{};
  // Turn about the vertical; cos^2 + sin^2 = 1, so pairs such as (0.8, 0.6).
  float cos_yaw{1.0f};
  float sin_yaw{0.0f};

  [[nodiscard]] vec3f to_local(vec3f v) const
  {
    return {cos_yaw * v.x + sin_yaw * v.y, cos_yaw * v.y - sin_yaw * v.x, v.z};
  }
  [[nodiscard]] vec3f to_world(vec3f v) const
  {
    return {cos_yaw * v.x - sin_yaw * v.y, sin_yaw * v.x + cos_yaw * v.y, v.z};
  }
};

struct ray {
  vec3f origin;
  vec3f direction;  // of any length; distances along it are in units of this length

  [[nodiscard]] vec3f at(float t) const { return origin + direction * t; }
};

struct hit {
  float t{std::numeric_limits<float>::infinity()};
  const solid* what{nullptr};

  explicit operator bool() const { return what != nullptr; }
  /// Unit normal, pointing out of the solid (into the room), where the ray meets it.
  [[nodiscard]] vec3f normal(const ray& r) const;
  [[nodiscard]] vec3f color(const ray& r) const;
};

/// A sphere around things: a ray that misses it, or leaves it behind, misses them too. Cheap to ask.
struct enclosure {
  vec3f centre;
  float radius_squared;

  [[nodiscard]] bool missed_by(const ray& r) const
  {
    const vec3f to_origin = r.origin - centre;
    const float along     = dot(to_origin, r.direction);
    const float outside   = dot(to_origin, to_origin) - radius_squared;
    if (outside <= 0.0f) { return false; }
    return along >= 0.0f || along * along < outside * dot(r.direction, r.direction);
  }
};

/// Solids that lie together.
class furniture {
 public:
  furniture(std::vector<solid> solids);  // NOLINT: a piece of furniture is its solids

  /// The nearest meeting of `r` with these solids that comes before `nearest`, else `nearest`.
  [[nodiscard]] hit meet(const ray& r, hit nearest) const;

  /// Whether `r` meets any of these solids before `until`.
  [[nodiscard]] bool blocks(const ray& r, float until) const;

 private:
  struct part {
    fuse::enclosure enclosure;
    fuse::solid solid;
  };

  std::vector<part> parts_;
  fuse::enclosure around_all_;
};

}  // namespace fuse
