// A part of the GPU's multiprocessors, as a green context.
#pragma once

#include <cutsdf/cutsdf.hpp>

#if CUTSDF_HAS_CUDA

#include <cuda.h>

#include <memory>
#include <string>

namespace study {

#if CUDA_VERSION >= 12050

namespace detail {

/// A function of the driver, found at run time: a program that is linked to the driver does not start without one.
template <class Function>
Function driver_function(const char* name)
{
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  cutsdf::detail::check_cuda(cudaGetDriverEntryPointByVersion(name, &found, 12050, cudaEnableDefault, &status), name);
  if (status != cudaDriverEntryPointSuccess) {
    throw cutsdf::error(std::string("this driver has no ") + name + ", so no parts of a GPU");
  }
  return reinterpret_cast<Function>(found);
}
#define STUDY_DRIVER(name) detail::driver_function<decltype(&name)>(#name)

inline void check_driver(CUresult result, const char* call)
{
  if (result != CUDA_SUCCESS) {
    throw cutsdf::cuda_error(std::string(call) + " failed with error " + std::to_string(static_cast<int>(result)));
  }
}

}  // namespace detail

/// Multiprocessors that a stream can be confined to.
class partition {
 public:
  /// Throws cutsdf::error where the device cannot be split like this.
  explicit partition(int multiprocessors)
  {
    int device = 0;
    cutsdf::detail::check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    cutsdf::detail::check_cuda(cudaFree(nullptr), "cudaFree");  // the primary context has to be there
    CUdevResource all{};
    detail::check_driver(STUDY_DRIVER(cuDeviceGetDevResource)(device, &all, CU_DEV_RESOURCE_TYPE_SM),
                         "cuDeviceGetDevResource");
    unsigned groups = 1;
    CUdevResource rest{};
    detail::check_driver(STUDY_DRIVER(cuDevSmResourceSplitByCount)(&part_, &groups, &all, &rest, 0,
                                                                   static_cast<unsigned>(multiprocessors)),
                         "cuDevSmResourceSplitByCount");
    if (groups != 1 || part_.sm.smCount != static_cast<unsigned>(multiprocessors)) {
      throw cutsdf::error("this device gives no part of " + std::to_string(multiprocessors) + " multiprocessors, but " +
                          std::to_string(part_.sm.smCount));
    }
    CUdevResourceDesc description{};
    detail::check_driver(STUDY_DRIVER(cuDevResourceGenerateDesc)(&description, &part_, 1), "cuDevResourceGenerateDesc");
    detail::check_driver(STUDY_DRIVER(cuGreenCtxCreate)(&context_, description, device, CU_GREEN_CTX_DEFAULT_STREAM),
                         "cuGreenCtxCreate");
  }
  partition(const partition&)            = delete;
  partition& operator=(const partition&) = delete;
  ~partition() { static_cast<void>(STUDY_DRIVER(cuGreenCtxDestroy)(context_)); }

  [[nodiscard]] int multiprocessors() const { return static_cast<int>(part_.sm.smCount); }

  /// A new stream on these multiprocessors, not ordered with the default stream; the caller destroys it first.
  [[nodiscard]] cudaStream_t make_stream() const
  {
    CUstream stream{};
    detail::check_driver(STUDY_DRIVER(cuGreenCtxStreamCreate)(&stream, context_, CU_STREAM_NON_BLOCKING, 0),
                         "cuGreenCtxStreamCreate");
    return stream;
  }

 private:
  CUdevResource part_{};
  CUgreenCtx context_{};
};

#undef STUDY_DRIVER

#else

class partition {
 public:
  explicit partition(int) { throw cutsdf::error("parts of a GPU need CUDA 12.5 or later"); }
  [[nodiscard]] int multiprocessors() const { return 0; }
  [[nodiscard]] cudaStream_t make_stream() const { return nullptr; }
};

#endif

}  // namespace study

#endif
