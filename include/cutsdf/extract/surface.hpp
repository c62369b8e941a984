// Vertices of the zero surface: where it crosses the edges between neighbouring voxels.
//
// Every edge belongs to the voxel it starts from (three edges a voxel: x, y, z), so a vertex has one owner and cells of
// different blocks find the same one. Vertices and triangles are numbered by words of 32 voxels, in the order of the
// pool: one scan over the numbers of both gives each word its first vertex and triangle; inside a word vertices are
// numbered by axis, then by voxel.
#pragma once

#include <cutsdf/extract/sides.hpp>
#include <cutsdf/look/sampler.hpp>
#include <cutsdf/volume.hpp>

namespace cutsdf::inline v0 {

namespace detail {

/// Numbers of vertices (low half) and triangles (high half).
struct surface_size {
  std::uint64_t both;

  CUTSDF_HD static constexpr surface_size of(std::uint32_t vertices, std::uint32_t triangles)
  {
    return {std::uint64_t{triangles} << 32 | vertices};
  }
  [[nodiscard]] CUTSDF_HD constexpr std::uint32_t vertices() const { return static_cast<std::uint32_t>(both); }
  [[nodiscard]] CUTSDF_HD constexpr std::uint32_t triangles() const { return static_cast<std::uint32_t>(both >> 32); }
};

/// Adds two sizes; a number that 32 bits cannot hold stays at the largest they can.
struct add_sizes {
  static constexpr std::uint32_t most = 0xffffffffu;

  CUTSDF_HD constexpr std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const
  {
    const std::uint64_t vertices  = (a & most) + (b & most);
    const std::uint64_t triangles = (a >> 32) + (b >> 32);
    return (triangles < most ? triangles : most) << 32 | (vertices < most ? vertices : most);
  }
};

/// A voxel where it is stored.
struct stored_voxel {
  std::uint32_t place;
  int index;
};

/// The surface's bookkeeping as kernels see it.
struct surface_ref {
  side_map map;
  std::uint64_t* sizes;  // a word of 32 voxels: its surface_size, then that of all words before it; at the end, of all
  std::int64_t words;

  [[nodiscard]] CUTSDF_HD surface_size before(std::int64_t word) const { return {sizes[word]}; }

  /// The next voxel along an axis.
  [[nodiscard]] CUTSDF_HD stored_voxel next(stored_voxel voxel, int axis) const
  {
    const int unit   = 1 << block_side_log2 * axis;
    const int across = (block_side - 1) * unit;
    const bool last  = (voxel.index & across) == across;
    return {last ? map.neighbour(voxel.place, axis, true) : voxel.place,
            last ? voxel.index - across : voxel.index + unit};
  }

  /// The voxels before and after one along an axis. Without branches: what lies there is read many times.
  struct row {
    stored_voxel behind;
    stored_voxel ahead;
  };
  [[nodiscard]] CUTSDF_HD row beside(stored_voxel voxel, int axis) const
  {
    const int unit            = 1 << block_side_log2 * axis;
    const int across          = (block_side - 1) * unit;
    const bool first          = (voxel.index & across) == 0;
    const bool last           = (voxel.index & across) == across;
    const std::uint32_t other = map.neighbour(voxel.place, axis, last);
    return {{first ? other : voxel.place, first ? voxel.index + across : voxel.index - unit},
            {last ? other : voxel.place, last ? voxel.index - across : voxel.index + unit}};
  }

  /// A corner of a cell that is active. Without branches too.
  [[nodiscard]] CUTSDF_HD stored_voxel corner(stored_voxel cell, int corner) const
  {
    CUTSDF_UNROLLED
    for (int axis = 0; axis < 3; ++axis) {
      const int unit   = 1 << block_side_log2 * axis;
      const int across = (block_side - 1) * unit;
      const bool moves = (corner >> axis & 1) != 0;
      const bool last  = moves && (cell.index & across) == across;
      cell.place       = last ? map.neighbour(cell.place, axis, true) : cell.place;
      cell.index += last ? -across : moves ? unit : 0;
    }
    return cell;
  }

