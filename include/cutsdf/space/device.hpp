// space::device: data in the memory of an NVIDIA GPU, loops as kernels on a stream.
#pragma once

#include <cutsdf/space/memory_resource.hpp>
#include <cutsdf/space/warp.hpp>

#if CUTSDF_HAS_CUDA

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <type_traits>

namespace cutsdf::inline v0 {

namespace detail {

inline void check_cuda(cudaError_t code, const char* call)
{
  if (code == cudaSuccess) { return; }
  const std::string what = std::string(call) + ": " + cudaGetErrorName(code) + ", " + cudaGetErrorString(code);
  if (code == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());  // not sticky: the context is still good, so leave no trace of it
    throw out_of_memory(what);
  }
  throw cuda_error(what);
}

/// A number that every device has, asked for once.
template <class T>
class per_device_value {
 public:
  /// `ask(device)` must not give 0.
  template <class Ask>
  T get(const Ask& ask)
  {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    if (device >= most_devices) { return ask(device); }
    T value = known_[device].load(std::memory_order_relaxed);
    if (value == 0) {
      value = ask(device);
      known_[device].store(value, std::memory_order_relaxed);
    }
    return value;
  }

 private:
  static constexpr int most_devices = 64;
  std::atomic<T> known_[most_devices]{};
};

/// Multiprocessors of the current device.
inline int multiprocessors()
{
  static per_device_value<int> known;
  return known.get([](int device) {
    int count = 0;
    check_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
    return count;
  });
}

/// Whether a functor's kernel may be made ready while the one before it on the stream still runs. It waits for that one
/// before it does anything, so that only the time of a launch is saved: worth it where kernels take microseconds.
template <class F>
inline constexpr bool launches_early = requires
{
  requires F::launches_early;
};

/// The beginning of every kernel.
template <class F>
CUTSDF_HD inline void begin_kernel()
{
#if CUTSDF_DEVICE_PASS && __CUDA_ARCH__ >= 900
  if constexpr (launches_early<F>) {
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
  }
#endif
}

/// Whether a kernel does wait: it was compiled for an architecture that can, and this toolkit lets graphs capture it.
/// Asked once per kernel and device.
template <class F, class... Parameters>
bool waits_for_previous([[maybe_unused]] void (*kernel)(Parameters...))
{
#if CUDART_VERSION >= 12030
  if constexpr (launches_early<F>) {
    static per_device_value<int> architecture;
    return architecture.get([kernel](int) {
      cudaFuncAttributes attributes{};
      check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
      return attributes.ptxVersion;
    }) >= 90;
  }
#endif
  return false;
}

/// Thread blocks of a kernel that a multiprocessor holds at a time. Asked once per kernel and device; `Lanes` and `F`
/// say which kernel it is.
template <int Lanes, class F, class... Parameters>
int resident_blocks(void (*kernel)(Parameters...), int threads)
{
  static per_device_value<int> known;
  return known.get([=](int) {
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    return std::max(blocks, 1);
  });
}

/// Launches a kernel that runs `F`: on a stream, or into a graph (kernel_graph.hpp).
template <class F, class... Parameters, class To, class... Arguments>
void launch(void (*kernel)(Parameters...), const char* name, std::int64_t blocks, int threads, To& to,
            const Arguments&... arguments)
{
  static_assert(std::is_trivially_copyable_v<F>, "cutsdf: a functor for space::device must be trivially copyable");
  if constexpr (requires { to.get(); }) {
    cudaLaunchConfig_t config{};
    config.gridDim  = dim3(static_cast<unsigned>(blocks));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.stream   = to.get();
    cudaLaunchAttribute early{};
    early.id                                         = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    if (waits_for_previous<F>(kernel)) {
      config.attrs    = &early;
      config.numAttrs = 1;
    }
    check_cuda(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), name);
  } else {
    to.put(kernel, name, blocks, threads, waits_for_previous<F>(kernel), Parameters(arguments)...);
  }
}

