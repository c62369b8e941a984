// The first pass of a ray cast: every cell that the surface passes through is drawn into the image, pixel by pixel the
// depth at which the pixel's ray enters the surface there. The nearest stays.
//
// A cell lies between eight voxels' centres; it takes part where all eight were observed. A group of threads finds and
// draws the cells of a block; those that cover many pixels wait in a queue, so that blocks close to the camera are not
// the work of one group each.
#pragma once

#include <cutsdf/look/cube.hpp>
#include <cutsdf/look/view.hpp>
#include <cutsdf/space/bits.hpp>

namespace cutsdf::inline v0::detail {

/// Draws cells.
struct cell_painter {
  camera_view view;
  float slack;   // how far from zero, in distance, rounding may put what is zero: at depth 0,
  float spread;  // and per depth
  float* depth;

  static cell_painter of(const camera_view& view, float truncation_vox, float* depth)
  {
    return {view, 1.0e-4f / truncation_vox, 1.0e-6f / truncation_vox, depth};
  }

  /// The pixels of the cell whose lowest voxel is `corner` steps from the view's base.
  [[nodiscard]] CUTSDF_HD cell_on_image place(vec3f corner) const
  {
    const vec3f lowest  = corner + view.offset;
    const pixel_box box = view.around_cell(lowest);
    const int columns   = box.right - box.left + 1;
    const int rows      = box.bottom - box.top + 1;
    const auto across   = static_cast<float>(columns);
    return {lowest,
            corner + vec3f{1.0f, 1.0f, 1.0f} + view.offset,
            static_cast<float>(box.left),
            static_cast<float>(box.top),
            across,
            approx::div(1.0f, across),
            columns > 0 && rows > 0 ? static_cast<std::uint32_t>(columns) * static_cast<std::uint32_t>(rows) : 0u,
            0};
  }

  /// Pixel k of the cell.
  CUTSDF_HD void draw(const cell_on_image& cell, const trilinear_powers& field, std::uint32_t k) const
  {
    // The quotient is exact: a strip has 2048 pixels, or a single row of up to 2^22.
    const auto number = static_cast<float>(k);
    const float row   = floorf((number + 0.25f) * cell.per_row);
    const float u     = cell.left + (number - row * cell.columns);
    const float v     = cell.top + row;
    const vec3f along = view.along(u, v);
    // Where the ray is in the cell. Neighbours compute the same of the plane between them, so that no ray slips
    // through.
    const vec3f& lowest  = cell.lowest;
    const vec3f& highest = cell.highest;
    float z0             = view.nearest;
    float z1             = view.farthest;
    const auto cut       = [&](float low, float high, float direction) {
      const float inverse = inverse_of(direction);
      const float a       = low * inverse;
      const float b       = high * inverse;
      z0                  = approx::larger(z0, approx::smaller(a, b));
      z1                  = approx::smaller(z1, approx::larger(a, b));
    };
    cut(lowest.x, highest.x, along.x);
    cut(lowest.y, highest.y, along.y);
    cut(lowest.z, highest.z, along.z);
    if (!(z0 <= z1)) { return; }
    const vec3f from{-lowest.x, -lowest.y, -lowest.z};
    float front = field.at(point_on(from, along, z0));
    float back  = field.at(point_on(from, along, z1));
    if (!(front > -(slack + spread * z0) && back <= 0.0f && back < front)) { return; }
    // False position, twice: what is nearest is right wherever it is in the cell; the second pass goes on from there.
    const auto root = [&] {
      const float z = z0 + (z1 - z0) * approx::div(front, front - back);
      return approx::smaller(approx::larger(z, z0), z1);
    };
    const float z     = root();
    const float value = field.at(point_on(from, along, z));
    const bool behind = value <= 0.0f;
    z0                = behind ? z0 : z;
    z1                = behind ? z : z1;
    front             = behind ? front : value;
    back              = behind ? value : back;
    atomic::lower(&depth[std::int64_t{static_cast<int>(v)} * view.width + static_cast<int>(u)], root());
  }

