// What can be said about a mesh without knowing how it was made.
#pragma once

#include <cutsdf/extract/mesh.hpp>

#include "inspect.hpp"
#include "scenes.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace cutsdf_test {

inline Eigen::Vector3d to_eigen(const vec3f& v) { return {double{v.x}, double{v.y}, double{v.z}}; }

struct mesh_topology {
  std::int64_t vertices{0};  // that a triangle uses
  std::int64_t edges{0};
  std::int64_t triangles{0};
  std::int64_t boundary{0};       // edges of one triangle
  std::int64_t misoriented{0};    // edges that two triangles run through in the same direction
  std::int64_t crowded{0};        // edges of three triangles or more
  std::int64_t degenerate{0};     // triangles that use a vertex twice
  std::int64_t unreferenced{0};   // vertices that no triangle uses
  std::int64_t duplicates{0};     // vertices at the position of another
  std::int64_t out_of_bounds{0};  // corners that name no vertex

  [[nodiscard]] bool watertight() const { return boundary == 0 && misoriented == 0 && crowded == 0 && degenerate == 0; }
  [[nodiscard]] std::int64_t euler() const { return vertices - edges + triangles; }
};

inline mesh_topology topology_of(const host_mesh& mesh)
{
  mesh_topology t;
  t.triangles = std::ssize(mesh.triangles);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<int, int>> edges;  // low to high: up, down
  std::vector<bool> used(mesh.positions.size(), false);
  for (const auto& [a, b, c] : mesh.triangles) {
    if (std::max({a, b, c}) >= mesh.positions.size()) {
      ++t.out_of_bounds;
      continue;
    }
    if (a == b || b == c || c == a) { ++t.degenerate; }
    const std::array<std::pair<std::uint32_t, std::uint32_t>, 3> sides{{{a, b}, {b, c}, {c, a}}};
    for (const auto& [from, to] : sides) {
      used[from]  = true;
      auto& count = edges[std::minmax({from, to})];
      ++(from < to ? count.first : count.second);
    }
  }
  t.edges = std::ssize(edges);
  for (const auto& [edge, count] : edges) {
    const int total = count.first + count.second;
    if (total == 1) { ++t.boundary; }
    if (total == 2 && count.first != count.second) { ++t.misoriented; }
    if (total > 2) { ++t.crowded; }
  }
  t.vertices     = std::count(used.begin(), used.end(), true);
  t.unreferenced = std::ssize(mesh.positions) - t.vertices;
  std::set<vec3f, by_axis> positions(mesh.positions.begin(), mesh.positions.end());
  t.duplicates = std::ssize(mesh.positions) - std::ssize(positions);
  return t;
}

struct errors_summary {
  double mean;
  double median;
  double max;
};

inline errors_summary summary(std::vector<double> errors)
{
  if (errors.empty()) { return {0.0, 0.0, 0.0}; }
  std::sort(errors.begin(), errors.end());
  double sum = 0.0;
  for (const double e : errors) {
    sum += e;
  }
  return {sum / static_cast<double>(errors.size()), errors[errors.size() / 2], errors.back()};
}

/// |distance| of the vertices (metres), of those for which `counts` holds.
template <class Counts>
errors_summary surface_errors(const host_mesh& mesh, const distance_function& distance, const Counts& counts)
{
  std::vector<double> errors;
  for (const auto& p : mesh.positions) {
    if (counts(to_eigen(p))) { errors.push_back(std::abs(distance(to_eigen(p)))); }
  }
  return summary(std::move(errors));
}

inline errors_summary surface_errors(const host_mesh& mesh, const distance_function& distance)
{
  return surface_errors(mesh, distance, [](const Eigen::Vector3d&) { return true; });
}

/// Distance from each of `from` to the nearest of `to`, all that lie within `cell` of each other exactly; others count
/// as `cell`.
inline std::vector<double> nearest_distances(const std::vector<vec3f>& from, const std::vector<vec3f>& to, double cell)
{
  const auto cell_of = [cell](const Eigen::Vector3d& p) {
    return vec3i{static_cast<int>(std::floor(p.x() / cell)), static_cast<int>(std::floor(p.y() / cell)),
                 static_cast<int>(std::floor(p.z() / cell))};
  };
  std::map<vec3i, std::vector<Eigen::Vector3d>, by_axis> grid;
  for (const auto& p : to) {
    grid[cell_of(to_eigen(p))].push_back(to_eigen(p));
  }
  std::vector<double> distances;
  distances.reserve(from.size());
  for (const auto& p : from) {
    const Eigen::Vector3d q = to_eigen(p);
    double nearest          = cell;
    for (int i = 0; i < 27; ++i) {
      const auto found = grid.find(cell_of(q) + vec3i{i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1});
      if (found == grid.end()) { continue; }
      for (const auto& other : found->second) {
        nearest = std::min(nearest, (other - q).norm());
      }
    }
    distances.push_back(nearest);
  }
  return distances;
}

}  // namespace cutsdf_test
