// A memory resource that counts, and remembers which streams it was asked on.
#pragma once

#include "space.hpp"

#include <set>

namespace cutsdf_test {

/// Something comparable that tells streams apart.
inline const void* identity(const space::host::stream_type& stream) { return &stream.pool(); }
#if CUTSDF_HAS_CUDA
inline const void* identity(const space::device::stream_type& stream) { return stream.get(); }
#endif

template <class Space>
class counting_resource final : public memory_resource<Space> {
 public:
  using stream_type = typename Space::stream_type;

  void* allocate(std::size_t bytes, stream_type stream) override
  {
    if (bytes > limit) { throw out_of_memory("a test allows no allocation of " + std::to_string(bytes) + " bytes"); }
    ++allocations;
    held += bytes;
    ++blocks;
    streams.insert(identity(stream));
    return Space::default_resource().allocate(bytes, stream);
  }

  void deallocate(void* pointer, std::size_t bytes, stream_type stream) noexcept override
  {
    ++deallocations;
    held -= bytes;
    --blocks;
    streams.insert(identity(stream));
    Space::default_resource().deallocate(pointer, bytes, stream);
  }

  std::int64_t allocations{0};
  std::int64_t deallocations{0};
  std::int64_t blocks{0};  // allocated and not given back
  std::size_t held{0};     // their bytes
  std::size_t limit{~std::size_t{0}};
  std::set<const void*> streams;
};

}  // namespace cutsdf_test