 private:
  /// 1 / d, or a number that is large enough.
  CUTSDF_HD static float inverse_of(float d)
  {
    return approx::smaller(approx::larger(approx::div(1.0f, d), -1.0e30f), 1.0e30f);
  }
};

/// A group a block in view: finds the cells that the surface passes through and draws them.
template <class Voxel, class Policies>
struct draw_cells {
  using ref_type = volume_ref<Voxel, Policies>;

  static constexpr bool launches_early  = true;
  static constexpr int threads          = block_side * block_side;  // one for each row of cells
  static constexpr int resident_threads = 1024;

  ref_type volume;
  cell_painter painter;
  const listed_block* listed;
  block_neighbours* neighbours;
  queued_cell* queue;
  std::uint32_t queue_capacity;
  cast_counts* counts;
  float min_weight;

  static constexpr int side  = block_side + 1;
  static constexpr int turns = block_side + 4;  // in which a thread reads a voxel each

  /// Of nine voxels along x whether they were measured and whether they are not in front of the surface.
  struct alignas(4) row_flags {
    std::uint16_t eight;  // bits 0 to 7 and 8 to 15
    std::uint16_t ninth;  // bits 0 and 8
  };

  struct scratch {
    queued_cell placed[threads];          // cells with pixels
    float distances[side * side * side];  // of the block's voxels, and of the next layers on x, y and z
    row_flags rows[side * side + 3];      // of each row of them; the last are padding
    std::uint32_t places[block_neighbours::count];
    std::uint32_t found;  // how many cells the surface passes through
    std::uint32_t count;  // how many are placed
    std::uint16_t cells[voxels_per_block];
  };

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch& s) const
  {
    const listed_block block = listed[i];
    typename Group::template own<share> shares;
    group.for_each_thread([&](int thread) {
      if (thread == 0) {
        s.found = 0;
        s.count = 0;
      }
      read_inside(block.place, thread, shares[thread]);  // on their way while the blocks around are looked up
      if (thread < block_neighbours::count) { look_around(block, thread, s); }
    });
    group.for_each_thread([&](int mine) {
      const int thread = computed_anew(mine);
      read_beyond(thread, s, shares[mine]);
      mark<Group>(thread, shares[mine], s);
    });
    if (!group.any([&](int thread) { return find<Group>(thread, s); })) { return; }
    group.for_each_thread([&](int mine) { keep(computed_anew(mine), shares[mine], s); });
    const int cells = static_cast<int>(s.found);
    for (int first = 0; first < cells; first += threads) {
      if (first != 0) {
        group.once([&] { s.count = 0; });
      }
      group.for_each_thread([&](int thread) {
        if (first + thread < cells) { place<Group>(block.origin, voxel_in_block(s.cells[first + thread]), s); }
      });
      group.for_each_of(
        static_cast<int>(s.count), [&](int k) { return s.placed[k].where.pixels; },
        [&](int k, std::uint32_t pixel) { painter.draw(s.placed[k].where, s.placed[k].field, pixel); });
    }
  }

 private:
  static constexpr std::uint32_t few   = 16;    // pixels of a cell that is not queued
  static constexpr std::uint32_t strip = 2048;  // of one that is not cut

  /// A thread's voxels, one a turn: of the block's layers along z, then of the next layers on x, y and z, then of their
  /// edges and the corner.
  struct share {
    stored_value<Voxel> voxels[turns];
  };
  static constexpr int beyond_x = block_side;
  static constexpr int beyond_y = block_side + 1;
  static constexpr int beyond_z = block_side + 2;
  static constexpr int edges    = block_side + 3;

  CUTSDF_HD static vec3i at(int turn, int thread)
  {
    const int a = thread % block_side;
    const int b = thread / block_side;
    switch (turn) {
      default:
        return {a, b, turn};
      case beyond_x:
        return {block_side, a, b};
      case beyond_y:
        return {a, block_side, b};
      case beyond_z:
        return {a, b, block_side};
      case edges:  // along x, along y, along z, then the corner over and over
        return {b == 0 ? a : block_side, b == 1 ? a : block_side, b == 2 ? a : block_side};
    }
  }

  /// Place of a voxel's distance.
  CUTSDF_HD static int slot(vec3i at) { return (at.z * side + at.y) * side + at.x; }
  /// Place of a row's flags.
  CUTSDF_HD static int row(int y, int z) { return z * side + y; }

