// An array in a space's memory.
#pragma once

#include <cutsdf/space/device.hpp>
#include <cutsdf/space/host.hpp>

#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace cutsdf::inline v0 {

namespace space {
/// The device where a CUDA compiler reads the code, the host elsewhere: so name the space in headers that both kinds of
/// unit include.
#if CUTSDF_HAS_CUDA
using preferred = device;
#else
using preferred = host;
#endif
}  // namespace space

/// Owns `size()` objects of a trivially copyable type in the memory of `Space`; move-only, uninitialised at first.
///
/// Allocation and release are ordered by the stream given at construction (or to set_stream()); the stream and the
/// resource must outlive the buffer. An empty buffer owns no memory.
template <class T, class Space>
class buffer {
  static_assert(std::is_trivially_copyable_v<T>, "cutsdf::buffer<T>: T must be trivially copyable");

 public:
  using value_type  = T;
  using space_type  = Space;
  using stream_type = typename Space::stream_type;
  using resource    = typename Space::resource;

  /// `size` uninitialised objects. Throws out_of_memory.
  buffer(std::int64_t size, stream_type stream, resource& memory = Space::default_resource())
    : size_(size), stream_(stream), memory_(&memory)
  {
    constexpr auto most = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(sizeof(T));
    detail::require(size >= 0 && size <= most, "size of a buffer", size, "zero or more, and below 2^63 bytes");
    if (size > 0) { data_ = static_cast<T*>(memory.allocate(bytes(), stream)); }
  }

  /// A copy of host memory. Waits.
  buffer(std::span<const T> host_data, stream_type stream, resource& memory = Space::default_resource())
    : buffer(static_cast<std::int64_t>(host_data.size()), stream, memory)
  {
    Space::copy_in(stream, data_, host_data.data(), bytes());
  }

  buffer(buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), stream_(other.stream_),
      memory_(other.memory_)
  {
  }

  /// Releases what this held; `other` is empty afterwards.
  buffer& operator=(buffer&& other) noexcept
  {
    buffer taken(std::move(other));
    std::swap(data_, taken.data_);
    std::swap(size_, taken.size_);
    std::swap(stream_, taken.stream_);
    std::swap(memory_, taken.memory_);
    return *this;
  }

  ~buffer()
  {
    if (data_ != nullptr) { memory_->deallocate(data_, bytes(), stream_); }
  }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t bytes() const noexcept { return static_cast<std::size_t>(size_) * sizeof(T); }
  [[nodiscard]] std::span<const T> span() const noexcept { return {data_, static_cast<std::size_t>(size_)}; }

  /// Orders later operations and the release by another stream; the caller orders the two streams.
  void set_stream(stream_type stream) noexcept { stream_ = stream; }

  /// Sets every byte; does not wait.
  void fill_bytes(unsigned char value) { Space::fill_bytes(stream_, data_, value, bytes()); }

  /// A copy in host memory. Waits.
  [[nodiscard]] std::vector<T> to_host() const
  {
    std::vector<T> result(static_cast<std::size_t>(size_));
    Space::copy_out(stream_, result.data(), data_, bytes());
    return result;
  }

 private:
  T* data_{nullptr};
  std::int64_t size_{0};
  stream_type stream_;
  resource* memory_;
};

}  // namespace cutsdf::inline v0