/// Thread blocks of `threads` that a multiprocessor is to hold, where a functor says how many threads it wants there:
/// the compiler then keeps to the registers that each of them gets.
template <class F>
constexpr int wanted_blocks(int threads)
{
  // What a multiprocessor holds.
#if CUTSDF_DEVICE_PASS && __CUDA_ARCH__ == 750
  constexpr int most = 1024;
#elif CUTSDF_DEVICE_PASS && ((__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100)
  constexpr int most = 1536;
#else
  constexpr int most = 2048;
#endif
  if constexpr (requires { F::resident_threads; }) {
    constexpr int most_blocks = most == 2048 ? 32 : 16;  // some hold 24
    const int blocks          = (F::resident_threads < most ? F::resident_threads : most) / threads;
    return blocks < most_blocks ? blocks : most_blocks;
  } else {
    return 1;
  }
}

/// What a functor for tiles has to read of one before it can prepare it; the tile's number where it says nothing.
template <class F>
CUTSDF_HD auto fetch(const F& f, std::int64_t tile)
{
  if constexpr (requires { f.fetch(tile); }) {
    return f.fetch(tile);
  } else {
    return tile;
  }
}

template <class F>
CUTSDF_KERNEL void __launch_bounds__(256) for_each_kernel(const F f, const std::int64_t count)
{
  begin_kernel<F>();
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    f(i);
  }
}

/// How the lanes of tiles are laid out over thread blocks: small tiles share one, for it takes as long to start a small
/// thread block as a large one.
template <int Lanes>
struct tile_layout {
  static constexpr int tiles   = Lanes < 128 ? 128 / Lanes : 1;  // of a thread block
  static constexpr int threads = Lanes < 512 ? Lanes * tiles : 512;
};

/// Whether a functor has a finish(), to be called once when everything else is done.
template <class F>
inline constexpr bool has_finish = requires(const F& f)
{
  f.finish();
};

template <int Lanes, class F>
CUTSDF_KERNEL void __launch_bounds__(tile_layout<Lanes>::threads, wanted_blocks<F>(tile_layout<Lanes>::threads))
  for_each_tile_kernel(const F f, const std::uint32_t* count, const std::int64_t limit)
{
  using layout = tile_layout<Lanes>;
  begin_kernel<F>();
  const std::int64_t tiles = count != nullptr && *count < limit ? *count : limit;
  const int first_lane     = static_cast<int>(layout::tiles == 1 ? threadIdx.x : threadIdx.x % Lanes);
  std::int64_t tile        = blockIdx.x;
  if constexpr (layout::tiles > 1) { tile = tile * layout::tiles + threadIdx.x / Lanes; }
  auto fetched = decltype(fetch(f, tile)){};
  if (tile < tiles) { fetched = fetch(f, tile); }
  while (tile < tiles) {
    const auto context = f.prepare(fetched);
    tile += static_cast<std::int64_t>(gridDim.x) * layout::tiles;
    if (tile < tiles) { fetched = fetch(f, tile); }  // one ahead: nobody waits for it
    if constexpr (layout::tiles > 1) {
      f(context, first_lane);
    } else {
      for (int lane = first_lane; lane < Lanes; lane += layout::threads) {
        f(context, lane);
      }
    }
  }
  if constexpr (has_finish<F>) {
    __syncthreads();
    if (threadIdx.x == 0 && atomicAdd(f.finished(), 1u) == gridDim.x - 1) {
      *f.finished() = 0;
      f.finish();
    }
  }
}

template <int Threads, class F>
CUTSDF_KERNEL void __launch_bounds__(Threads) for_each_program_kernel(const F f)
{
  f(static_cast<std::int64_t>(blockIdx.x), static_cast<int>(threadIdx.x));
}