  /// Number of the vertex on the edge that starts at a voxel.
  [[nodiscard]] CUTSDF_HD std::uint32_t vertex(stored_voxel voxel, int axis) const
  {
    const int w               = voxel.index >> 5;
    const surface_word word   = map.blocks[voxel.place].words[w];
    const std::uint32_t first = before(std::int64_t{voxel.place} * words_per_block + w).vertices();
    const std::uint32_t below = (1u << (voxel.index & 31)) - 1u;
    const auto counted        = [&](int k) { return word.crossed[k] & (k < axis ? ~0u : k == axis ? below : 0u); };
    const int number          = bits::count(counted(0), counted(1), counted(2));
    return first + static_cast<std::uint32_t>(number);
  }
};

// Emission: a group of threads lists what a run of words has to emit, up to so many items at a time, and then emits
// them, each thread the next: the work is even, and neighbouring threads write neighbouring elements. On an H200 (5 mm,
// 57.7k blocks) runs of 32 words by 64 threads took 0.61 ms a mesh, 64 by 128 0.53, 128 by 256 0.56; lists of 2048
// instead of 1024 items gave another 0.01.
inline constexpr int words_per_run   = 64;
inline constexpr int emit_threads    = 128;
inline constexpr int items_in_a_turn = 2048;

struct item_list {
  std::uint32_t items[items_in_a_turn];
};

/// `end - begin` items, of which those of word k of the run start at `first(k)`. `list(k, put)` puts those of word k,
/// in order; `emit(number, item)` is called for each.
template <class Group, class First, class List, class Emit>
CUTSDF_INLINE void emit_items(const Group& group, item_list& turn, int words, std::uint32_t begin, std::uint32_t end,
                              const First& first, const List& list, const Emit& emit)
{
  for (std::uint32_t from = begin; from < end; from += items_in_a_turn) {
    const std::uint32_t left = end - from;
    const int count          = left < items_in_a_turn ? static_cast<int>(left) : items_in_a_turn;
    group.for_each(words, [&](int k) CUTSDF_INLINE_LAMBDA {
      auto at = static_cast<std::int32_t>(first(k) - from);
      if (at >= count) { return; }
      list(k, [&](std::uint32_t item) CUTSDF_INLINE_LAMBDA {
        if (at >= 0 && at < count) { turn.items[at] = item; }
        ++at;
      });
    });
    group.for_each(count,
                   [&](int i) CUTSDF_INLINE_LAMBDA { emit(from + static_cast<std::uint32_t>(i), turn.items[i]); });
    if (left <= items_in_a_turn) { return; }  // adding to `from` might wrap
  }
}

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

  using scratch = item_list;

  static constexpr bool likes_wide_target = true;

  template <class Group>
  CUTSDF_INLINE void operator()(const Group& group, std::int64_t run, scratch& turn) const
  {
    const std::int64_t word = run * words_per_run;
    const auto left         = surface.words - word;
    const int words         = left < words_per_run ? static_cast<int>(left) : words_per_run;
    const auto first        = [&](int k) { return surface.before(word + k).vertices(); };
    emit_items(
      group, turn, words, first(0), first(words), first,
      [&](int k, const auto& put) CUTSDF_INLINE_LAMBDA {
        const surface_block& block = surface.map.blocks[(word + k) / words_per_block];
        for (int axis = 0; axis < 3; ++axis) {
          for (std::uint32_t rest = block.words[k % words_per_block].crossed[axis]; rest != 0; rest &= rest - 1) {
            put(static_cast<std::uint32_t>(k << 7 | bits::lowest(rest) << 2 | axis));
          }
        }
      },
      [&](std::uint32_t vertex, std::uint32_t item) CUTSDF_INLINE_LAMBDA {
        const std::int64_t at = word + (item >> 7);
        const auto place      = static_cast<std::uint32_t>(at / words_per_block);
        const auto index      = static_cast<int>(at % words_per_block) * 32 + static_cast<int>(item >> 2 & 31u);
        emit(vertex, {place, index}, static_cast<int>(item & 3u));
      });
  }

 private:
  /// The six neighbours of a voxel: those behind and ahead of it on each axis.
  static constexpr int neighbours = 6;

  /// Asks for all before anything is computed: they wait for memory together.
  CUTSDF_INLINE void read_around(stored_voxel voxel, stored_value<Voxel>* values) const
  {
    const auto read = [&](stored_voxel other) CUTSDF_INLINE_LAMBDA {
      const bool stored = surface.map.stored(other.place);
      return stored_value<Voxel>::read(volume.voxels, volume.offset(stored ? other.place : voxel.place, other.index))
        .where(stored);
    };
    CUTSDF_UNROLLED
    for (int axis = 0; axis < 3; ++axis) {
      const auto row       = surface.beside(voxel, axis);
      values[2 * axis]     = read(row.behind);
      values[2 * axis + 1] = read(row.ahead);
    }
  }

  /// Gradient of the distance at a voxel's centre, from those of its neighbours; zero on an axis where neither takes
  /// part.
  [[nodiscard]] CUTSDF_INLINE static vec3f gradient(float here, const float* distances, const bool* takes_part)
  {
    float along[3];
    CUTSDF_UNROLLED
    for (int axis = 0; axis < 3; ++axis) {
      const bool has_behind = takes_part[2 * axis];
      const bool has_ahead  = takes_part[2 * axis + 1];
      const float backward  = distances[2 * axis];
      const float forward   = distances[2 * axis + 1];
      const float both      = ieee::mul(0.5f, ieee::sub(forward, backward));
      const float one       = has_ahead ? ieee::sub(forward, here) : ieee::sub(here, backward);
      along[axis]           = has_ahead && has_behind ? both : has_ahead || has_behind ? one : 0.0f;
    }
    return {along[0], along[1], along[2]};
  }

  /// The one of an axis, by choices: an index into an array would put that into memory.
  [[nodiscard]] CUTSDF_INLINE static float of_axis(int axis, float x, float y, float z)
  {
    return axis == 0 ? x : axis == 1 ? y : z;
  }

