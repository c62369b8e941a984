// The volume: a table of blocks and the pool of their voxels.
//
// The operations are declared here and defined in the rooms they belong to: fuse/points.hpp, fuse/depth.hpp,
// look/raycast.hpp, extract/mesh.hpp, extract/points.hpp. <cutsdf/cutsdf.hpp> brings them all.
#pragma once

#include <cutsdf/frame.hpp>
#include <cutsdf/grid/image.hpp>
#include <cutsdf/grid/trilinear.hpp>
#include <cutsdf/space/buffer.hpp>
#include <cutsdf/table/block_table.hpp>
#include <cutsdf/volume_ref.hpp>
#include <cutsdf/voxel/fixed_point.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>

namespace cutsdf::inline v0 {

/// How a volume is made. Lengths in metres.
struct volume_settings {
  float voxel_size{0.01f};
  float truncation{0.04f};  // at least voxel_size
  /// Places in the pool, taken at once; a block takes 512 voxels (12 KiB with the default voxel, so 768 MiB by
  /// default). With index::slot the pool is as large as the table, and only the default of table_capacity follows from
  /// this.
  std::int64_t block_capacity{1 << 16};
  /// Slots in the table, a power of two; 0: the next power of two at or above twice block_capacity, 2^31 at most.
  std::int64_t table_capacity{0};
  /// Words that exchange::unmasked aims at where there is nothing to exchange, a power of two; other policies have
  /// none.
  std::int64_t scratch_slots{1 << 16};
  /// Pixels of the largest depth image to come, 4 bytes each. A larger one makes room for itself: the call that brings
  /// it then allocates, and must not be part of a graph that is being captured.
  std::int64_t image_pixels{640 * 480};
};

/// Points in the world frame, in metres, in the memory of the volume's space. `colors` and `weights` are empty or as
/// long as `positions`; without weights every point weighs 1. A weight outside the voxel policy's range (weights_of)
/// makes the point invalid: 1/64 to 8 for the default voxel, 1e-12 to 1e12 for those that sum floats.
struct point_cloud {
  std::span<const vec3f> positions;
  std::span<const rgb8> colors{};
  std::span<const float> weights{};
};

/// The state of a volume.
struct volume_report {
  std::int64_t blocks;  // with voxels
  std::int64_t block_capacity;
  std::int64_t table_entries;  // keys in the table, those without storage included
  std::int64_t table_capacity;
  double load_factor;    // table_entries / table_capacity
  std::size_t bytes;     // all memory the volume holds in its space
  std::uint64_t frames;  // calls to integrate since construction or clear()
  drop_counts drops;     // since then
};

/// What a ray cast looks at. Depths in metres along the camera's z axis; voxels with a weight above `min_weight` take
/// part.
struct raycast_options {
  float min_depth{0.1f};
  float max_depth{std::numeric_limits<float>::infinity()};
  float min_weight{0.0f};
};

/// What takes part in an extraction: voxels with a weight above `min_weight` (0: every observed one).
struct extract_options {
  float min_weight{0.0f};
};

template <class Space>
struct ray_image;
template <class Space>
struct mesh;
template <class Space>
struct surface_points;
template <class Volume, depth_pixel T>
class depth_graph;

namespace detail {
/// What a ray cast counts; zero between one and the next. See look/cells.hpp.
struct cast_counts {
  std::uint32_t blocks;  // in view
  std::uint32_t queued;  // cells
};

/// Places of the blocks around one, itself included, as volume_ref::find() gives them.
struct alignas(16) block_neighbours {
  static constexpr int count = 27;
  std::uint32_t places[count + 1];

