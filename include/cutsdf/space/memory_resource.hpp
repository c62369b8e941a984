// Where memory comes from. A volume and everything it returns take all their memory of its space through one of these.
#pragma once

#include <cutsdf/space/error.hpp>

#include <cstddef>

namespace cutsdf::inline v0 {

/// Source of the memory of one space. Derive from it to use a pool of your own or to count.
///
/// Both calls are ordered by `stream`: memory may be used by work enqueued on that stream after `allocate`, and work
/// enqueued before `deallocate` may still be using it. Blocks are aligned to 256 bytes at least.
template <class Space>
class memory_resource {
 public:
  using stream_type = typename Space::stream_type;

  virtual ~memory_resource() = default;

  /// Returns `bytes` (> 0) bytes; throws out_of_memory, with the number, when there are none.
  [[nodiscard]] virtual void* allocate(std::size_t bytes, stream_type stream) = 0;

  /// Takes back what `allocate` gave for the same number of bytes.
  virtual void deallocate(void* pointer, std::size_t bytes, stream_type stream) noexcept = 0;
};

}  // namespace cutsdf::inline v0
