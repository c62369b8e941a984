// Vertices of the zero surface: where it crosses the edges between neighbouring voxels.
//
// Every edge belongs to the voxel it starts from (three edges a voxel: x, y, z), so a vertex has one owner and cells of
// different blocks find the same one. Per block:
//
//   crossed   48 words   bit b of word 16 * axis + w: the edge along `axis` from voxel 32 * w + b carries a vertex
//   before    48 words   vertices of the block before that word
//
// A vertex's number is first[block] + before[word] + the set bits below its own.
#pragma once

#include <cutsdf/look/sampler.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0 {

namespace detail {

inline constexpr int words_per_axis  = voxels_per_block / 32;
inline constexpr int words_per_block = 3 * words_per_axis;

CUTSDF_HD inline int population(std::uint32_t bits)
{
#if CUTSDF_DEVICE_PASS
  return __popc(bits);
#else
  return __builtin_popcount(bits);
#endif
}

/// The surface's bookkeeping as kernels see it.
struct surface_ref {
  std::uint32_t* neighbours;  // 8 a block: places of the blocks at offsets (k & 1, k >> 1 & 1, k >> 2)
  std::uint32_t* crossed;
  std::uint32_t* before;
  std::uint32_t* counts;  // vertices of each block
  std::uint32_t* first;   // vertices of all blocks before it

  /// Place and index of a voxel up to one step beyond a block towards +x, +y, +z (local coordinates in [0, 8]); no
  /// place when not stored.
  struct position {
    std::uint32_t place;
    int index;
  };
  [[nodiscard]] CUTSDF_HD position resolve(std::int64_t place, vec3i local) const
  {
    const int k = (local.x >> block_side_log2) | (local.y >> block_side_log2) << 1 | (local.z >> block_side_log2) << 2;
    return {neighbours[place * 8 + k], index_in_block(local)};
  }

  [[nodiscard]] CUTSDF_HD static std::int64_t word_of(position p, int axis)
  {
    return std::int64_t{p.place} * words_per_block + axis * words_per_axis + (p.index >> 5);
  }

  CUTSDF_HD void mark(position p, int axis) const
  {
    atomic::set_bits(crossed + word_of(p, axis), 1u << (p.index & 31));
  }

  [[nodiscard]] CUTSDF_HD bool marked(position p, int axis) const
  {
    return (crossed[word_of(p, axis)] >> (p.index & 31) & 1u) != 0;
  }

  [[nodiscard]] CUTSDF_HD std::uint32_t vertex(position p, int axis) const
  {
    const std::int64_t word   = word_of(p, axis);
    const std::uint32_t below = crossed[word] & ((1u << (p.index & 31)) - 1u);
    return first[p.place] + before[word] + static_cast<std::uint32_t>(population(below));
  }
};

template <class Voxel, class Policies>
struct find_neighbours {
  volume_ref<Voxel, Policies> volume;
  surface_ref surface;
  CUTSDF_HD void operator()(std::int64_t i) const
  {
    const auto k = static_cast<int>(i & 7);
    vec3i block;
    surface.neighbours[i] = volume.block_at(static_cast<std::uint32_t>(i >> 3), block)
                              ? volume.find(block + vec3i{k & 1, k >> 1 & 1, k >> 2})
                              : no_index;
  }
};

struct count_vertices {
  surface_ref surface;
  CUTSDF_HD void operator()(std::int64_t place) const
  {
    std::uint32_t count = 0;
    for (int word = 0; word < words_per_block; ++word) {
      surface.before[place * words_per_block + word] = count;
      count += static_cast<std::uint32_t>(population(surface.crossed[place * words_per_block + word]));
    }
    surface.counts[place] = count;
  }
};

struct add_up {
  const std::uint32_t* counts;
  std::uint64_t* sum;
  CUTSDF_HD void operator()(std::int64_t place) const
  {
    if (counts[place] != 0) { atomic::add(sum, std::uint64_t{counts[place]}); }
  }
};

/// Where vertices go.
struct vertex_arrays {
  vec3f* positions;  // metres, world frame
  vec3f* normals;
  rgb8* colors;
};

template <class Voxel, class Policies>
struct emit_vertices {
  volume_ref<Voxel, Policies> volume;
  surface_ref surface;
  vertex_arrays out;
  float min_weight;

  struct context {
    std::uint32_t place;
    vec3i block;
    bool stored;
  };
  CUTSDF_HD context prepare(std::int64_t tile) const
  {
    context c{static_cast<std::uint32_t>(tile), {0, 0, 0}, false};
    c.stored = surface.counts[tile] != 0 && volume.block_at(c.place, c.block);
    return c;
  }
  CUTSDF_HD void operator()(const context& c, int lane) const
  {
    if (!c.stored) { return; }
    for (int axis = 0; axis < 3; ++axis) {
      const surface_ref::position p{c.place, lane};
      if (surface.marked(p, axis)) { emit(surface.vertex(p, axis), c.block * block_side + voxel_in_block(lane), axis); }
    }
  }