  CUTSDF_HD static constexpr int index(int x, int y, int z) { return x + 1 + 3 * (y + 1) + 9 * (z + 1); }
};

/// A cell of the lattice and the pixels that may see it.
struct alignas(16) cell_on_image {
  vec3f lowest, highest;              // its corners, in voxels, seen from the camera
  float left, top, columns, per_row;  // whole numbers, and 1 / columns
  std::uint32_t pixels;
  int slot;  // of its lowest voxel's distance, where a group keeps those
};

/// One that waits to be drawn.
struct queued_cell {
  trilinear_powers field;  // of distances, in units of the truncation
  cell_on_image where;
};

/// Cells that a ray cast can queue. Where there are more, the groups that found them draw them.
constexpr std::int64_t queued_cells(std::int64_t block_capacity)
{
  return std::min(block_capacity, std::int64_t{1024}) * 64;
}

struct cloud_view;
}  // namespace detail

/// A truncated signed distance volume in blocks of 8x8x8 voxels; move-only (one that was moved from may be assigned to
/// or destroyed, nothing else).
///
/// `Space` says where it lives (space::device or space::host), `Voxel` what a voxel stores, `Policies` how the table
/// works. Every call runs on the stream given at construction (set_stream() changes it) and never on the default
/// stream. Calls named `..._async` return without waiting and allocate nothing (but for a depth image larger than
/// image_pixels); those that wait say so. A volume is not safe for concurrent calls from several host threads. With
/// space::device the stream's device must be current at every call, the destructor included; the default resource is
/// the device's cudaMallocAsync pool, which gives memory back to the driver at the next synchronisation unless its
/// release threshold is raised.
///
/// Limits: blocks lie within 2^20 of the origin on each axis (83 km at 1 cm); blocks are not removed except by clear();
/// running out of room loses blocks, counted in every frame_result and in report().
template <class Space = space::preferred, class Voxel = voxel::fixed_point, class Policies = policies<>>
class volume {
  static_assert(voxel_policy<Voxel>,
                "cutsdf::volume: Voxel is not a voxel policy, see voxel_policy in voxel/voxel.hpp");
  static_assert(std::is_trivially_copyable_v<volume_ref<Voxel, Policies>>);

 public:
  using space_type    = Space;
  using voxel_type    = Voxel;
  using policies_type = Policies;
  using stream_type   = typename Space::stream_type;
  using resource      = typename Space::resource;
  using ref_type      = volume_ref<Voxel, Policies>;

  /// An empty volume. Enqueues its initialisation and does not wait. Throws invalid_argument for settings that cannot
  /// be meant and out_of_memory when the resource has no room. `stream` and `memory` must outlive the volume.
  volume(const volume_settings& settings, stream_type stream, resource& memory = Space::default_resource())
    : settings_(checked(settings)), stream_(stream), memory_(&memory), storage_(make_storage(settings_)),
      state_(1, stream, memory), result_(1, stream, memory), cast_counts_(1, stream, memory),
      cell_queue_(detail::queued_cells(settings_.block_capacity), stream, memory),
      metres_(settings_.image_pixels + 1, stream, memory)
  {
    Space::once(stream_, detail::start_state{state_.data()});
    cast_counts_.fill_bytes(0);
  }

  /// The same where a stream needs no owner (space::host).
  explicit volume(const volume_settings& settings) requires std::default_initializable<stream_type>
    : volume(settings, stream_type{})
  {
  }

  [[nodiscard]] const volume_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] stream_type stream() const noexcept { return stream_; }
  [[nodiscard]] resource& memory() const noexcept { return *memory_; }

  /// Runs later calls, and the release of memory, on another stream. The caller orders the two streams (an event).
  void set_stream(stream_type stream) noexcept
  {
    stream_ = stream;
    storage_.table.set_stream(stream);
    storage_.pool.set_stream(stream);
    storage_.listed.set_stream(stream);
    storage_.neighbours.set_stream(stream);
    state_.set_stream(stream);
    result_.set_stream(stream);
    cast_counts_.set_stream(stream);
    cell_queue_.set_stream(stream);
    metres_.set_stream(stream);
  }

  /// View for kernels; valid until the volume is destroyed or reserve() is called. Whoever has it may write, also
  /// through a volume that is const here.
  [[nodiscard]] ref_type ref() const noexcept
  {
    auto* pool = const_cast<std::byte*>(storage_.pool.data());
    return {storage_.table.ref(), Voxel::bind(pool, storage_.table.block_capacity() * voxels_per_block),
            settings_.voxel_size, 1.0f / settings_.voxel_size,
            settings_.truncation, settings_.truncation / settings_.voxel_size};
  }

  /// Fuses points seen from `camera_position` (world frame, metres): each point updates the voxels within `truncation`
  /// of it along its ray. O(points * truncation / voxel_size). Waits, and returns what was done. Throws
  /// invalid_argument when colours or weights have another length than positions, or the camera is not finite.
  frame_result integrate(const point_cloud& points, const Eigen::Vector3f& camera_position);