  /// Looks up one of the blocks around.
  CUTSDF_HD void look_around(const listed_block& block, int n, scratch& s) const
  {
    const vec3i steps{static_cast<std::int32_t>(block.origin.x), static_cast<std::int32_t>(block.origin.y),
                      static_cast<std::int32_t>(block.origin.z)};
    const std::uint32_t place =
      volume.find(block_of(steps + painter.view.base) + vec3i{n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1});
    s.places[n]                       = place;
    neighbours[block.place].places[n] = place;  // for the pass that finds colours
  }

  /// Asks for the voxels of the block.
  CUTSDF_HD void read_inside(std::uint32_t place, int thread, share& mine) const
  {
    const std::int64_t first = ref_type::offset(place, thread);
    CUTSDF_UNROLLED
    for (int turn = 0; turn < block_side; ++turn) {
      mine.voxels[turn] = stored_value<Voxel>::read(volume.voxels, first + turn * threads);
    }
  }

  /// Asks for the others.
  CUTSDF_HD void read_beyond(int thread, const scratch& s, share& mine) const
  {
    CUTSDF_UNROLLED
    for (int turn = block_side; turn < turns; ++turn) {
      const vec3i voxel         = at(turn, thread);
      const std::uint32_t place = s.places[block_neighbours::index(voxel.x >> 3, voxel.y >> 3, voxel.z >> 3)];
      const bool exists         = ref_type::stored(place);
      mine.voxels[turn]         = stored_value<Voxel>::read(
                                    volume.voxels, ref_type::offset(place & (0u - (exists ? 1u : 0u)), index_in_block(voxel)))
                            .where(exists);
    }
  }

  template <class Group>
  CUTSDF_HD void mark(int thread, const share& mine, scratch& s) const
  {
    const auto seen     = [&](int turn) { return mine.voxels[turn].is_heavier(min_weight); };
    const auto behind   = [&](int turn) { return !mine.voxels[turn].is_front(); };
    const auto mark_row = [&](int turn, row_flags& of) { Group::mark_row(of.eight, thread, seen(turn), behind(turn)); };
    const auto set_ninth = [&](int turn, row_flags& of) {
      of.ninth = static_cast<std::uint16_t>((seen(turn) ? 1u : 0u) | (behind(turn) ? 0x100u : 0u));
    };
    row_flags* const own = s.rows + Group::row_of(thread);
    CUTSDF_UNROLLED
    for (int z = 0; z < block_side; ++z) {
      mark_row(z, own[row(0, z)]);
    }
    mark_row(beyond_y, s.rows[row(block_side, Group::row_of(thread))]);
    mark_row(beyond_z, own[row(0, block_side)]);
    const int a = thread % block_side;
    const int b = thread / block_side;
    set_ninth(beyond_x, s.rows[row(a, b)]);
    if (thread < 32) {  // whole warps
      mark_row(edges, own[row(block_side, block_side)]);
      if (b != 0) { set_ninth(edges, s.rows[b == 1 ? row(a, block_side) : row(block_side, b == 2 ? a : block_side)]); }
    }
  }

  /// Leaves the distances where cells find them.
  CUTSDF_HD void keep(int thread, const share& mine, scratch& s) const
  {
    CUTSDF_UNROLLED
    for (int turn = 0; turn < turns; ++turn) {
      if (turn != edges || thread <= 3 * block_side) {
        s.distances[slot(at(turn, thread))] = mine.voxels[turn].approx_distance();
      }
    }
  }

