#include "rooms.hpp"

#include "problem.hpp"

namespace fuse {
namespace {

// ---- Materials ------------------------------------------------------------------------------------------------------

constexpr vec3f cream{226, 216, 198}, white{235, 232, 226}, oak{186, 140, 92}, walnut{120, 82, 54}, teal{46, 118, 122},
  mustard{214, 162, 58}, brick{172, 78, 60}, navy{48, 66, 104}, moss{92, 124, 70}, charcoal{64, 64, 68},
  rose{206, 140, 130}, sky{140, 186, 218};

paint plain(vec3f color) { return {pattern::plain, color, color, 1.0f}; }
paint wood(vec3f color) { return {pattern::planks, color, color * 0.86f, 0.06f}; }

// ---- Solids ---------------------------------------------------------------------------------------------------------

struct turn {
  float cos{1.0f}, sin{0.0f};
};
constexpr turn slight{0.96f, 0.28f}, quarter_back{0.8f, -0.6f}, straight{};

/// A box by its centre on the ground plane, the height of its underside, and its full size.
solid box(float x, float y, float bottom, vec3f size, const paint& p, turn by = straight)
{
  return {shape::box, {x, y, bottom + 0.5f * size.z}, size * 0.5f, p, by.cos, by.sin};
}
solid cylinder(float x, float y, float bottom, float radius, float height, const paint& p)
{
  return {shape::cylinder, {x, y, bottom + 0.5f * height}, {radius, radius, 0.5f * height}, p};
}
solid ellipsoid(vec3f centre, vec3f half, const paint& p) { return {shape::ellipsoid, centre, half, p}; }

// ---- Furniture ------------------------------------------------------------------------------------------------------

/// Walls, ceiling and floor; the floor is a sheet of planks on the ground.
furniture shell(vec3f size)
{
  return {{
    {shape::room, {0.0f, 0.0f, 0.5f * size.z}, size * 0.5f, plain(cream)},
    box(0.0f, 0.0f, -0.02f, {size.x, size.y, 0.03f}, {pattern::planks, oak, {156, 112, 72}, 0.14f}),
  }};
}

furniture sofa(float x, float y)
{
  const paint cloth = plain(teal);
  const paint seat{pattern::stripes, {64, 142, 144}, {56, 130, 134}, 0.03f};
  return {{
    box(x, y, 0.08f, {1.6f, 0.8f, 0.22f}, cloth),
    box(x - 0.42f, y - 0.04f, 0.30f, {0.78f, 0.70f, 0.14f}, seat),
    box(x + 0.42f, y - 0.04f, 0.30f, {0.78f, 0.70f, 0.14f}, seat),
    box(x, y + 0.32f, 0.30f, {1.6f, 0.18f, 0.50f}, cloth),
    box(x - 0.86f, y, 0.08f, {0.16f, 0.8f, 0.48f}, cloth),
    box(x + 0.86f, y, 0.08f, {0.16f, 0.8f, 0.48f}, cloth),
    ellipsoid({x - 0.55f, y + 0.12f, 0.60f}, {0.22f, 0.11f, 0.19f}, plain(mustard)),
    ellipsoid({x + 0.50f, y + 0.12f, 0.60f}, {0.22f, 0.11f, 0.19f}, plain(brick)),
  }};
}

furniture coffee_table(float x, float y)
{
  return {{
    {shape::cylinder, {x, y, 0.42f}, {0.48f, 0.34f, 0.02f}, wood(walnut)},
    cylinder(x - 0.28f, y - 0.12f, 0.0f, 0.025f, 0.41f, plain(charcoal)),
    cylinder(x + 0.28f, y - 0.12f, 0.0f, 0.025f, 0.41f, plain(charcoal)),
    cylinder(x, y + 0.22f, 0.0f, 0.025f, 0.41f, plain(charcoal)),
    box(x - 0.2f, y, 0.44f, {0.24f, 0.17f, 0.04f}, plain(navy), slight),
    box(x - 0.2f, y, 0.48f, {0.21f, 0.15f, 0.03f}, plain(rose), quarter_back),
    ellipsoid({x + 0.18f, y + 0.02f, 0.53f}, {0.085f, 0.085f, 0.09f}, plain(white)),
    cylinder(x + 0.18f, y + 0.02f, 0.58f, 0.035f, 0.10f, plain(white)),
  }};
}

/// A row of books along y, from `from` to `to`; `row` chooses which.
furniture books(float x, float from, float to, float bottom, int row)
{
  constexpr vec3f covers[] = {brick, navy, moss, mustard, white, teal, walnut, rose};
  std::vector<solid> solids;
  int book = row * 3;
  for (float y = from; y < to - 0.06f; ++book) {
    const float thickness = 0.03f + 0.008f * static_cast<float>(book * 5 % 4);
    const float height    = 0.20f + 0.018f * static_cast<float>(book * 7 % 5);
    solids.push_back(
      box(x, y + 0.5f * thickness, bottom, {0.19f, thickness - 0.003f, height}, plain(covers[book % 8])));
    y += thickness;
  }
  return solids;
}

constexpr float shelf_height = 0.357f;

/// Open towards +x.
furniture bookshelf(float x, float y)
{
  const paint board = wood(walnut);
  std::vector<solid> solids{
    box(x - 0.15f, y, 0.0f, {0.02f, 1.3f, 1.86f}, board),
    box(x, y - 0.64f, 0.0f, {0.32f, 0.03f, 1.86f}, board),
    box(x, y + 0.64f, 0.0f, {0.32f, 0.03f, 1.86f}, board),
  };
  for (int shelf = 0; shelf < 6; ++shelf) {
    solids.push_back(box(x, y, 0.05f + shelf_height * static_cast<float>(shelf), {0.32f, 1.28f, 0.03f}, board));
  }
  return solids;
}

/// Fills the bookshelf at the same place.
void put_in_bookshelf(std::vector<furniture>& room, float x, float y)
{
  const auto top_of = [](int shelf) { return 0.08f + shelf_height * static_cast<float>(shelf); };
  room.push_back(books(x, y - 0.60f, y + 0.10f, top_of(0), 0));
  room.push_back(books(x, y - 0.20f, y + 0.58f, top_of(1), 1));
  room.push_back(books(x, y - 0.60f, y + 0.45f, top_of(2), 2));
  room.push_back(books(x, y - 0.60f, y - 0.05f, top_of(3), 3));
  room.push_back(books(x, y + 0.10f, y + 0.58f, top_of(4), 4));
  room.push_back(
    {{ellipsoid({x, y + 0.35f, top_of(3) + 0.12f}, {0.12f, 0.12f, 0.12f}, {pattern::checker, sky, white, 0.06f}),
      cylinder(x, y - 0.3f, top_of(4), 0.07f, 0.2f, plain(brick))}});
}

furniture desk(float x, float y)
{
  const paint steel = plain(charcoal);
  return {{
    box(x, y, 0.71f, {1.3f, 0.6f, 0.035f}, wood(oak)),
    box(x - 0.6f, y, 0.0f, {0.04f, 0.54f, 0.71f}, steel),
    box(x + 0.42f, y, 0.0f, {0.40f, 0.54f, 0.71f}, wood(oak)),
    box(x + 0.42f, y + 0.275f, 0.42f, {0.34f, 0.015f, 0.24f}, plain(white)),
    box(x + 0.42f, y + 0.275f, 0.12f, {0.34f, 0.015f, 0.24f}, plain(white)),
    box(x - 0.1f, y - 0.12f, 0.745f, {0.22f, 0.16f, 0.02f}, steel),
    box(x - 0.1f, y - 0.15f, 0.765f, {0.04f, 0.03f, 0.12f}, steel),
    box(x - 0.1f, y - 0.12f, 0.86f, {0.56f, 0.04f, 0.34f}, steel),
    box(x - 0.1f, y - 0.095f, 0.88f, {0.52f, 0.015f, 0.30f}, {pattern::painting, sky, moss, 0.1f}),
    box(x - 0.1f, y + 0.12f, 0.745f, {0.42f, 0.14f, 0.02f}, {pattern::checker, white, {190, 190, 190}, 0.03f}),
    cylinder(x + 0.36f, y + 0.08f, 0.745f, 0.04f, 0.095f, plain(brick)),
  }};
}

furniture chair(float x, float y)
{
  std::vector<solid> solids{
    box(x, y, 0.44f, {0.44f, 0.44f, 0.05f}, plain(mustard), slight),
    box(x - 0.055f, y + 0.19f, 0.58f, {0.42f, 0.035f, 0.34f}, plain(mustard), slight),
  };
  // The corners of a square of 0.36 m, turned like the seat.
  constexpr float reach[4][2] = {{-0.223f, -0.122f}, {0.122f, -0.223f}, {0.223f, 0.122f}, {-0.122f, 0.223f}};
  for (int leg = 0; leg < 4; ++leg) {
    const bool behind = leg >= 2;
    solids.push_back(
      cylinder(x + reach[leg][0], y + reach[leg][1], 0.0f, 0.02f, behind ? 0.60f : 0.44f, plain(walnut)));
  }
  return solids;
}

furniture floor_lamp(float x, float y)
{
  return {{
    cylinder(x, y, 0.0f, 0.15f, 0.025f, plain(charcoal)),
    cylinder(x, y, 0.0f, 0.018f, 1.45f, plain(charcoal)),
    {shape::cylinder, {x, y, 1.52f}, {0.20f, 0.20f, 0.15f}, {pattern::plain, {246, 226, 178}, {}, 1.0f}},
  }};
}

furniture plant(float x, float y)
{
  const paint leaf{pattern::checker, {84, 132, 72}, {70, 114, 62}, 0.05f};
  return {{
    cylinder(x, y, 0.0f, 0.17f, 0.32f, plain(brick)),
    cylinder(x, y, 0.30f, 0.03f, 0.35f, plain(walnut)),
    ellipsoid({x, y, 0.82f}, {0.24f, 0.22f, 0.26f}, leaf),
    ellipsoid({x + 0.14f, y - 0.12f, 0.66f}, {0.15f, 0.15f, 0.14f}, leaf),
    ellipsoid({x - 0.10f, y + 0.08f, 1.08f}, {0.14f, 0.15f, 0.17f}, leaf),
  }};
}

/// What hangs on the walls of a room of this size.
furniture pictures(vec3f room)
{
  const float x = 0.5f * room.x - 0.015f;
  const float y = 0.5f * room.y - 0.015f;
  return {{
    box(-0.45f, y, 1.25f, {1.1f, 0.03f, 0.7f}, {pattern::painting, sky, moss, 0.1f}),
    box(0.75f, y, 1.35f, {0.42f, 0.03f, 0.52f}, {pattern::painting, rose, navy, 0.1f}),
    box(0.55f, -y, 1.40f, {0.8f, 0.03f, 0.5f}, {pattern::painting, mustard, brick, 0.1f}),
    box(x, 0.1f, 0.95f, {0.03f, 1.3f, 1.1f}, {pattern::painting, {150, 196, 232}, moss, 0.1f}),
  }};
}

/// A shelf low on the wall at +x, under the window.
furniture sideboard(float x, float y)
{
  return {{
    box(x, y, 0.10f, {0.36f, 1.3f, 0.48f}, wood(oak)),
    box(x - 0.185f, y - 0.33f, 0.14f, {0.012f, 0.60f, 0.40f}, plain(white)),
    box(x - 0.185f, y + 0.33f, 0.14f, {0.012f, 0.60f, 0.40f}, plain(white)),
    box(x, y - 0.55f, 0.0f, {0.3f, 0.05f, 0.10f}, plain(charcoal)),
    box(x, y + 0.55f, 0.0f, {0.3f, 0.05f, 0.10f}, plain(charcoal)),
    ellipsoid({x, y - 0.35f, 0.68f}, {0.10f, 0.10f, 0.10f}, {pattern::stripes, brick, white, 0.05f}),
    box(x, y + 0.30f, 0.58f, {0.22f, 0.30f, 0.06f}, plain(navy), slight),
    box(x, y + 0.30f, 0.64f, {0.20f, 0.27f, 0.05f}, plain(moss), quarter_back),
  }};
}

// ---- Scenes ---------------------------------------------------------------------------------------------------------

scene room()
{
  constexpr vec3f size{4.2f, 3.4f, 2.4f};
  scene s{
    {
      shell(size),
      {{box(-0.45f, 0.2f, 0.0f, {2.0f, 1.3f, 0.022f}, {pattern::rug, brick, {224, 200, 160}, 0.09f})}},
      sofa(-0.45f, 1.22f),
      coffee_table(-0.45f, 0.30f),
      bookshelf(-1.93f, -0.35f),
      desk(0.55f, -1.38f),
      chair(0.45f, -0.72f),
      floor_lamp(1.75f, 1.35f),
      plant(-1.72f, 1.30f),
      sideboard(1.90f, 0.1f),
      pictures(size),
      {{ellipsoid({0.95f, 0.95f, 0.15f}, {0.14f, 0.14f, 0.14f}, {pattern::checker, mustard, navy, 0.1f})}},
    },
    // Round the room, looking across it, now down, now up. Ends where it began: over the desk, towards sofa and books.
    {
      {{1.25f, -0.85f, 1.55f}, {-1.00f, 0.70f, 0.45f}},
      {{1.30f, 0.10f, 1.45f}, {-1.60f, -0.30f, 1.10f}},
      {{0.95f, 0.80f, 1.50f}, {-1.20f, -1.20f, 0.40f}},
      {{0.05f, 0.85f, 1.40f}, {0.30f, -1.50f, 1.20f}},
      {{-0.80f, 0.65f, 1.50f}, {1.10f, -1.20f, 0.35f}},
      {{-1.20f, 0.10f, 1.40f}, {1.80f, 0.10f, 1.10f}},
      {{-0.90f, -0.75f, 1.50f}, {1.20f, 1.10f, 0.40f}},
      {{0.10f, -0.95f, 1.45f}, {0.10f, 1.60f, 1.20f}},
    },
    vec3f{0.25f, -0.15f, 2.25f},
    true,
    100,
  };
  put_in_bookshelf(s.pieces, -1.93f, -0.35f);
  return s;
}

/// A ball of radius 0.5 m at the origin, alone, seen from all around by a perfect sensor.
scene sphere()
{
  constexpr vec3f centre{0.0f, 0.0f, 0.0f};
  return {
    {{{ellipsoid(centre, {0.5f, 0.5f, 0.5f}, {pattern::checker, {230, 120, 90}, {240, 225, 205}, 0.125f})}}},
    {
      {{1.4f, 0.0f, 0.5f}, centre},
      {{0.0f, 1.4f, -0.5f}, centre},
      {{-1.4f, 0.0f, 0.5f}, centre},
      {{0.0f, -1.4f, -0.5f}, centre},
    },
    {},
    false,
    60,
  };
}

struct entry {
  const char* name;
  scene (*make)();
};
constexpr entry scenes[] = {{"room", room}, {"sphere", sphere}};

/// Catmull-Rom: through b and c, smooth where it meets its neighbours.
vec3f smooth(vec3f a, vec3f b, vec3f c, vec3f d, float t)
{
  const vec3f cubic     = (b - c) * 1.5f + (d - a) * 0.5f;
  const vec3f quadratic = a - b * 2.5f + c * 2.0f - d * 0.5f;
  const vec3f linear    = (c - a) * 0.5f;
  return b + (linear + (quadratic + cubic * t) * t) * t;
}

}  // namespace

std::string scene_names()
{
  std::string names;
  for (const entry& e : scenes) {
    names += (names.empty() ? "" : ", ") + std::string(e.name);
  }
  return names;
}

scene find_scene(std::string_view name)
{
  for (const entry& e : scenes) {
    if (name == e.name) { return e.make(); }
  }
  throw problem("--scene", "there is no '" + std::string(name) + "', only " + scene_names());
}

view_point along(const std::vector<view_point>& path, float share)
{
  const std::size_t n  = path.size();
  const float position = share * static_cast<float>(n);
  const auto piece     = static_cast<std::size_t>(position);
  const float t        = position - static_cast<float>(piece);
  const view_point& a  = path[(piece + n - 1) % n];
  const view_point& b  = path[piece % n];
  const view_point& c  = path[(piece + 1) % n];
  const view_point& d  = path[(piece + 2) % n];
  return {smooth(a.eye, b.eye, c.eye, d.eye, t), smooth(a.target, b.target, c.target, d.target, t)};
}

}  // namespace fuse