template <int Threads, class Group, class F>
CUTSDF_KERNEL void __launch_bounds__(Threads, wanted_blocks<F>(Threads))
  for_each_group_kernel(const F f, const std::uint32_t* count, const std::int64_t limit)
{
  __shared__ typename F::scratch scratch;
  begin_kernel<F>();
  // The count is asked for in every turn: a kernel with few registers would keep it in memory.
  for (std::int64_t i = blockIdx.x; i < limit && (count == nullptr || i < *count); i += gridDim.x) {
    f(Group{}, i, scratch);
  }
}

template <class F>
CUTSDF_KERNEL void once_kernel(const F f)
{
  begin_kernel<F>();
  f();
}

}  // namespace detail

namespace space {

/// The current CUDA device. Work is enqueued on the stream that is passed and returns at once unless said otherwise.
/// for_each(), for_each_tile(), for_each_group() and once() may instead be given a graph that keeps their kernels.
struct device {
  static constexpr const char* name = "device";

  /// A CUDA stream that somebody else owns. There is no default: a literal 0 or nullptr does not convert.
  class stream_type {
   public:
    stream_type(cudaStream_t stream) : stream_(stream) {}  // NOLINT: a view, as cheap to pass as the handle
    stream_type(int)            = delete;
    stream_type(std::nullptr_t) = delete;