  /// The same without waiting. `result`, where given, is memory that the space can write (device memory or pinned host
  /// memory), filled when the work is done; the points must stay until then.
  void integrate_async(const point_cloud& points, const Eigen::Vector3f& camera_position,
                       frame_result* result = nullptr);

  /// The two passes of integrate_async, for those who time them: `allocate_async` inserts the blocks of the band;
  /// `update_async`, called next with the same points, folds them in, counts what is lost and ends the frame. Neither
  /// waits nor allocates.
  void allocate_async(const point_cloud& points, const Eigen::Vector3f& camera_position);
  void update_async(const point_cloud& points, const Eigen::Vector3f& camera_position, frame_result* result = nullptr);

  /// Fuses a depth image taken by `camera` from `camera_to_world`: inserts every block that the truncation band of a
  /// valid pixel's ray passes through, then updates each voxel of these blocks from the pixel it projects into (signed
  /// distance = depth - z of the voxel's centre). O(pixels + blocks in the band). Waits, and returns what was done.
  /// Throws invalid_argument for a camera, an image, a range or a pose that cannot be meant; nothing is enqueued then.
  template <depth_pixel T>
  frame_result integrate(const depth_view<T>& depth, const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                         const depth_range& range = {})
  {
    return integrate(depth, color_view{}, camera, camera_to_world, range);
  }

  /// The same with colours, of any resolution. A `color` without data is no colour.
  template <depth_pixel T>
  frame_result integrate(const depth_view<T>& depth, const color_view& color, const pinhole& camera,
                         const Eigen::Isometry3f& camera_to_world, const depth_range& range = {});

  /// The same without waiting: no host synchronisation, and no allocation for images of up to image_pixels. `result` as
  /// for points; the images must stay until the work is done.
  template <depth_pixel T>
  void integrate_async(const depth_view<T>& depth, const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                       const depth_range& range = {}, frame_result* result = nullptr)
  {
    integrate_async(depth, color_view{}, camera, camera_to_world, range, result);
  }
  template <depth_pixel T>
  void integrate_async(const depth_view<T>& depth, const color_view& color, const pinhole& camera,
                       const Eigen::Isometry3f& camera_to_world, const depth_range& range = {},
                       frame_result* result = nullptr);

  /// Renders the surface into new images: see look/raycast.hpp. Does not wait.
  [[nodiscard]] ray_image<Space> raycast(const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                                         const raycast_options& options = {}) const;

  /// The same into images of the camera's size that are there already: no allocation. Throws invalid_argument when they
  /// have another size.
  void raycast_async(ray_image<Space>& into, const pinhole& camera, const Eigen::Isometry3f& camera_to_world,
                     const raycast_options& options = {}) const;

  /// Extracts the zero surface as an indexed triangle mesh: see extract/mesh.hpp. Waits for the sizes.
  [[nodiscard]] mesh<Space> extract_mesh(const extract_options& options = {}) const;

  /// Extracts points of the zero surface: see extract/points.hpp. Waits for the sizes.
  [[nodiscard]] surface_points<Space> extract_points(const extract_options& options = {}) const;

  /// Blocks, capacities, bytes, and everything dropped since construction or clear(). Waits.
  [[nodiscard]] volume_report report() const
  {
    const detail::frame_state state = state_.to_host().front();
    const auto entries              = storage_.table.size();
    volume_report r{};
    r.blocks         = std::min(entries, storage_.table.block_capacity());
    r.block_capacity = storage_.table.block_capacity();
    r.table_entries  = entries;
    r.table_capacity = storage_.table.capacity();
    r.load_factor    = static_cast<double>(entries) / static_cast<double>(r.table_capacity);
    r.bytes = storage_.table.bytes() + storage_.pool.bytes() + storage_.listed.bytes() + storage_.neighbours.bytes() +
              state_.bytes() + result_.bytes() + cast_counts_.bytes() + cell_queue_.bytes() + metres_.bytes();
    r.frames = state.frames;
    for (int i = 0; i < drop_causes; ++i) {
      r.drops.count[i] = state.total_drops[i];
    }
    return r;
  }

