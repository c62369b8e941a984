// The table of marching cubes.
#include "support/catch.hpp"

#include <cutsdf/extract/marching_cubes.hpp>

#include <array>
#include <map>
#include <set>
#include <vector>

namespace cutsdf_test::marching {

using cutsdf::detail::marching_cubes;
using cutsdf::detail::marching_cubes_table;

int end_of(int edge) { return marching_cubes_table::start_of(edge) | 1 << (edge >> 2); }

bool behind(int which, int corner) { return (which >> corner & 1) != 0; }

/// Directed edges of a case's triangles that have no partner: the rim of its surface.
std::set<std::pair<int, int>> rim(int which)
{
  std::multiset<std::pair<int, int>> all;
  for (int i = 0; i < marching_cubes.triangles[which]; ++i) {
    const auto* t = marching_cubes.corners[which] + 3 * i;
    all.insert({t[0], t[1]});
    all.insert({t[1], t[2]});
    all.insert({t[2], t[0]});
  }
  std::set<std::pair<int, int>> open;
  for (const auto& side : all) {
    REQUIRE(all.count(side) == 1);
    if (!all.contains({side.second, side.first})) { open.insert(side); }
  }
  return open;
}

/// Whether both edges of a cell lie on its face across `axis` at `level`.
bool on_face(int edge, int axis, int level)
{
  const int start = marching_cubes_table::start_of(edge);
  return edge >> 2 != axis && (start >> axis & 1) == level;
}

TEST_CASE("edges run from each corner along each axis", "[marching_cubes]")
{
  std::set<std::pair<int, int>> edges;
  for (int edge = 0; edge < 12; ++edge) {
    const int start = marching_cubes_table::start_of(edge);
    REQUIRE((start >> (edge >> 2) & 1) == 0);
    edges.insert({start, end_of(edge)});
  }
  REQUIRE(edges.size() == 12);
}

TEST_CASE("every case uses the edges it crosses and no other", "[marching_cubes]")
{
  for (int which = 0; which < 256; ++which) {
    INFO("case " << which);
    unsigned crossed = 0;
    for (int edge = 0; edge < 12; ++edge) {
      if (behind(which, marching_cubes_table::start_of(edge)) != behind(which, end_of(edge))) { crossed |= 1u << edge; }
    }
    REQUIRE(marching_cubes.edges[which] == crossed);
    unsigned used = 0;
    REQUIRE(marching_cubes.triangles[which] <= marching_cubes_table::most_triangles);
    for (int i = 0; i < 3 * marching_cubes.triangles[which]; ++i) {
      used |= 1u << marching_cubes.corners[which][i];
    }
    REQUIRE(used == crossed);
  }
  REQUIRE(marching_cubes.triangles[0] == 0);
  REQUIRE(marching_cubes.triangles[255] == 0);
}

TEST_CASE("the rim of every case lies on the cell's faces and fits its neighbours", "[marching_cubes]")
{
  // The rim on a face depends on the face's four corners alone, and the neighbour's runs the other way.
  for (int axis = 0; axis < 3; ++axis) {
    for (int upper = 0; upper < 256; ++upper) {
      const auto upper_rim = rim(upper);
      for (const auto& [a, b] : upper_rim) {
        int faces = 0;
        for (int k = 0; k < 3; ++k) {
          for (int level = 0; level < 2; ++level) {
            faces += on_face(a, k, level) && on_face(b, k, level) ? 1 : 0;
          }
        }
        REQUIRE(faces == 1);
      }
      for (int lower = 0; lower < 256; ++lower) {
        bool fits = true;
        for (int corner = 0; corner < 8; ++corner) {
          if ((corner >> axis & 1) == 0) { fits = fits && behind(upper, corner) == behind(lower, corner | 1 << axis); }
        }
        if (!fits || lower % 5 != 0) { continue; }  // a fifth of the pairs is all kinds of them
        std::set<std::pair<int, int>> from_upper;
        std::set<std::pair<int, int>> from_lower;
        const auto name = [axis](int edge, int level) {  // an edge of the shared face, named from below
          const int start = marching_cubes_table::start_of(edge) & ~(1 << axis);
          REQUIRE((marching_cubes_table::start_of(edge) >> axis & 1) == level);
          return (edge >> 2) * 8 + start;
        };
        for (const auto& [a, b] : upper_rim) {
          if (on_face(a, axis, 0) && on_face(b, axis, 0)) { from_upper.insert({name(a, 0), name(b, 0)}); }
        }
        for (const auto& [a, b] : rim(lower)) {
          if (on_face(a, axis, 1) && on_face(b, axis, 1)) { from_lower.insert({name(b, 1), name(a, 1)}); }
        }
        INFO("axis " << axis << ", cases " << upper << " and " << lower);
        REQUIRE(from_upper == from_lower);
      }
    }
  }
}

TEST_CASE("what kernels read is the table", "[marching_cubes]")
{
  using cutsdf::detail::marching_cubes_words;
  for (int which = 0; which < 256; ++which) {
    const auto word = marching_cubes_words::of(which);
    REQUIRE(marching_cubes_words::triangles(word) == marching_cubes.triangles[which]);
    for (int i = 0; i < 3 * marching_cubes.triangles[which]; ++i) {
      REQUIRE(marching_cubes_words::edge(word, i) == marching_cubes.corners[which][i]);
    }
  }
}

TEST_CASE("triangles are counter-clockwise seen from in front of the surface", "[marching_cubes]")
{
  // One corner behind: the triangle's normal points away from it.
  for (int corner = 0; corner < 8; ++corner) {
    const int which = 1 << corner;
    REQUIRE(marching_cubes.triangles[which] == 1);
    std::array<std::array<double, 3>, 3> p{};
    for (std::size_t i = 0; i < 3; ++i) {
      const int edge  = marching_cubes.corners[which][i];
      const int start = marching_cubes_table::start_of(edge);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        p[i][axis] = (start >> axis & 1) + (static_cast<std::size_t>(edge >> 2) == axis ? 0.5 : 0.0);
      }
    }
    double along = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t u  = (axis + 1) % 3;
      const std::size_t w  = (axis + 2) % 3;
      const double normal  = (p[1][u] - p[0][u]) * (p[2][w] - p[0][w]) - (p[1][w] - p[0][w]) * (p[2][u] - p[0][u]);
      const double outward = p[0][axis] - (corner >> axis & 1);
      along += normal * outward;
    }
    REQUIRE(along > 0.0);
  }
}

}  // namespace cutsdf_test::marching