  /// Lists those of a row's eight cells that the surface passes through; false where there is none.
  template <class Group>
  CUTSDF_HD static bool find(int of, scratch& s)
  {
    const int y     = of % block_side;
    const int z     = of / block_side;
    const auto word = [&](int up, int on) {
      const row_flags flags = s.rows[row(y + up, z + on)];
      return std::uint32_t{flags.ninth} << 16 | flags.eight;
    };
    const std::uint32_t rows[4]{word(0, 0), word(1, 0), word(0, 1), word(1, 1)};
    const std::uint32_t all = rows[0] & rows[1] & rows[2] & rows[3];
    const std::uint32_t any = rows[0] | rows[1] | rows[2] | rows[3];
    // Nine bits; a cell lies between two of them.
    const auto seen      = [](std::uint32_t flags) { return (flags & 0xffu) | (flags >> 8 & 0x100u); };
    const auto behind    = [](std::uint32_t flags) { return (flags >> 8 & 0xffu) | (flags >> 16 & 0x100u); };
    const auto in_either = [](std::uint32_t nine) { return nine | nine >> 1; };
    const auto in_both   = [](std::uint32_t nine) { return nine & nine >> 1; };
    std::uint32_t active = in_either(behind(any)) & ~in_both(behind(all)) & in_both(seen(all)) & 0xffu;
    if (active == 0) { return false; }
    std::uint32_t to = Group::add(s.found, static_cast<std::uint32_t>(bits::count(active)));
    for (; active != 0; active &= active - 1) {
      s.cells[to++] = static_cast<std::uint16_t>(of * block_side + bits::lowest(active));
    }
    return true;
  }

  CUTSDF_HD static trilinear field_at(int slot, const scratch& s)
  {
    trilinear field;
    CUTSDF_UNROLLED
    for (int c = 0; c < 8; ++c) {
      field.d[c] = s.distances[slot + ((c >> 2) * side + (c >> 1 & 1)) * side + (c & 1)];
    }
    return field;
  }

  /// Finds a cell's pixels, if it has any, and queues it or leaves it to the group.
  template <class Group>
  CUTSDF_HD void place(vec3f origin, vec3i at, scratch& s) const
  {
    cell_on_image cell = painter.place(origin + to_float(at));
    cell.slot          = slot(at);
    if (cell.pixels == 0) { return; }
    const trilinear_powers field = trilinear_powers::of(field_at(cell.slot, s));
    if (cell.pixels > few && enqueue(cell, field)) { return; }
    s.placed[Group::add(s.count, 1u)] = {field, cell};
  }

  /// Queues a cell; one that covers a good part of the image in strips of whole rows. False where there is no room.
  CUTSDF_HD bool enqueue(const cell_on_image& cell, const trilinear_powers& field) const
  {
    cell_on_image part = cell;
    std::uint32_t rows = 0;  // of a strip
    if (cell.pixels > strip) {
      const auto columns = static_cast<std::uint32_t>(cell.columns);
      rows               = columns < strip ? strip / columns : 1;
      part.pixels        = rows * columns;
    }
    for (std::uint32_t left = cell.pixels; left != 0; left -= part.pixels) {
      part.pixels                = part.pixels < left ? part.pixels : left;
      const std::uint32_t number = atomic::take_number(&counts->queued);
      if (number < queue_capacity) {
        queue[number] = {field, part};
      } else if (part.pixels == cell.pixels) {
        return false;
      } else {
        for (std::uint32_t k = 0; k < part.pixels; ++k) {
          painter.draw(part, field, k);
        }
      }
      part.top += static_cast<float>(rows);
    }
    return true;
  }
};

/// Draws what was queued: each group every n-th handful of cells.
struct draw_queue {
  static constexpr bool launches_early = true;
  static constexpr int threads         = 64;
  static constexpr int cells           = 8;
  static constexpr std::int64_t groups = 4096;

  cell_painter painter;
  const queued_cell* queue;
  std::uint32_t capacity;
  const cast_counts* counts;

  struct scratch {
    queued_cell cells[draw_queue::cells];
  };

  template <class Group>
  CUTSDF_HD void operator()(const Group& group, std::int64_t i, scratch& s) const
  {
    const std::int64_t queued = counts->queued < capacity ? counts->queued : capacity;
    for (std::int64_t first = i * cells; first < queued; first += groups * cells) {
      const int count = static_cast<int>(queued - first < cells ? queued - first : cells);
      group.for_each(count, [&](int k) { s.cells[k] = queue[first + k]; });
      group.for_each_of(
        count, [&](int k) { return s.cells[k].where.pixels; },
        [&](int k, std::uint32_t pixel) { painter.draw(s.cells[k].where, s.cells[k].field, pixel); });
    }
  }
};

}  // namespace cutsdf::inline v0::detail