  CUTSDF_INLINE void emit(std::uint32_t vertex, stored_voxel a, int axis) const
  {
    const stored_voxel b = surface.next(a, axis);
    stored_value<Voxel> values[2 * neighbours];
    read_around(a, values);
    read_around(b, values + neighbours);
    vec3i block{0, 0, 0};
    static_cast<void>(volume.block_at(a.place, block));
    const voxel_color c = Voxel::read_color(volume.voxels, volume.offset(a.place, a.index));
    const voxel_color d = Voxel::read_color(volume.voxels, volume.offset(b.place, b.index));
    float distances[2 * neighbours];
    bool takes_part[2 * neighbours];
    CUTSDF_UNROLLED
    for (int i = 0; i < 2 * neighbours; ++i) {
      distances[i] = values[i].distance();
    }
    CUTSDF_UNROLLED
    for (int i = 0; i < 2 * neighbours; ++i) {
      takes_part[i] = values[i].is_heavier(min_weight);
    }
    const float* const of_b = distances + neighbours;
    const float here        = of_axis(axis, of_b[0], of_b[2], of_b[4]);  // a is behind b, b ahead of a
    const float there       = of_axis(axis, distances[1], distances[3], distances[5]);

    // Off the ends by a ten-thousandth of a voxel, so that no two vertices coincide where a voxel's centre lies exactly
    // on the surface.
    const vec3f centre = centre_vox(block * block_side + voxel_in_block(a.index));
    const float extent = approx::larger(fabsf(centre.x), approx::larger(fabsf(centre.y), fabsf(centre.z)));
    // No less than a float can tell at this place.
    const float margin = approx::smaller(0.25f, approx::larger(1.0e-4f, extent * 2.4e-7f));
    float t            = ieee::div(here, ieee::sub(here, there));
    t                  = !(t >= margin) ? margin : t > 1.0f - margin ? 1.0f - margin : t;
    const float s      = ieee::sub(1.0f, t);

    const vec3f offset    = to_float(vec3i{axis == 0, axis == 1, axis == 2}) * t;
    out.positions[vertex] = (centre + offset) * volume.voxel_size;
    out.normals[vertex] =
      normalised(gradient(here, distances, takes_part) * s + gradient(there, of_b, takes_part + neighbours) * t);

    const vec3f color  = c.weight > 0.0f && d.weight > 0.0f ? c.rgb * s + d.rgb * t : c.weight > 0.0f ? c.rgb : d.rgb;
    out.colors[vertex] = sampler<Voxel, Policies>::rounded(color);
  }
};

/// The surface's bookkeeping and the steps that every extraction shares. `places` is not zero.
template <class Space>
class surface {
 public:
  using stream_type = typename Space::stream_type;
  using resource    = typename Space::resource;

  surface(std::int64_t places, stream_type stream, resource& memory)
    : places_(places), stream_(stream), memory_(memory), blocks_(places + 1, stream, memory),
      sizes_(words_per_block * places + 1, stream, memory)
  {
  }

  [[nodiscard]] surface_ref ref()
  {
    return {{blocks_.data(), static_cast<std::uint32_t>(places_)}, sizes_.data(), words_per_block * places_};
  }

  /// Finds on which side each voxel lies.
  template <class Voxel, class Policies>
  void mark(const volume_ref<Voxel, Policies>& volume, float min_weight)
  {
    constexpr int threads = 128;
    const side_map map    = ref().map;
    Space::fill_bytes(stream_, blocks_.data() + places_, 0, sizeof(surface_block));
    Space::for_each(stream_, 6 * (places_ + 1), find_neighbours<Voxel, Policies>{volume, map});
    Space::template for_each_group<threads>(stream_, nullptr, places_,
                                            mark_sides<Voxel, Policies>{volume, map, min_weight});
  }

  template <class F>
  void for_each_word(const F& f)
  {
    Space::for_each(stream_, words_per_block * places_, f);
  }

  /// Numbers what the words hold; returns how much there is. Waits. Throws error when that needs more than the 32 bits
  /// of an index.
  surface_size number()
  {
    const auto words = words_per_block * places_;
    Space::exclusive_scan(stream_, memory_, sizes_.data(), sizes_.data(), words + 1, add_sizes{});
    surface_size all{};
    Space::copy_out(stream_, &all, sizes_.data() + words, sizeof all);
    if (all.vertices() == add_sizes::most || all.triangles() == add_sizes::most) {
      throw error("the surface has 2^32 - 1 vertices or triangles or more, too many to number with 32 bits");
    }
    return all;
  }

  /// Calls f for each run of words.
  template <class F>
  void emit(const F& f)
  {
    const auto runs = (words_per_block * places_ + words_per_run - 1) / words_per_run;
    Space::template for_each_group<emit_threads>(stream_, nullptr, runs, f);
  }

 private:
  std::int64_t places_;
  stream_type stream_;
  resource& memory_;
  buffer<surface_block, Space> blocks_;
  buffer<std::uint64_t, Space> sizes_;
};

}  // namespace detail
}  // namespace cutsdf::inline v0
