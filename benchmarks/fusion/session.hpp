// What the benchmarks of a run share: the stream, its clock, the copy bandwidth and the recording.
#pragma once

#include "../clock.hpp"
#include "../resident_frames.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

namespace bench {

/// The device in the program that a CUDA compiler made, the host in the other.
using space            = cutsdf::space::preferred;
using volume           = cutsdf::volume<space>;
constexpr bool on_host = std::same_as<space, cutsdf::space::host>;
constexpr double to_ms = 1.0e3;
constexpr double to_us = 1.0e6;
constexpr float band   = 4.0f;  // truncation in voxels, everywhere

#if CUTSDF_HAS_CUDA
using clock_type = stream_clock;
/// A stream of one's own.
using owned_stream = cutsdf::space::device::owned_stream;
#else
using clock_type   = host_clock;
using owned_stream = cutsdf::space::host::stream_type;
#endif

/// A result that must not be printed as a time: what was not as it should be.
struct refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Refuses the results of a volume that has lost anything.
inline void require_complete(const cutsdf::volume_report& report)
{
  if (report.drops.lost() == 0 && report.table_entries == report.blocks) { return; }
  throw refused("the volume lost " + std::to_string(report.drops.lost()) + " contributions; it has room for " +
                std::to_string(report.block_capacity) + " blocks");
}

/// Copies a megabyte of host memory.
struct copy_chunk {
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  const std::byte* from;
  std::byte* to;
  void operator()(std::int64_t i) const
  {
    const auto offset = static_cast<std::size_t>(i) * bytes;
    std::memcpy(to + offset, from + offset, bytes);
  }
};

class session {
 public:
  using frame = resident_frame<space>;

  explicit session(std::unique_ptr<fuse::frame_source> source) : clock_(stream()), source_(std::move(source))
  {
    copy_bandwidth_ = measured_bandwidth();
  }

  [[nodiscard]] space::stream_type stream() const { return stream_; }

  /// Milliseconds from the end of what is enqueued before to the end of what `work` enqueues. Waits.
  template <class Work>
  double time(const Work& work)
  {
    clock_.mark();
    work();
    clock_.mark();
    return clock_.intervals().front();
  }

  /// Milliseconds of each call of `work(i)`, i in [0, count), one after the other. Waits.
  template <class Work>
  std::vector<double> time_each(int count, const Work& work)
  {
    clock_.mark();
    for (int i = 0; i < count; ++i) {
      work(i);
      clock_.mark();
    }
    return clock_.intervals();
  }

  /// Seconds until the host has enqueued what `work` enqueues, on a stream that has nothing to do. Waits.
  template <class Work>
  double time_enqueueing(const Work& work)
  {
    stream().wait();
    host_clock host(cutsdf::space::host::stream_type{});
    host.mark();
    work();
    host.mark();
    stream().wait();
    return host.intervals().front() / to_ms;
  }

  /// Bytes a second that a copy reads and writes, as measured when the run began.
  [[nodiscard]] double copy_bandwidth() const { return copy_bandwidth_; }

  /// The recording's frames; read when first asked for.
  const std::vector<frame>& frames()
  {
    if (frames_.empty()) { frames_ = read_frames<space>(*source_, stream_); }
    return frames_;
  }
  [[nodiscard]] cutsdf::pinhole camera() const { return source_->camera(); }
  [[nodiscard]] bool has_color() const { return source_->has_color(); }

  /// Milliseconds of one copy of `bytes` bytes, several in a window. Far more than any cache holds.
  double copy_ms()
  {
    constexpr int copies = on_host ? 1 : 4;
    return time([&] {
             for (int i = 0; i < copies; ++i) {
               copy(copy_target().data(), copy_source().data());
             }
           }) /
           copies;
  }
  static constexpr std::int64_t copied_bytes = std::int64_t{1} << (on_host ? 28 : 30);

 private:
  using bytes_buffer = cutsdf::buffer<std::byte, space>;

  bytes_buffer& copy_source() { return filled(copy_from_, 1); }
  bytes_buffer& copy_target() { return filled(copy_to_, 2); }
  bytes_buffer& filled(std::unique_ptr<bytes_buffer>& memory, unsigned char value) const
  {
    if (!memory) {
      memory = std::make_unique<bytes_buffer>(copied_bytes, stream_);
      memory->fill_bytes(value);
    }
    return *memory;
  }

  void copy(std::byte* to, const std::byte* from) const
  {
#if CUTSDF_HAS_CUDA
    cutsdf::detail::check_cuda(
      cudaMemcpyAsync(to, from, static_cast<std::size_t>(copied_bytes), cudaMemcpyDeviceToDevice, stream().get()),
      "cudaMemcpyAsync");
#else
    space::for_each(stream_, copied_bytes / static_cast<std::int64_t>(copy_chunk::bytes), copy_chunk{from, to});
#endif
  }

  double measured_bandwidth()
  {
    std::vector<double> ms;
    copy_ms();
    for (int i = 0; i < 9; ++i) {
      ms.push_back(copy_ms());
    }
    std::sort(ms.begin(), ms.end());
    return 2.0 * static_cast<double>(copied_bytes) / ms[ms.size() / 2] * to_ms;
  }

  owned_stream stream_;
  clock_type clock_;
  std::unique_ptr<fuse::frame_source> source_;
  std::vector<frame> frames_;
  std::unique_ptr<bytes_buffer> copy_from_;
  std::unique_ptr<bytes_buffer> copy_to_;
  double copy_bandwidth_{0.0};
};

}  // namespace bench
