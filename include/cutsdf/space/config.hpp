// What this translation unit is compiled by, and the few macros that follow from it.
#pragma once

#define CUTSDF_VERSION_MAJOR 0
#define CUTSDF_VERSION_MINOR 1
#define CUTSDF_VERSION_PATCH 0

// 1 when a CUDA compiler reads this unit: `space::device` exists there, and only there. A plain C++ unit of the same
// project sees `space::host` alone; both may be linked together.
#if defined(__CUDACC__)
#define CUTSDF_HAS_CUDA 1
#else
#define CUTSDF_HAS_CUDA 0
#endif

#if CUTSDF_HAS_CUDA
#define CUTSDF_HD __host__ __device__
#else
#define CUTSDF_HD
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#error "cutsdf needs compute capability 7.0 or later: threads of one warp wait for each other"
#endif

// 1 while device code is being generated.
#if defined(__CUDA_ARCH__)
#define CUTSDF_DEVICE_PASS 1
#else
#define CUTSDF_DEVICE_PASS 0
#endif

// Kernels are hidden: two shared libraries that each instantiate the same kernel must each launch their own copy. Their
// callers are ordinary templates: build shared libraries that use cutsdf with -fvisibility=hidden if they are compiled
// for different architectures.
#if CUTSDF_HAS_CUDA
#define CUTSDF_KERNEL __attribute__((visibility("hidden"))) __global__
#endif

// For what a vectorised loop calls: a call that is not inlined keeps the loop scalar.
#define CUTSDF_INLINE CUTSDF_HD __attribute__((always_inline)) inline

#define CUTSDF_INLINE_LAMBDA __attribute__((always_inline))

// Before a loop whose body is long: unrolled, it would not fit the instruction cache.
#if CUTSDF_DEVICE_PASS
#define CUTSDF_ROLLED _Pragma("unroll 1")
#define CUTSDF_UNROLLED _Pragma("unroll")
#else
#define CUTSDF_ROLLED
#define CUTSDF_UNROLLED
#endif
