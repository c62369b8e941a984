// Ways to fill a table.
#pragma once

#include <cutsdf/table/block_table.hpp>

#include "space.hpp"

namespace cutsdf_test {

/// How blocks come into a table.
enum class insertion {
  in_bulk,
  from_kernel,   // insert(), a thread a block
  after_search,  // the same for those that search() has not found, as when depth images and points are fused
};
inline constexpr insertion all_insertions[]{insertion::in_bulk, insertion::from_kernel, insertion::after_search};

template <class Policies>
struct insert_each_block {
  block_table_ref<Policies> table;
  const vec3i* blocks;
  std::uint32_t* indices;
  bool searches;
  CUTSDF_HD void operator()(std::int64_t i) const
  {
    if (searches) {
      auto seen = table.search(blocks[i]);
      if (seen.slot == no_slot) { table.insert(blocks[i], seen); }
      indices[i] = seen.index != no_index ? seen.index : index_in(seen.slot);
    } else {
      indices[i] = index_in(table.insert(blocks[i]));
    }
  }
  CUTSDF_HD std::uint32_t index_in(std::uint32_t slot) const
  {
    return slot == no_slot ? no_index : table.index_at(slot);
  }
};

/// The places of blocks, inserted where they are missing.
template <class Policies>
std::vector<std::uint32_t> insert_all(block_table<test_space, Policies>& table, const buffer<vec3i, test_space>& blocks,
                                      insertion how)
{
  buffer<std::uint32_t, test_space> indices(blocks.size(), test_stream());
  if (how == insertion::in_bulk) {
    table.insert_async(blocks.span(), indices.data());
  } else {
    test_space::for_each(
      test_stream(), blocks.size(),
      insert_each_block<Policies>{table.ref(), blocks.data(), indices.data(), how == insertion::after_search});
  }
  return indices.to_host();
}

}  // namespace cutsdf_test