    [[nodiscard]] cudaStream_t get() const noexcept { return stream_; }
    operator cudaStream_t() const noexcept { return stream_; }
    /// Waits for everything enqueued so far; throws cuda_error if any of it failed.
    void wait() const { detail::check_cuda(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

   private:
    cudaStream_t stream_;
  };

  /// A stream of one's own, not ordered with the default stream.
  class owned_stream {
   public:
    owned_stream()
    {
      detail::check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    }
    owned_stream(const owned_stream&)            = delete;
    owned_stream& operator=(const owned_stream&) = delete;
    ~owned_stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

    operator stream_type() const noexcept { return {stream_}; }
    [[nodiscard]] stream_type get() const noexcept { return {stream_}; }
    void wait() const { get().wait(); }

   private:
    cudaStream_t stream_{};
  };

  using resource = memory_resource<device>;

  /// The device's stream-ordered pool (cudaMallocAsync).
  static resource& default_resource()
  {
    struct pool final : resource {
      void* allocate(std::size_t bytes, stream_type stream) override
      {
        void* p         = nullptr;
        const auto call = "cudaMallocAsync of " + std::to_string(bytes) + " bytes";
        detail::check_cuda(cudaMallocAsync(&p, bytes, stream.get()), call.c_str());
        return p;
      }
      void deallocate(void* p, std::size_t, stream_type stream) noexcept override
      {
        static_cast<void>(cudaFreeAsync(p, stream.get()));
      }
    };
    static pool instance;
    return instance;
  }

  /// Memory that host and device both reach: pinned host memory. For results and staging of one's own; allocation and
  /// release may synchronise the device.
  static resource& shared_resource()
  {
    struct pinned final : resource {
      void* allocate(std::size_t bytes, stream_type) override
      {
        void* p         = nullptr;
        const auto call = "cudaMallocHost of " + std::to_string(bytes) + " bytes";
        detail::check_cuda(cudaMallocHost(&p, bytes), call.c_str());
        return p;
      }
      void deallocate(void* p, std::size_t, stream_type stream) noexcept override
      {
        static_cast<void>(cudaStreamSynchronize(stream.get()));
        static_cast<void>(cudaFreeHost(p));
      }
    };
    static pinned instance;
    return instance;
  }

  /// Runs `f(i)` for every i in [0, count). Nothing is launched for a count of zero.
  template <class To, class F>
  static void for_each(To&& to, std::int64_t count, const F& f)
  {
    if (count <= 0) { return; }
    constexpr int threads = 256;
    const auto blocks     = std::min<std::int64_t>((count + threads - 1) / threads, 1 << 20);
    detail::launch<F>(detail::for_each_kernel<F>, "for_each_kernel", blocks, threads, to, f, count);
  }

  /// Runs `f(f.prepare(t), lane)` for every tile t in [0, min(*count, limit)) and every lane in [0, Lanes); where F has
  /// a fetch(), prepare() is given `f.fetch(t)`, which is called while the tile before is at work. `count` lies in
  /// device memory and is read when the kernel runs; without one, all `limit` tiles. Where F has a finish(), it is
  /// called once after all this. It must not rely on what was written in the same kernel but by relaxed atomics, and by
  /// those only where an atomic::fence() followed them; `f.finished()` points to a word for this function's own use, 0
  /// at first.
  template <int Lanes, class To, class F>
  static void for_each_tile(To&& to, const std::uint32_t* count, std::int64_t limit, const F& f)
  {
    if (limit <= 0) { return; }
    using layout      = detail::tile_layout<Lanes>;
    const auto kernel = detail::for_each_tile_kernel<Lanes, F>;
    // The host does not know the count: as many thread blocks as the device holds, each taking every n-th tile.
    const auto resident = detail::multiprocessors() * detail::resident_blocks<Lanes, F>(kernel, layout::threads);
    detail::launch<F>(kernel, "for_each_tile_kernel",
                      std::min<std::int64_t>((limit + layout::tiles - 1) / layout::tiles, resident), layout::threads,
                      to, f, count, limit);
  }

  /// Runs `f(program, thread)` for every program in [0, programs), below 2^31, as a thread block of Threads threads.
  template <int Threads, class F>
  static void for_each_program(const stream_type& stream, std::int64_t programs, const F& f)
  {
    if (programs <= 0) { return; }
    detail::launch<F>(detail::for_each_program_kernel<Threads, F>, "for_each_program_kernel", programs, Threads, stream,
                      f);
  }

  /// Threads that share a scratch memory: here a thread block.
  template <int Threads>
  struct group {
    static_assert(Threads % 32 == 0 && Threads <= 1024, "cutsdf: a group is whole warps");
    static constexpr int threads = Threads;

    /// Calls `body(i)` for every i in [0, count); no thread goes on before all have done their share.
    template <class Body>
    CUTSDF_HD void for_each(int count, const Body& body) const
    {
#if CUTSDF_DEVICE_PASS
      for (int i = static_cast<int>(threadIdx.x); i < count; i += Threads) {
        body(i);
      }
      __syncthreads();
#endif
    }

    /// for_each() of as many as there are threads: no loop.
    template <class Body>
    CUTSDF_HD void for_each_thread(const Body& body) const
    {
#if CUTSDF_DEVICE_PASS
      body(static_cast<int>(threadIdx.x));
      __syncthreads();
#endif
    }

    /// What every thread has for itself: `own[i]` is for thread i alone.
    template <class T>
    struct own {
      T value;
      CUTSDF_HD T& operator[](int) { return value; }
    };

    /// Calls `body(i)` once for every thread i; nobody waits.
    template <class Body>
    CUTSDF_HD void run(const Body& body) const
    {
#if CUTSDF_DEVICE_PASS
      body(static_cast<int>(threadIdx.x));
#endif
    }

    /// Calls `body()` in one thread; no thread goes on before it is done.
    template <class Body>
    CUTSDF_HD void once(const Body& body) const
    {
#if CUTSDF_DEVICE_PASS
      if (threadIdx.x == 0) { body(); }
      __syncthreads();
#endif
    }

    /// Whether `holds(i)`, asked once of every thread i, in any of them; waits as for_each() does.
    template <class Holds>
    CUTSDF_HD bool any(const Holds& holds) const
    {
#if CUTSDF_DEVICE_PASS
      return __syncthreads_or(holds(static_cast<int>(threadIdx.x)) ? 1 : 0) != 0;
#else
      return false;
#endif
    }

    /// Bit i of `first` becomes bit 0 of `answer(i)`, that of `second` bit 1, for every i in [0, count), a multiple of
    /// 32; waits as for_each() does.
    template <class Answer>
    CUTSDF_HD void mark_both(std::uint32_t* first, std::uint32_t* second, int count, const Answer& answer) const
    {
#if CUTSDF_DEVICE_PASS
      constexpr int at_once = 4;  // so that several answers may wait for memory together
      for (int i = static_cast<int>(threadIdx.x); i < count; i += at_once * Threads) {
        unsigned bits[at_once];
        CUTSDF_UNROLLED
        for (int k = 0; k < at_once; ++k) {
          bits[k] = i + k * Threads < count ? answer(i + k * Threads) : 0u;
        }
        CUTSDF_UNROLLED
        for (int k = 0; k < at_once; ++k) {
          const unsigned a = __ballot_sync(0xffffffffu, (bits[k] & 1u) != 0);
          const unsigned b = __ballot_sync(0xffffffffu, (bits[k] & 2u) != 0);
          const int word   = (i + k * Threads) >> 5;
          if ((i & 31) == 0 && word < count >> 5) {
            first[word]  = a;
            second[word] = b;
          }
        }
      }
      __syncthreads();
#endif
    }

    /// Rows of eight flags: a thread's i is flag i % 8 of row i / 8. The threads of a warp come together, thread 0 of
    /// it with an i that is a multiple of 32, the others with those that follow; each then has row row_of(i), of which
    /// mark_row() makes bits 0 to 7 the flags `low`, bits 8 to 15 the flags `high`.
    CUTSDF_HD static int row_of(int i) { return (i >> 5 << 2) + (i & 3); }
    CUTSDF_HD static void mark_row(std::uint16_t& row, int i, bool low, bool high)
    {
#if CUTSDF_DEVICE_PASS
      const unsigned lows  = __ballot_sync(0xffffffffu, low);
      const unsigned highs = __ballot_sync(0xffffffffu, high);
      // Eight threads write the same: one that does not would need an address behind a branch.
      row = static_cast<std::uint16_t>(__byte_perm(lows, highs, static_cast<unsigned>(i & 3) * 0x11u + 0x40u));
#endif
    }

    /// Calls `body(k, j)` for every k in [0, count) and every j in [0, size(k)), which is at least 1: however different
    /// the sizes, the threads of a warp get as many calls each. Waits as for_each() does.
    template <class Size, class Body>
    CUTSDF_HD void for_each_of(int count, const Size& size, const Body& body) const
    {
#if CUTSDF_DEVICE_PASS
      constexpr int warps       = Threads / 32;
      constexpr unsigned all    = 0xffffffffu;
      const unsigned lane       = threadIdx.x & 31u;
      const unsigned up_to_this = 0xffffffffu >> (31u - lane);
      for (int first = static_cast<int>(threadIdx.x >> 5); first < count; first += Threads) {
        const int own        = first + static_cast<int>(lane) * warps;
        const unsigned calls = own < count ? static_cast<unsigned>(size(own)) : 0u;
        unsigned end         = calls;
        CUTSDF_UNROLLED
        for (unsigned step = 1; step < 32; step *= 2) {
          const unsigned other = __shfl_up_sync(all, end, step);
          end += lane >= step ? other : 0u;
        }
        const unsigned begin = end - calls;
        const unsigned total = __shfl_sync(all, end, 31);
        int begun            = -1;  // the last k that began before this turn
        for (unsigned turn = 0; turn < total; turn += 32) {
          const unsigned at     = begin - turn;
          const unsigned begins = warp::any_of(calls != 0 && at < 32 ? 1u << at : 0u);
          const int which       = begun + __popc(begins & up_to_this);
          begun += __popc(begins);
          const unsigned j = turn + lane - __shfl_sync(all, begin, which);
          if (turn + lane < total) { body(first + which * warps, j); }
          __syncwarp();
        }
      }
      __syncthreads();
#endif
    }

    /// Adds to a number of the scratch memory; returns what was there before.
    template <class T>
    CUTSDF_HD static T add(T& to, T value)
    {
#if CUTSDF_DEVICE_PASS
      using word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
      return static_cast<T>(atomicAdd(reinterpret_cast<word*>(&to), static_cast<word>(value)));
#else
      return to;
#endif
    }
  };

  /// Calls `f(group, i, scratch)` for every i in [0, min(*count, limit)), each by a group of Threads threads that share
  /// an `F::scratch`, uninitialised and a plain struct. All threads of a group make the call: what it does outside
  /// group.for_each() each of them does.
  template <int Threads, class To, class F>
  static void for_each_group(To&& to, const std::uint32_t* count, std::int64_t limit, const F& f)
  {
    static_assert(std::is_trivially_default_constructible_v<typename F::scratch>);
    if (limit <= 0) { return; }
    // Several times as many thread blocks as the device holds: those that finish early make room for more, so that
    // groups with much to do delay nobody (H200, a mesh at 5 mm: 0.46 instead of 0.52 ms).
    constexpr int turns = 4;
    const auto resident = std::int64_t{detail::multiprocessors()} * (2048 / Threads);
    detail::launch<F>(detail::for_each_group_kernel<Threads, group<Threads>, F>, "for_each_group_kernel",
                      std::min(limit, turns * resident), Threads, to, f, count, limit);
  }

  /// Calls `work(std::type_identity<F>())` with the number type F that functors should compute with: float, for here
  /// neighbours are threads of their own.
  template <class Work>
  static void with_number(const Work& work)
  {
    work(std::type_identity<float>{});
  }

  /// Runs `f()` once, after everything enqueued before it.
  template <class To, class F>
  static void once(To&& to, const F& f)
  {
    detail::launch<F>(detail::once_kernel<F>, "once_kernel", 1, 1, to, f);
  }

  /// Sets every byte.
  static void fill_bytes(const stream_type& stream, void* to, unsigned char value, std::size_t bytes)
  {
    if (bytes != 0) { detail::check_cuda(cudaMemsetAsync(to, value, bytes, stream.get()), "cudaMemsetAsync"); }
  }

  /// Copies host memory to the device; waits.
  static void copy_in(const stream_type& stream, void* to, const void* from, std::size_t bytes)
  {
    if (bytes == 0) { return; }
    detail::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream.get()), "cudaMemcpyAsync");
    stream.wait();
  }