  /// Forgets everything; capacities stay. Does not wait. O(capacity).
  void clear()
  {
    storage_.clear();
    Space::once(stream_, detail::start_state{state_.data()});
  }

  /// Makes room for `block_capacity` blocks (no fewer than there are) and rehashes the table to the size that goes
  /// with it, or to `table_capacity`. Voxels are kept, blocks that had found no room are forgotten so that the next
  /// frame can insert them. Holds the old and the new storage at once. O(both capacities). Waits. Throws
  /// invalid_argument or out_of_memory, and then changes nothing; throws error when a bounded probe cannot place a
  /// block in the new table, and then changes nothing either.
  void reserve(std::int64_t block_capacity, std::int64_t table_capacity = 0);

 private:
  /// Whether points are fused in one pass (fuse/points_combined.hpp) or in two (fuse/points_scatter.hpp).
  static constexpr bool combines_points = packing_voxel_policy<Voxel> && !Policies::visit_type::every_sample;

  struct storage {
    block_table<Space, Policies> table;
    buffer<std::byte, Space> pool;
    mutable buffer<detail::listed_block, Space> listed;          // scratch: the blocks of a frame's band, or in view
    mutable buffer<detail::block_neighbours, Space> neighbours;  // scratch of ray casts, for every place

    void clear()
    {
      table.clear();
      pool.fill_bytes(0);
    }
  };

  static volume_settings checked(volume_settings s)
  {
    detail::require(std::isfinite(s.voxel_size) && s.voxel_size > 0.0f, "voxel_size", s.voxel_size,
                    "positive and finite (metres)");
    detail::require(std::isfinite(s.truncation) && s.truncation >= s.voxel_size, "truncation", s.truncation,
                    "finite and at least voxel_size (metres)");
    detail::require(s.block_capacity >= 1 && s.block_capacity <= std::int64_t{1} << 31, "block_capacity",
                    s.block_capacity, "from 1 to 2^31");
    detail::require(std::isfinite(1.0f / s.voxel_size), "1 / voxel_size", 1.0f / s.voxel_size, "finite");
    detail::require(s.voxel_size <= 1.0e6f, "voxel_size", s.voxel_size, "at most 1e6 (metres)");
    detail::require(s.truncation / s.voxel_size <= 4096.0f, "truncation / voxel_size", s.truncation / s.voxel_size,
                    "at most 4096");
    detail::require(s.image_pixels >= 0 && s.image_pixels <= std::numeric_limits<std::int32_t>::max(), "image_pixels",
                    s.image_pixels, "from 0 to 2^31 - 1");
    if (s.table_capacity != 0) {
      detail::require(s.table_capacity >= 2 && s.table_capacity <= std::int64_t{1} << 31 &&
                        std::has_single_bit(static_cast<std::uint64_t>(s.table_capacity)),
                      "table_capacity", s.table_capacity, "a power of two from 2 to 2^31");
    } else {
      s.table_capacity = static_cast<std::int64_t>(
        std::min(std::bit_ceil(static_cast<std::uint64_t>(2 * s.block_capacity)), std::uint64_t{1} << 31));
    }
    return s;
  }

  storage make_storage(const volume_settings& s)
  {
    // The pool first: it is what there may be no room for, and then nothing was written yet.
    const auto places = Policies::index_type::from_slot ? s.table_capacity : s.block_capacity;
    buffer<std::byte, Space> pool(places * voxels_per_block * Voxel::bytes_per_voxel, stream_, *memory_);
    block_table<Space, Policies> table(s.table_capacity, s.block_capacity, stream_, *memory_, s.scratch_slots);
    pool.fill_bytes(0);
    buffer<detail::block_neighbours, Space> neighbours(places, stream_, *memory_);
    neighbours.fill_bytes(0xff);
    return {std::move(table), std::move(pool), buffer<detail::listed_block, Space>(s.table_capacity, stream_, *memory_),
            std::move(neighbours)};
  }

  /// Places of the pool that may hold a block. Waits.
  [[nodiscard]] std::int64_t occupied_places() const
  {
    if constexpr (Policies::index_type::from_slot) { return storage_.table.block_capacity(); }
    return std::min(storage_.table.size(), storage_.table.block_capacity());
  }

  template <bool Insert>
  void combine_points(const detail::cloud_view& cloud, std::int64_t number, frame_result* result);

