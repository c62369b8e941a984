// A CUDA graph of kernels that run one after the other, and whose arguments change from launch to launch.
#pragma once

#include <cutsdf/space/device.hpp>

#if CUTSDF_HAS_CUDA

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace cutsdf::inline v0::detail {

/// Takes the place of a stream where space::device launches kernels. The first time through they become nodes, each
/// after the one before; from then on those that come, the same kernels in the same order, set the nodes' grids and
/// arguments. Move-only.
class kernel_graph {
 public:
  kernel_graph() = default;
  kernel_graph(kernel_graph&& other) noexcept { swap(other); }
  kernel_graph& operator=(kernel_graph&& other) noexcept
  {
    kernel_graph taken(std::move(other));
    swap(taken);
    return *this;
  }
  /// Does not wait: what is running ends, and then its memory is freed.
  ~kernel_graph()
  {
    if (executable_ != nullptr) { static_cast<void>(cudaGraphExecDestroy(executable_)); }
    if (graph_ != nullptr) { static_cast<void>(cudaGraphDestroy(graph_)); }
  }

  /// The next kernel is the first.
  void rewind() noexcept { next_ = 0; }

  /// A kernel, as launch() has it. `early`: may be made ready while the one before it runs, for which it waits.
  template <class... Parameters>
  void put(void (*kernel)(Parameters...), const char* name, std::int64_t blocks, int threads, bool early,
           Parameters... arguments)
  {
    void* pointers[] = {static_cast<void*>(&arguments)...};
    cudaKernelNodeParams params{};
    params.func         = reinterpret_cast<void*>(kernel);
    params.gridDim      = dim3(static_cast<unsigned>(blocks));
    params.blockDim     = dim3(static_cast<unsigned>(threads));
    params.kernelParams = pointers;
    if (executable_ == nullptr) {
      check_cuda(add(params, early), name);
      nodes_.back().known.resize((sizeof blocks + ... + sizeof arguments));
      nodes_.back().take(blocks, arguments...);
    } else if (node& at = nodes_.at(next_++); !at.knows(blocks, arguments...)) {
      check_cuda(cudaGraphExecKernelNodeSetParams(executable_, at.handle, &params), name);
      at.take(blocks, arguments...);
    }
  }

  /// No more kernels: makes the graph ready to be launched, and its kernels known to the current device.
  void finish(cudaStream_t stream)
  {
    check_cuda(cudaGraphInstantiate(&executable_, graph_, 0), "cudaGraphInstantiate");
    check_cuda(cudaGraphUpload(executable_, stream), "cudaGraphUpload");
  }

  /// Enqueues the kernels with the arguments that were set last.
  void launch(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

 private:
  /// A node, and its grid and arguments as they were set last: to set only those that have changed costs less. Padding
  /// may make equal arguments look different, never different ones equal.
  struct node {
    cudaGraphNode_t handle;
    std::vector<std::byte> known;

    template <class... Values>
    [[nodiscard]] bool knows(const Values&... values) const
    {
      const std::byte* at = known.data();
      const auto next     = [&at](std::size_t bytes) { return std::exchange(at, at + bytes); };
      return ((std::memcmp(next(sizeof values), &values, sizeof values) == 0) && ...);
    }

    template <class... Values>
    void take(const Values&... values)
    {
      std::byte* at   = known.data();
      const auto next = [&at](std::size_t bytes) { return std::exchange(at, at + bytes); };
      (std::memcpy(next(sizeof values), &values, sizeof values), ...);
    }
  };

  cudaError_t add(const cudaKernelNodeParams& params, [[maybe_unused]] bool early)
  {
    if (graph_ == nullptr) { check_cuda(cudaGraphCreate(&graph_, 0), "cudaGraphCreate"); }
    const bool follows           = !nodes_.empty();
    const cudaGraphNode_t before = follows ? nodes_.back().handle : nullptr;
    cudaGraphNode_t after{};
    const auto code = cudaGraphAddKernelNode(&after, graph_, &before, follows && !early ? 1 : 0, &params);
    if (code != cudaSuccess) { return code; }
    nodes_.push_back({after, {}});
#if CUDART_VERSION >= 12030
    if (follows && early) {
      cudaGraphEdgeData edge{};
      edge.from_port = cudaGraphKernelNodePortProgrammatic;
      edge.type      = cudaGraphDependencyTypeProgrammatic;
#if CUDART_VERSION >= 13000
      return cudaGraphAddDependencies(graph_, &before, &after, &edge, 1);
#else
      return cudaGraphAddDependencies_v2(graph_, &before, &after, &edge, 1);
#endif
    }
#endif
    return cudaSuccess;
  }

  void swap(kernel_graph& other) noexcept
  {
    std::swap(graph_, other.graph_);
    std::swap(executable_, other.executable_);
    std::swap(nodes_, other.nodes_);
    std::swap(next_, other.next_);
  }

  cudaGraph_t graph_{nullptr};
  cudaGraphExec_t executable_{nullptr};
  std::vector<node> nodes_;
  std::size_t next_{0};
};

}  // namespace cutsdf::inline v0::detail

#endif
