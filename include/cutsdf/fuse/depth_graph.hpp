// A depth camera's frames as one CUDA graph that is launched again and again. Only where a CUDA compiler reads it.
#pragma once

#include <cutsdf/fuse/depth.hpp>
#include <cutsdf/space/kernel_graph.hpp>

#if CUTSDF_HAS_CUDA

namespace cutsdf::inline v0 {

/// Feeds the frames of one camera to a volume of space::device: the same as volume::integrate_async, to the last bit,
/// with the frame's kernels in a CUDA graph that this owns. A frame costs the host less time: it sets those arguments
/// of the kernels that have changed, and makes one launch. Move-only (one that was moved from may be assigned to or
/// destroyed, nothing else).
///
/// `T` is what the depth image stores. Nothing but the camera and the range is fixed: images, with or without colour,
/// and the result may lie elsewhere in every frame, and between frames the volume may be cleared, reserve(), change to
/// another stream or be fed in other ways. It must stay where it is in memory (assigning to it is no harm). As with the
/// volume, calls from several host threads must not overlap, and its device must be current. On a stream that is being
/// captured use integrate_async instead.
template <class Volume = volume<space::device>, depth_pixel T = std::uint16_t>
class depth_graph {
  static_assert(std::same_as<typename Volume::space_type, space::device>,
                "cutsdf::depth_graph: graphs are the device's");

 public:
  using volume_type = Volume;
  using pixel_type  = T;

  /// Makes the graph, loads its kernels, and makes room in the volume for images of this size: allocates. Fuses
  /// nothing. `volume` must outlive this. Throws invalid_argument for a camera or a range that cannot be meant.
  depth_graph(Volume& volume, const pinhole& camera, const depth_range& range = {})
    : volume_(&volume), camera_(camera), range_(range)
  {
    static constexpr T pixel{};  // stands for images to come: nothing runs
    volume.fuse_depth(graph_, depth_view<T>{&pixel, camera.width, camera.height}, color_view{}, camera,
                      Eigen::Isometry3f::Identity(), range, nullptr);
    graph_.finish(volume.stream());
  }

  [[nodiscard]] const pinhole& camera() const noexcept { return camera_; }
  [[nodiscard]] const depth_range& range() const noexcept { return range_; }

  /// Enqueues one frame on the volume's stream: no host synchronisation, no allocation. The images must stay until the
  /// work is done; they may also lie in pinned host memory, for depths are read once. `result`, where given, is device
  /// memory or pinned host memory, filled when the work is done. Throws invalid_argument for an image or a pose that
  /// cannot be meant, as volume::integrate_async does; nothing is enqueued then.
  void integrate_async(const depth_view<T>& depth, const color_view& color, const Eigen::Isometry3f& camera_to_world,
                       frame_result* result = nullptr)
  {
    graph_.rewind();
    volume_->fuse_depth(graph_, depth, color, camera_, camera_to_world, range_, result);
    graph_.launch(volume_->stream());
  }

  /// The same without colour.
  void integrate_async(const depth_view<T>& depth, const Eigen::Isometry3f& camera_to_world,
                       frame_result* result = nullptr)
  {
    integrate_async(depth, color_view{}, camera_to_world, result);
  }

 private:
  Volume* volume_;
  pinhole camera_;
  depth_range range_;
  detail::kernel_graph graph_;
};

}  // namespace cutsdf::inline v0

#endif