  /// integrate_async(), its kernels going to a stream or into a graph.
  template <depth_pixel T, class To>
  void fuse_depth(To& to, const depth_view<T>& depth, const color_view& color, const pinhole& camera,
                  const Eigen::Isometry3f& camera_to_world, const depth_range& range, frame_result* result);
  template <class Volume, depth_pixel T>
  friend class depth_graph;

  /// What a call that waits returns.
  frame_result wait_for_result()
  {
    frame_result result;
    Space::copy_out(stream_, &result, result_.data(), sizeof result);
    return result;
  }

  /// The end of a frame of `offered` points or pixels.
  [[nodiscard]] detail::finish_frame<Policies> end_of_frame(std::int64_t offered, frame_result* result)
  {
    return {storage_.table.ref(), state_.data(), result, static_cast<std::uint64_t>(offered)};
  }

  volume_settings settings_;
  stream_type stream_;
  resource* memory_;
  storage storage_;
  buffer<detail::frame_state, Space> state_;
  buffer<frame_result, Space> result_;                      // of the calls that wait
  mutable buffer<detail::cast_counts, Space> cast_counts_;  // scratch of ray casts
  mutable buffer<detail::queued_cell, Space> cell_queue_;   // the same
  buffer<float, Space> metres_;  // the current depth image, and a pixel without a measurement
};

namespace detail {

/// Keys without storage are gone after a rehash: counts of new blocks start from what is left.
template <class Policies>
struct recount {
  block_table_ref<Policies> table;
  frame_state* state;
  CUTSDF_HD void operator()() const { state->used_before = *table.used; }
};

/// Copies the voxels of every block to the place that the new table gave it.
template <class Voxel>
struct move_blocks {
  const std::uint32_t* target;  // by old place
  typename Voxel::arrays old_voxels;
  typename Voxel::arrays new_voxels;
  struct context {
    std::uint32_t source;
    std::uint32_t target;
  };
  CUTSDF_HD context prepare(std::int64_t place) const { return {static_cast<std::uint32_t>(place), target[place]}; }
  CUTSDF_HD void operator()(const context& c, int lane) const
  {
    if (c.target >= no_storage) { return; }
    const auto place = [lane](std::uint32_t block) {
      return static_cast<std::int64_t>(block) * voxels_per_block + lane;
    };
    Voxel::copy(old_voxels, place(c.source), new_voxels, place(c.target));
  }
};

}  // namespace detail

template <class Space, class Voxel, class Policies>
void volume<Space, Voxel, Policies>::reserve(std::int64_t block_capacity, std::int64_t table_capacity)
{
  volume_settings wanted = settings_;
  wanted.block_capacity  = block_capacity;
  wanted.table_capacity  = table_capacity;
  wanted                 = checked(wanted);

  const auto before = report();
  detail::require((Policies::index_type::from_slot ? wanted.table_capacity : wanted.block_capacity) >= before.blocks,
                  "capacity", block_capacity, "no fewer than the blocks there are");
  detail::require(wanted.table_capacity >= before.blocks, "table_capacity", wanted.table_capacity,
                  "no fewer than the blocks there are");
  storage next      = make_storage(wanted);
  const auto places = occupied_places();
  buffer<std::uint32_t, Space> target(places, stream_, *memory_);
  next.table.insert_keys_async({storage_.table.ref().keys, static_cast<std::size_t>(places)}, target.data());
  if (const auto failed = before.blocks - next.table.size(); failed != 0) {
    throw error("reserve: the probe's bound left " + std::to_string(failed) + " of " + std::to_string(before.blocks) +
                " blocks without a slot in a table of " + std::to_string(wanted.table_capacity));
  }
  const auto pool_of = [](storage& s) {
    return Voxel::bind(s.pool.data(), s.table.block_capacity() * voxels_per_block);
  };
  Space::template for_each_tile<voxels_per_block>(
    stream_, nullptr, places, detail::move_blocks<Voxel>{target.data(), pool_of(storage_), pool_of(next)});
  stream_.wait();

  storage_  = std::move(next);
  settings_ = wanted;
  Space::once(stream_, detail::recount<Policies>{storage_.table.ref(), state_.data()});
  stream_.wait();
}

}  // namespace cutsdf::inline v0