  /// Copies device memory to the host; waits, but is no synchronisation at which cudaMallocAsync's pool gives memory
  /// back: who asks for a size is about to allocate, and mapping memory again costs more than the work in between
  /// (H200: a mesh at 5 mm took 1.02 instead of 0.53 ms).
  static void copy_out(const stream_type& stream, void* to, const void* from, std::size_t bytes)
  {
    if (bytes == 0) { return; }
    detail::check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream.get()), "cudaMemcpyAsync");
    cudaError_t code = cudaStreamQuery(stream.get());
    while (code == cudaErrorNotReady) {  // only for pinned memory: other copies have waited already
      static_cast<void>(cudaGetLastError());
      code = cudaStreamQuery(stream.get());
    }
    detail::check_cuda(code, "cudaStreamQuery");
  }

  /// out[i] = in[0] + ... + in[i-1], 0 for i = 0; `out` may be `in`. `sum` adds two, in any order of brackets.
  template <class T, class Sum = ::cuda::std::plus<>>
  static void exclusive_scan(const stream_type& stream, resource& memory, const T* in, T* out, std::int64_t count,
                             const Sum& sum = {})
  {
    if (count <= 0) { return; }
    std::size_t bytes = 0;
    const auto scan   = [&](void* scratch) {
      return cub::DeviceScan::ExclusiveScan(scratch, bytes, in, out, sum, T{}, count, stream.get());
    };
    detail::check_cuda(scan(nullptr), "ExclusiveScan");
    void* scratch   = memory.allocate(std::max<std::size_t>(bytes, 1), stream);
    const auto code = scan(scratch);
    memory.deallocate(scratch, std::max<std::size_t>(bytes, 1), stream);
    detail::check_cuda(code, "ExclusiveScan");
  }
};

}  // namespace space
}  // namespace cutsdf::inline v0

#endif
