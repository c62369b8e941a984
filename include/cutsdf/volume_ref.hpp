// A volume as kernels see it.
#pragma once

#include <cutsdf/table/block_table_ref.hpp>
#include <cutsdf/voxel/voxel.hpp>

namespace cutsdf::inline v0 {

/// Non-owning view of a volume for kernels of one's own: trivially copyable, passed by value, valid until the volume
/// is destroyed or its capacity changes.
///
/// Reading is free of locks; it sees everything that was enqueued before on the same stream. `place` is a block's
/// position in the pool, `voxel` a global voxel coordinate (voxel v covers [v, v+1) * voxel_size on each axis).
template <class Voxel, class Policies>
struct volume_ref {
  using voxel_type    = Voxel;
  using policies_type = Policies;

  block_table_ref<Policies> table;
  typename Voxel::arrays voxels;
  float voxel_size;          // metres
  float inverse_voxel_size;  // 1 / metres
  float truncation;          // metres
  float truncation_vox;      // truncation / voxel_size

  /// Blocks are iterated over [0, places()): those for which block_at() is true.
  [[nodiscard]] CUTSDF_HD std::uint32_t places() const { return table.places(); }

  /// The block at a place of the pool; false when there is none.
  [[nodiscard]] CUTSDF_HD bool block_at(std::uint32_t place, vec3i& block) const
  {
    const block_key key = table.keys[place];
    if (key == empty_key) { return false; }
    block = block_of_key(key);
    return true;
  }

  /// Place of a block, or no_index / no_storage (both above every place) when it holds no voxels.
  [[nodiscard]] CUTSDF_HD std::uint32_t find(vec3i block) const
  {
    return has_key(block) ? table.find(block) : no_index;
  }

  /// Whether `place`, as find() returned it, holds voxels.
  [[nodiscard]] CUTSDF_HD static constexpr bool stored(std::uint32_t place) { return place < no_storage; }

  /// Position of a voxel in the voxel policy's arrays.
  [[nodiscard]] CUTSDF_HD static constexpr std::int64_t offset(std::uint32_t place, int index)
  {
    return static_cast<std::int64_t>(place) * voxels_per_block + index;
  }

  /// The voxel at `index` (see index_in_block) of the block at `place`.
  [[nodiscard]] CUTSDF_HD voxel_value read(std::uint32_t place, int index) const
  {
    return Voxel::read(voxels, offset(place, index));
  }

  /// A voxel anywhere; weight 0 where there is no block. One table lookup.
  [[nodiscard]] CUTSDF_HD voxel_value read(vec3i voxel) const
  {
    const std::uint32_t place = find(block_of(voxel));
    return stored(place) ? read(place, index_in_block(voxel)) : voxel_value{0.0f, 0.0f};
  }

  [[nodiscard]] CUTSDF_HD voxel_color read_color(vec3i voxel) const
  {
    const std::uint32_t place = find(block_of(voxel));
    return stored(place) ? Voxel::read_color(voxels, offset(place, index_in_block(voxel)))
                         : voxel_color{{0.0f, 0.0f, 0.0f}, 0.0f};
  }
};

}  // namespace cutsdf::inline v0
