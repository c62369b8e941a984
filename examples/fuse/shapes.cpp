#include "shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fuse {
namespace {

// A ray that starts on a surface must not meet it again at once. In metres for the unit directions that shadows use.
constexpr float shortest = 1e-3f;

/// Part of a ray inside a convex shape; empty when enter >= leave.
struct interval {
  float enter{-std::numeric_limits<float>::infinity()};
  float leave{std::numeric_limits<float>::infinity()};

  [[nodiscard]] bool empty() const { return !(enter < leave); }
};

constexpr interval nothing{1.0f, 0.0f};

interval both(interval a, interval b) { return {std::max(a.enter, b.enter), std::min(a.leave, b.leave)}; }

/// -1 <= origin + t * direction <= 1.
interval slab(float origin, float direction)
{
  if (direction == 0.0f) { return std::abs(origin) <= 1.0f ? interval{} : nothing; }
  const float a = (-1.0f - origin) / direction;
  const float b = (1.0f - origin) / direction;
  return {std::min(a, b), std::max(a, b)};
}

/// |origin + t * direction| <= 1.
interval ball(vec3f origin, vec3f direction)
{
  const float a            = dot(direction, direction);
  const float b            = dot(origin, direction);
  const float c            = dot(origin, origin) - 1.0f;
  const float discriminant = b * b - a * c;
  if (a == 0.0f) { return c <= 0.0f ? interval{} : nothing; }
  if (discriminant <= 0.0f) { return nothing; }
  const float root = std::sqrt(discriminant);
  return {(-b - root) / a, (-b + root) / a};
}

/// The ray seen from the solid, scaled so that the solid is the unit cube, ball or cylinder. Keeps t.
ray unit_ray(const solid& s, const ray& r)
{
  const vec3f inverse{1.0f / s.half.x, 1.0f / s.half.y, 1.0f / s.half.z};
  return {scaled(s.to_local(r.origin - s.centre), inverse), scaled(s.to_local(r.direction), inverse)};
}

interval inside(const solid& s, const ray& r)
{
  const auto [o, d] = unit_ray(s, r);
  switch (s.kind) {
    case shape::ellipsoid:
      return ball(o, d);
    case shape::cylinder:
      return both(slab(o.z, d.z), ball({o.x, o.y, 0.0f}, {d.x, d.y, 0.0f}));
    case shape::box:
    case shape::room:
      break;
  }
  return both(both(slab(o.x, d.x), slab(o.y, d.y)), slab(o.z, d.z));
}

float meeting(const solid& s, const ray& r)
{
  const interval i = inside(s, r);
  if (i.empty()) { return std::numeric_limits<float>::infinity(); }
  const float t = s.kind == shape::room ? i.leave : i.enter;
  return t > shortest ? t : std::numeric_limits<float>::infinity();
}

/// Normal of the unit cube, ball or cylinder at a point of its surface.
vec3f unit_normal(shape kind, vec3f p)
{
  if (kind == shape::ellipsoid) { return p; }
  if (kind == shape::cylinder) {
    const float radius2 = p.x * p.x + p.y * p.y;
    return p.z * p.z > radius2 ? vec3f{0.0f, 0.0f, p.z} : vec3f{p.x, p.y, 0.0f};
  }
  const vec3f size{std::abs(p.x), std::abs(p.y), std::abs(p.z)};
  if (size.x >= size.y && size.x >= size.z) { return {p.x, 0.0f, 0.0f}; }
  return size.y >= size.z ? vec3f{0.0f, p.y, 0.0f} : vec3f{0.0f, 0.0f, p.z};
}

int cell(float x, float size) { return static_cast<int>(std::floor(x / size)); }

/// A number in [0, 1) that belongs to a pair of cells.
float tone(int a, int b)
{
  std::uint32_t h = static_cast<std::uint32_t>(a) * 0x9e3779b1u ^ static_cast<std::uint32_t>(b) * 0x85ebca77u;
  h               = (h ^ h >> 15) * 0x2c1b3c6du;
  return static_cast<float>(h >> 16) / 65536.0f;
}

vec3f planks(const paint& p, vec3f local)
{
  const int row       = cell(local.y, p.size);
  const float shifted = local.x + tone(row, 7) * 10.0f * p.size;
  const float in_row  = local.y / p.size - static_cast<float>(row);
  const float gap     = in_row < 0.04f ? 0.55f : 1.0f;
  return mixed(p.first, p.second, tone(row, cell(shifted, 10.0f * p.size))) * gap;
}

/// A border and, inside it, lozenges.
vec3f rug(const paint& p, vec3f local, vec3f half)
{
  const float to_edge = std::min(half.x - std::abs(local.x), half.y - std::abs(local.y));
  if (to_edge < p.size) { return to_edge < 0.4f * p.size ? p.second : p.first; }
  const int a = cell(local.x + local.y, 2.0f * p.size);
  const int b = cell(local.x - local.y, 2.0f * p.size);
  return ((a + b) & 1) != 0 ? p.first : mixed(p.first, p.second, 0.75f);
}

/// A sun over hills, in a dark frame.
vec3f painting(const paint& p, vec3f local, vec3f half)
{
  // The two longer extents span the picture.
  const bool faces_x = half.x < half.y;
  const float across = faces_x ? local.y / half.y : local.x / half.x;
  const float up     = local.z / half.z;
  if (std::max(std::abs(across), std::abs(up)) > 0.9f) { return {45, 35, 30}; }
  const float hills = -0.35f + 0.35f * across * (1.0f - across * across) * 2.0f;
  if (up < hills) { return mixed(p.second * 0.6f, p.second, (up + 1.0f) / (hills + 1.0f)); }
  const float dx = across - 0.3f;
  const float dz = (up - 0.35f) * half.z / std::max(half.x, half.y);
  if (dx * dx + dz * dz < 0.03f) { return {250, 225, 150}; }
  return mixed(p.first, {245, 235, 225}, 0.5f * (1.0f - up));
}

enclosure around(const solid& s) { return {s.centre, dot(s.half, s.half)}; }

enclosure around(const std::vector<solid>& solids)
{
  vec3f sum{0.0f, 0.0f, 0.0f};
  for (const solid& s : solids) {
    sum = sum + s.centre;
  }
  const vec3f centre = sum * (1.0f / static_cast<float>(solids.size()));
  float radius       = 0.0f;
  for (const solid& s : solids) {
    radius = std::max(radius, cutsdf::norm(s.centre - centre) + cutsdf::norm(s.half));
  }
  return {centre, radius * radius};
}

}  // namespace

