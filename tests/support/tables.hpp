// Ways to fill a table.
#pragma once

#include <cutsdf/table/block_table.hpp>

#include "space.hpp"

namespace cutsdf_test {

/// What the fusions of depth images and points do: a thread a block looks for it, and inserts it where it is missing.
template <class Policies>
struct search_and_insert {
  block_table_ref<Policies> table;
  const vec3i* blocks;
  std::uint32_t* indices;
  CUTSDF_HD void operator()(std::int64_t i) const
  {
    auto seen = table.search(blocks[i]);
    if (seen.slot == no_slot) { table.insert(blocks[i], seen); }
    indices[i] = seen.slot == no_slot ? no_index : seen.index != no_index ? seen.index : table.index_at(seen.slot);
  }
};

enum class insertion { in_bulk, one_by_one };
inline constexpr insertion all_insertions[]{insertion::in_bulk, insertion::one_by_one};

/// The places of blocks, inserted where they are missing.
template <class Policies>
std::vector<std::uint32_t> insert_all(block_table<test_space, Policies>& table, const buffer<vec3i, test_space>& blocks,
                                      insertion how)
{
  buffer<std::uint32_t, test_space> indices(blocks.size(), test_stream());
  if (how == insertion::in_bulk) {
    table.insert_async(blocks.span(), indices.data());
  } else {
    test_space::for_each(test_stream(), blocks.size(),
                         search_and_insert<Policies>{table.ref(), blocks.data(), indices.data()});
  }
  return indices.to_host();
}

}  // namespace cutsdf_test