 private:
  CUTSDF_HD void emit(std::uint32_t vertex, vec3i voxel, int axis) const
  {
    const vec3i next = voxel + vec3i{axis == 0, axis == 1, axis == 2};
    sampler<Voxel, Policies> field(volume, min_weight);
    float here = 0.0f, there = 0.0f;
    static_cast<void>(field.read(voxel, here));
    static_cast<void>(field.read(next, there));

    // Off the ends by a ten-thousandth of a voxel, so that no two vertices coincide where a voxel's centre lies exactly
    // on the surface.
    const vec3f centre = centre_vox(voxel);
    const float extent = fmaxf(fabsf(centre.x), fmaxf(fabsf(centre.y), fabsf(centre.z)));
    const float margin = fminf(0.25f, fmaxf(1.0e-4f, extent * 2.4e-7f));  // no less than a float can tell at this place
    float t            = ieee::div(here, ieee::sub(here, there));
    t                  = t < margin ? margin : t > 1.0f - margin ? 1.0f - margin : t;
    const float s      = ieee::sub(1.0f, t);

    const vec3f offset    = to_float(next - voxel) * t;
    out.positions[vertex] = (centre + offset) * volume.voxel_size;
    out.normals[vertex]   = normalised(field.gradient(voxel, here) * s + field.gradient(next, there) * t);

    const voxel_color a = volume.read_color(voxel);
    const voxel_color b = volume.read_color(next);
    const vec3f color   = a.weight > 0.0f && b.weight > 0.0f ? a.rgb * s + b.rgb * t : a.weight > 0.0f ? a.rgb : b.rgb;
    out.colors[vertex]  = sampler<Voxel, Policies>::rounded(color);
  }
};

/// The surface's bookkeeping and the steps that every extraction shares.
template <class Space>
class surface {
 public:
  using stream_type = typename Space::stream_type;
  using resource    = typename Space::resource;

  surface(std::int64_t places, stream_type stream, resource& memory)
    : places_(places), stream_(stream), memory_(memory), neighbours_(8 * places, stream, memory),
      crossed_(words_per_block * places, stream, memory), before_(words_per_block * places, stream, memory),
      counts_(places + 1, stream, memory), first_(places + 1, stream, memory), sum_(1, stream, memory)
  {
    crossed_.fill_bytes(0);
    counts_.fill_bytes(0);
  }

  [[nodiscard]] surface_ref ref()
  {
    return {neighbours_.data(), crossed_.data(), before_.data(), counts_.data(), first_.data()};
  }

  template <class F>
  void for_each_voxel(const F& f)
  {
    Space::template for_each_tile<voxels_per_block>(stream_, nullptr, places_, f);
  }

  template <class Voxel, class Policies>
  void find_neighbours_of(const volume_ref<Voxel, Policies>& volume)
  {
    Space::for_each(stream_, 8 * places_, find_neighbours<Voxel, Policies>{volume, ref()});
  }

  /// Numbers the marked vertices; returns how many there are. Waits.
  std::int64_t number_vertices()
  {
    Space::for_each(stream_, places_, count_vertices{ref()});
    return total(counts_, first_);
  }

  /// first[i] = counts[0] + ... + counts[i-1]; returns the sum of all. Waits. Throws error when the sum needs more than
  /// the 32 bits of an index.
  std::int64_t total(const buffer<std::uint32_t, Space>& counts, buffer<std::uint32_t, Space>& first)
  {
    sum_.fill_bytes(0);
    Space::for_each(stream_, places_, add_up{counts.data(), sum_.data()});
    Space::exclusive_scan(stream_, memory_, counts.data(), first.data(), places_ + 1);
    std::uint64_t sum = 0;
    Space::copy_out(stream_, &sum, sum_.data(), sizeof sum);
    if (sum > std::numeric_limits<std::uint32_t>::max()) {
      throw error("the surface has " + std::to_string(sum) + " vertices or triangles, more than 32 bits can number");
    }
    return static_cast<std::int64_t>(sum);
  }

 private:
  std::int64_t places_;
  stream_type stream_;
  resource& memory_;
  buffer<std::uint32_t, Space> neighbours_;
  buffer<std::uint32_t, Space> crossed_;
  buffer<std::uint32_t, Space> before_;
  buffer<std::uint32_t, Space> counts_;
  buffer<std::uint32_t, Space> first_;
  buffer<std::uint64_t, Space> sum_;
};

}  // namespace detail
}  // namespace cutsdf::inline v0