vec3f paint::at(vec3f local, vec3f half) const
{
  switch (kind) {
    case pattern::checker:
      return ((cell(local.x, size) + cell(local.y, size) + cell(local.z, size)) & 1) != 0 ? first : second;
    case pattern::planks:
      return planks(*this, local);
    case pattern::stripes:
      return (cell(local.x, size) & 1) != 0 ? first : second;
    case pattern::rug:
      return rug(*this, local, half);
    case pattern::painting:
      return painting(*this, local, half);
    case pattern::plain:
      break;
  }
  return first;
}

vec3f hit::normal(const ray& r) const
{
  const ray u      = unit_ray(*what, r);
  const vec3f n    = unit_normal(what->kind, u.at(t));
  const float sign = what->kind == shape::room ? -1.0f : 1.0f;
  return normalised(what->to_world({sign * n.x / what->half.x, sign * n.y / what->half.y, sign * n.z / what->half.z}));
}

vec3f hit::color(const ray& r) const { return what->paint.at(what->to_local(r.at(t) - what->centre), what->half); }

furniture::furniture(std::vector<solid> solids) : around_all_(around(solids))
{
  for (const solid& s : solids) {
    parts_.push_back({around(s), s});
  }
}

hit furniture::meet(const ray& r, hit nearest) const
{
  if (around_all_.missed_by(r)) { return nearest; }
  for (const part& p : parts_) {
    if (p.enclosure.missed_by(r)) { continue; }
    const float t = meeting(p.solid, r);
    if (t < nearest.t) { nearest = {t, &p.solid}; }
  }
  return nearest;
}

bool furniture::blocks(const ray& r, float until) const
{
  if (around_all_.missed_by(r)) { return false; }
  for (const part& p : parts_) {
    if (!p.enclosure.missed_by(r) && meeting(p.solid, r) < until) { return true; }
  }
  return false;
}

}  // namespace fuse
