// The table of marching cubes, derived rather than listed.
//
// A cell is the cube between eight voxel centres. Corner c has offset (c & 1, c >> 1 & 1, c >> 2); edge 4 * axis + k
// starts at the k-th corner whose bit for that axis is clear and ends one step further along the axis. Bit c of a case
// is set when corner c lies behind the surface (negative distance).
//
// On each face, every run of corners behind the surface is cut off by one segment, so that two such corners on a
// diagonal stay apart. A face looks the same from both of its cells, hence the meshes of neighbouring cells fit. The
// segments of the six faces close into loops, and each loop is cut into a fan of triangles.
#pragma once

#include <cutsdf/space/config.hpp>

#include <cstdint>

namespace cutsdf::inline v0::detail {

struct marching_cubes_table {
  static constexpr int most_triangles = 5;

  std::uint8_t triangles[256];                    // number of triangles
  std::uint16_t edges[256];                       // bit e: edge e is crossed
  std::uint8_t corners[256][3 * most_triangles];  // edges of the triangles' corners, three by three

  /// The corner of a cell from which an edge starts.
  CUTSDF_HD static constexpr int start_of(int edge)
  {
    const int k    = edge & 3;
    const int axis = edge >> 2;
    return (k & 1) << (axis == 0 ? 1 : 0) | (k & 2) << (axis == 2 ? 0 : 1);
  }

  static constexpr int edge_between(int a, int b)
  {
    const int axis  = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2;
    const int start = a < b ? a : b;
    for (int edge = 4 * axis; edge < 4 * axis + 4; ++edge) {
      if (start_of(edge) == start) { return edge; }
    }
    return -1;
  }
};

constexpr marching_cubes_table make_marching_cubes_table()
{
  // Corners of each face, counter-clockwise seen from outside the cell.
  constexpr int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  marching_cubes_table table{};
  for (int c = 0; c < 256; ++c) {
    // next[e]: the crossed edge that follows e on its loop.
    int next[12] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    for (const auto& face : faces) {
      for (int i = 0; i < 4; ++i) {
        const auto behind = [&](int k) { return (c >> face[k & 3] & 1) != 0; };
        if (behind(i) || !behind(i + 1)) { continue; }  // a run of corners behind the surface starts at i + 1
        int last = i + 1;
        while (behind(last + 1)) {
          ++last;
        }
        const int enter = marching_cubes_table::edge_between(face[i & 3], face[(i + 1) & 3]);
        const int leave = marching_cubes_table::edge_between(face[last & 3], face[(last + 1) & 3]);
        // This direction makes the loop counter-clockwise seen from in front of the surface.
        next[enter] = leave;
      }
    }
    int count     = 0;
    bool done[12] = {};
    for (int first = 0; first < 12; ++first) {
      if (next[first] < 0) { continue; }
      table.edges[c] = static_cast<std::uint16_t>(table.edges[c] | 1 << first);
      if (done[first]) { continue; }
      done[first] = true;
      int b       = next[first];
      done[b]     = true;
      for (int d = next[b]; d != first; b = d, d = next[d]) {
        done[d]                         = true;
        table.corners[c][3 * count]     = static_cast<std::uint8_t>(first);
        table.corners[c][3 * count + 1] = static_cast<std::uint8_t>(b);
        table.corners[c][3 * count + 2] = static_cast<std::uint8_t>(d);
        ++count;
      }
    }
    table.triangles[c] = static_cast<std::uint8_t>(count);
  }
  return table;
}

inline constexpr marching_cubes_table marching_cubes = make_marching_cubes_table();

/// What kernels read of the table: for each case a word.
///
///   63..60  number of triangles      59..0  edges of their corners, 4 bits each, the first lowest
struct marching_cubes_words {
  std::uint64_t words[256];

  /// The word of a case.
  CUTSDF_HD static std::uint64_t of(int which);

  CUTSDF_HD static constexpr int triangles(std::uint64_t word) { return static_cast<int>(word >> 60); }
  CUTSDF_HD static constexpr int edge(std::uint64_t word, int corner)
  {
    return static_cast<int>(word >> 4 * corner & 15u);
  }
};

constexpr marching_cubes_words make_marching_cubes_words()
{
  marching_cubes_words packed{};
  for (int which = 0; which < 256; ++which) {
    std::uint64_t word = std::uint64_t{marching_cubes.triangles[which]} << 60;
    for (int i = 0; i < 3 * marching_cubes.triangles[which]; ++i) {
      word |= std::uint64_t{marching_cubes.corners[which][i]} << 4 * i;
    }
    packed.words[which] = word;
  }
  return packed;
}

inline constexpr marching_cubes_words packed_marching_cubes = make_marching_cubes_words();

CUTSDF_HD inline std::uint64_t marching_cubes_words::of(int which)
{
  static constexpr marching_cubes_words here = packed_marching_cubes;  // in the memory of whoever asks
  return here.words[which];
}

}  // namespace cutsdf::inline v0::detail
