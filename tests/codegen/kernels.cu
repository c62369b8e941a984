// The two kernels that fuse a cloud, for each bundle, under names that are found again in the compiled code:
// allocate_BUNDLE and update_BUNDLE. They do what the volume's launches do, see fuse/points.hpp.
#include <cutsdf/cutsdf.hpp>

#include <type_traits>

namespace {

using namespace cutsdf;

template <class Policies>
using allocate = std::conditional_t<tile_probe_policy<typename Policies::probe_type>, detail::allocate_tile<Policies>,
                                    detail::allocate_points<Policies>>;
template <class Policies>
using update =
  std::conditional_t<tile_probe_policy<typename Policies::lookup_type>, detail::update_tile<voxel::five_sums, Policies>,
                     detail::update_points<voxel::five_sums, Policies>>;

template <class F>
__device__ void run(const F& f, std::int64_t count)
{
  if constexpr (requires { typename F::layout; }) {
    f(static_cast<std::int64_t>(blockIdx.x), static_cast<int>(threadIdx.x));
  } else {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
      f(i);
    }
  }
}

// Between CUDA C++ and Triton: a bound, then no early exit either.
using bounded_8  = language::bundle<probe::bounded<8>, load::plain>;
using lockstep_8 = language::bundle<probe::lockstep<8>, load::plain>;

}  // namespace

#define CUTSDF_TEST_KERNELS(name, ...)                                                                       \
  extern "C" __global__ void allocate_##name(allocate<__VA_ARGS__> f, std::int64_t count) { run(f, count); } \
  extern "C" __global__ void update_##name(update<__VA_ARGS__> f, std::int64_t count) { run(f, count); }

CUTSDF_TEST_KERNELS(cuda_cpp, language::cuda_cpp)
CUTSDF_TEST_KERNELS(rust_atomic, language::rust_atomic)
CUTSDF_TEST_KERNELS(rust_volatile, language::rust_volatile)
CUTSDF_TEST_KERNELS(bounded_8, bounded_8)
CUTSDF_TEST_KERNELS(lockstep_8, lockstep_8)
CUTSDF_TEST_KERNELS(triton_8, language::triton<8>)
CUTSDF_TEST_KERNELS(triton_shared_8, language::triton_shared<8>)
