// Looking into a volume from the host.
#pragma once

#include <cutsdf/volume.hpp>

#include "space.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cutsdf_test {

/// An order for containers.
struct by_axis {
  template <class T>
  bool operator()(const vec3<T>& a, const vec3<T>& b) const
  {
    return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
  }
};

using block_set = std::set<vec3i, by_axis>;

/// The voxels that were observed, by coordinate.
using voxel_map = std::map<vec3i, voxel_value, by_axis>;

/// Number of places to look at for blocks.
template <class Space, class Voxel, class Policies>
std::int64_t places_of(volume<Space, Voxel, Policies>& v)
{
  const auto report = v.report();
  return Policies::index_type::from_slot ? report.block_capacity : report.blocks;
}

/// The blocks of a volume that have voxels, and where in the pool.
template <class Space, class Voxel, class Policies>
std::map<vec3i, std::uint32_t, by_axis> places_by_block(volume<Space, Voxel, Policies>& v)
{
  const auto keys = download<Space>(v.ref().table.keys, places_of(v));
  std::map<vec3i, std::uint32_t, by_axis> result;
  for (std::size_t place = 0; place < keys.size(); ++place) {
    if (keys[place] == empty_key) { continue; }
    result.emplace(block_of_key(keys[place]), static_cast<std::uint32_t>(place));
  }
  return result;
}

template <class Space, class Voxel, class Policies>
block_set blocks_of(volume<Space, Voxel, Policies>& v)
{
  block_set result;
  for (const auto& [block, place] : places_by_block(v)) {
    result.insert(block);
  }
  return result;
}

template <class Ref>
struct read_place {
  Ref volume;
  voxel_value* out;
  CUTSDF_HD void operator()(std::int64_t i) const
  {
    out[i] = volume.read(static_cast<std::uint32_t>(i / voxels_per_block), static_cast<int>(i % voxels_per_block));
  }
};

template <class Ref>
struct read_voxel {
  Ref volume;
  const vec3i* voxels;
  voxel_value* out;
  CUTSDF_HD void operator()(std::int64_t i) const { out[i] = volume.read(voxels[i]); }
};

template <class Ref>
struct read_voxel_color {
  Ref volume;
  const vec3i* voxels;
  voxel_color* out;
  CUTSDF_HD void operator()(std::int64_t i) const { out[i] = volume.read_color(voxels[i]); }
};

/// Every voxel with a weight.
template <class Space, class Voxel, class Policies>
voxel_map observed_voxels(volume<Space, Voxel, Policies>& v)
{
  const auto count = places_of(v) * voxels_per_block;
  buffer<voxel_value, Space> values(count, v.stream());
  const auto ref = v.ref();
  Space::for_each(v.stream(), count, read_place<std::remove_const_t<decltype(ref)>>{ref, values.data()});
  const auto host = values.to_host();

  voxel_map result;
  for (const auto& [block, place] : places_by_block(v)) {
    for (int i = 0; i < voxels_per_block; ++i) {
      const auto& value = host[static_cast<std::size_t>(place) * voxels_per_block + static_cast<std::size_t>(i)];
      if (value.weight != 0.0f) { result.emplace(block * block_side + voxel_in_block(i), value); }
    }
  }
  return result;
}

template <class Space, class Voxel, class Policies>
std::vector<voxel_value> read_voxels(volume<Space, Voxel, Policies>& v, const std::vector<vec3i>& voxels)
{
  const auto where = upload<Space>(voxels);
  buffer<voxel_value, Space> values(where.size(), v.stream());
  const auto ref = v.ref();
  Space::for_each(v.stream(), where.size(),
                  read_voxel<std::remove_const_t<decltype(ref)>>{ref, where.data(), values.data()});
  return values.to_host();
}

template <class Space, class Voxel, class Policies>
voxel_value read_one(volume<Space, Voxel, Policies>& v, vec3i voxel)
{
  return read_voxels(v, {voxel}).front();
}

template <class Space, class Voxel, class Policies>
std::vector<voxel_color> read_colors(volume<Space, Voxel, Policies>& v, const std::vector<vec3i>& voxels)
{
  const auto where = upload<Space>(voxels);
  buffer<voxel_color, Space> values(where.size(), v.stream());
  const auto ref = v.ref();
  Space::for_each(v.stream(), where.size(),
                  read_voxel_color<std::remove_const_t<decltype(ref)>>{ref, where.data(), values.data()});
  return values.to_host();
}

/// Where the distance crosses zero going from `first` to larger coordinates along `axis` (0, 1, 2), in units of voxels;
/// NaN when it does not within `count` voxels. Unobserved voxels are not crossed.
template <class Volume>
double crossing_along(Volume& v, vec3i first, int axis, int count)
{
  std::vector<vec3i> line;
  for (int i = 0; i < count; ++i) {
    line.push_back(first + vec3i{axis == 0 ? i : 0, axis == 1 ? i : 0, axis == 2 ? i : 0});
  }
  const auto values = read_voxels(v, line);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double a = values[i].distance;
    const double b = values[i + 1].distance;
    if (values[i].weight > 0 && values[i + 1].weight > 0 && a * b <= 0 && a != b) {
      const int start = axis == 0 ? first.x : axis == 1 ? first.y : first.z;
      return start + 0.5 + static_cast<double>(i) + a / (a - b);
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace cutsdf_test
