// space::host: data in ordinary memory, loops on all cores.
#pragma once

#include <cutsdf/space/memory_resource.hpp>
#include <cutsdf/space/pack.hpp>
#include <cutsdf/space/thread_pool.hpp>

#include <concepts>
#include <cstring>
#include <functional>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#include <new>
#include <numeric>

// Whether loops are compiled again for processors with AVX2 and with AVX-512, whatever the target of the rest. The
// optimiser has to be on: such a version consists of what is inlined into it.
#if defined(__x86_64__) && defined(__OPTIMIZE__)
#define CUTSDF_HOST_AVX 1
#define CUTSDF_TARGET_AVX2 __attribute__((target("avx2")))
// AVX-512 brings fused multiplication and addition with it, which GCC would use, and results would differ by target.
#if defined(__clang__)
#define CUTSDF_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define CUTSDF_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"), optimize("fp-contract=off")))
#endif
#else
#define CUTSDF_HOST_AVX 0
#endif

namespace cutsdf::inline v0::space {

/// The CPU. Every operation has finished when its call returns, so a stream only says which threads do the work.
struct host {
  static constexpr const char* name = "host";

  /// Names the pool that runs the loops; cheap to copy. The pool must outlive every volume that uses it.
  class stream_type {
   public:
    /// A pool of one thread per core, shared by the whole process.
    stream_type() : pool_(&shared_pool()) {}
    explicit stream_type(thread_pool& pool) : pool_(&pool) {}

    [[nodiscard]] thread_pool& pool() const noexcept { return *pool_; }
    /// Returns at once: host work is finished when the call that asked for it returns.
    void wait() const noexcept {}

   private:
    static thread_pool& shared_pool()
    {
      static thread_pool pool;
      return pool;
    }
    thread_pool* pool_;
  };

  using resource = memory_resource<host>;

  // In how many shares a thread takes its part of a loop over elements, and how many tiles in one. Fewer shares, and
  // one thread waits for the other at the end; fewer tiles, and too few are asked for ahead (a frame at 1 cm on two
  // cores: 2.48 ms with 16 and 8, 2.30 with these).
  static constexpr int shares        = 64;
  static constexpr int tiles_at_once = 16;

  static constexpr std::size_t large_page = std::size_t{1} << 21;

  /// Aligned operator new; asks the system for large pages where a buffer fills some.
  static resource& default_resource()
  {
    struct heap final : resource {
      void* allocate(std::size_t bytes, stream_type) override
      {
        void* p = ::operator new(bytes, alignment(bytes), std::nothrow);
        if (p == nullptr) { throw out_of_memory("cannot allocate " + std::to_string(bytes) + " bytes of host memory"); }
#if defined(__linux__)
        if (bytes >= large_page) { static_cast<void>(madvise(p, bytes, MADV_HUGEPAGE)); }
#endif
        return p;
      }
      void deallocate(void* p, std::size_t bytes, stream_type) noexcept override
      {
        ::operator delete(p, alignment(bytes));
      }
      static std::align_val_t alignment(std::size_t bytes)
      {
        return std::align_val_t{bytes >= large_page ? large_page : 256};
      }
    };
    static heap instance;
    return instance;
  }

  /// Memory that host and space both reach: here, any memory.
  static resource& shared_resource() { return default_resource(); }

  /// Calls `f(i)` for every i in [0, count), in any order, on all threads.
  template <class F>
  static void for_each(const stream_type& stream, std::int64_t count, const F& f)
  {
    std::int64_t least = 256;
    if constexpr (requires { F::elements_per_call; }) {
      least = std::max(least / F::elements_per_call, std::int64_t{1});
    }
    const auto grain = std::max(least, count / (std::int64_t{shares} * stream.pool().size()));
    run<element_call>(stream, count, grain, f);
  }

  /// Calls `f(f.prepare(t), lane)` for every tile t in [0, min(*count, limit)) and every lane in [0, Lanes); where F
  /// has a fetch(), prepare() is given `f.fetch(t)`. `count` lies in this space's memory, so that nobody has to wait
  /// for it; without one, all `limit` tiles. Where F has a finish(), it is called once after all this.
  template <int Lanes, class F>
  static void for_each_tile(const stream_type& stream, const std::uint32_t* count, std::int64_t limit, const F& f)
  {
    const std::int64_t tiles = count != nullptr ? std::min<std::int64_t>(*count, limit) : limit;
    run<tile_call<Lanes>>(stream, tiles, tiles_at_once, f);
    if constexpr (requires { f.finish(); }) { f.finish(); }
  }

  /// Calls `f(program, thread)` for every program in [0, programs) and every thread in [0, Threads) of it; the threads
  /// of a program one after the other.
  template <int Threads, class F>
  static void for_each_program(const stream_type& stream, std::int64_t programs, const F& f)
  {
    run<program_call<Threads>>(stream, programs, 1, f);
  }

  /// Threads that share a scratch memory: here a single one, that takes their shares in turn.
  template <int Threads>
  struct group {
    static constexpr int threads = Threads;

    /// Calls `body(i)` for every i in [0, count).
    template <class Body>
    CUTSDF_INLINE void for_each(int count, const Body& body) const
    {
      for (int i = 0; i < count; ++i) {
        body(i);
      }
    }

    /// for_each() of as many as there are threads.
    template <class Body>
    CUTSDF_INLINE void for_each_thread(const Body& body) const
    {
      for_each(threads, body);
    }

    /// What every thread has for itself: `own[i]` is that of thread i.
    template <class T>
    struct own {
      T value[Threads];
      CUTSDF_INLINE T& operator[](int i) { return value[i]; }
    };

    /// Calls `body(i)` for every thread i.
    template <class Body>
    CUTSDF_INLINE void run(const Body& body) const
    {
      for (int i = 0; i < Threads; ++i) {
        body(i);
      }
    }

    /// Calls `body()`.
    template <class Body>
    CUTSDF_INLINE void once(const Body& body) const
    {
      body();
    }

    /// Whether `holds(i)`, asked once of every thread i, in any of them.
    template <class Holds>
    CUTSDF_INLINE bool any(const Holds& holds) const
    {
      bool found = false;
      for (int i = 0; i < Threads; ++i) {
        found = holds(i) || found;
      }
      return found;
    }

    /// Bit i of `first` becomes bit 0 of `answer(i)`, that of `second` bit 1, for every i in [0, count), a multiple of
    /// 32.
    template <class Answer>
    CUTSDF_INLINE void mark_both(std::uint32_t* first, std::uint32_t* second, int count, const Answer& answer) const
    {
      for (int word = 0; word < count / 32; ++word) {
        std::uint32_t a = 0;
        std::uint32_t b = 0;
        for (int bit = 0; bit < 32; ++bit) {
          const unsigned bits = answer(32 * word + bit);
          a |= (bits & 1u) << bit;
          b |= (bits >> 1 & 1u) << bit;
        }
        first[word]  = a;
        second[word] = b;
      }
    }

    /// Rows of eight flags: i is flag i % 8 of row row_of(i), of which mark_row() makes bit i % 8 the flag `low`, bit
    /// i % 8 + 8 the flag `high`. Called for all eight in turn.
    CUTSDF_INLINE static int row_of(int i) { return i / 8; }
    CUTSDF_INLINE static void mark_row(std::uint16_t& row, int i, bool low, bool high)
    {
      const unsigned flags = ((low ? 1u : 0u) | (high ? 0x100u : 0u)) << (i % 8);
      row                  = static_cast<std::uint16_t>(i % 8 == 0 ? flags : row | flags);
    }

    /// Calls `body(k, j)` for every k in [0, count) and every j in [0, size(k)), which is at least 1.
    template <class Size, class Body>
    CUTSDF_INLINE void for_each_of(int count, const Size& size, const Body& body) const
    {
      for (int k = 0; k < count; ++k) {
        const auto calls = size(k);
        for (std::remove_const_t<decltype(calls)> j = 0; j < calls; ++j) {
          body(k, j);
        }
      }
    }

    /// Adds to a number of the scratch memory; returns what was there before.
    template <class T>
    CUTSDF_INLINE static T add(T& to, T value)
    {
      const T before = to;
      to += value;
      return before;
    }
  };

  /// Calls `f(group, i, scratch)` for every i in [0, min(*count, limit)), with an `F::scratch` that is uninitialised
  /// and a plain struct.
  template <int Threads, class F>
  static void for_each_group(const stream_type& stream, const std::uint32_t* count, std::int64_t limit, const F& f)
  {
    const std::int64_t groups = count != nullptr ? std::min<std::int64_t>(*count, limit) : limit;
    run<group_call<Threads>>(stream, groups, 4, f);
  }

  /// Calls `work(std::type_identity<F>())` with the number type F that functors should compute with here: the widest
  /// pack that this processor has registers for. A functor that says `using number = F` is then compiled for such
  /// processors.
  template <class Work>
  static void with_number(const Work& work)
  {
#if CUTSDF_HOST_AVX
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      work(std::type_identity<pack<float, 16>>{});
      return;
    }
    if (__builtin_cpu_supports("avx2")) {
      work(std::type_identity<pack<float, 8>>{});
      return;
    }
#endif
    work(std::type_identity<pack<float, 4>>{});
  }

  /// Runs `f()` once, after everything enqueued before it.
  template <class F>
  static void once(const stream_type&, const F& f)
  {
    f();
  }

  /// Sets every byte.
  static void fill_bytes(const stream_type& stream, void* to, unsigned char value, std::size_t bytes)
  {
    stream.pool().run(static_cast<std::int64_t>(bytes), 1 << 22, [=](std::int64_t begin, std::int64_t end) {
      std::memset(static_cast<unsigned char*>(to) + begin, value, static_cast<std::size_t>(end - begin));
    });
  }

  /// Copies host memory into this space; waits.
  static void copy_in(const stream_type&, void* to, const void* from, std::size_t bytes)
  {
    if (bytes != 0) { std::memcpy(to, from, bytes); }
  }

  /// Copies this space's memory to host memory; waits.
  static void copy_out(const stream_type&, void* to, const void* from, std::size_t bytes)
  {
    if (bytes != 0) { std::memcpy(to, from, bytes); }
  }

  /// out[i] = in[0] + ... + in[i-1], 0 for i = 0; `out` may be `in`. `sum` adds two, in any order of brackets.
  template <class T, class Sum = std::plus<>>
  static void exclusive_scan(const stream_type&, resource&, const T* in, T* out, std::int64_t count,
                             const Sum& sum = {})
  {
    std::exclusive_scan(in, in + count, out, T{}, sum);
  }

 private:
  // What a functor is called with for the i-th time. Types, as the loops below are: nvcc forgets what a lambda's
  // attributes say.
  struct element_call {
    template <class F>
    __attribute__((always_inline)) static void call(const F& f, std::int64_t i)
    {
      f(i);
    }
  };
  template <int Lanes>
  struct tile_call {
    template <class F>
    __attribute__((always_inline)) static void call(const F& f, std::int64_t tile)
    {
      const auto context = context_of(f, tile);
      for (int lane = 0; lane < Lanes; ++lane) {
        f(context, lane);
      }
    }
    template <class F>
    __attribute__((always_inline)) static auto context_of(const F& f, std::int64_t tile)
    {
      if constexpr (requires { f.fetch(tile); }) {
        return f.prepare(f.fetch(tile));
      } else {
        return f.prepare(tile);
      }
    }
  };
  template <int Threads>
  struct program_call {
    template <class F>
    __attribute__((always_inline)) static void call(const F& f, std::int64_t program)
    {
      for (int thread = 0; thread < Threads; ++thread) {
        f(program, thread);
      }
    }
  };
  template <int Threads>
  struct group_call {
    template <class F>
    __attribute__((always_inline)) static void call(const F& f, std::int64_t i)
    {
      typename F::scratch scratch;
      f(group<Threads>{}, i, scratch);
    }
  };

  template <class Call, class F>
  struct loop {
    const F& f;

    void operator()(std::int64_t begin, std::int64_t end) const { all(begin, end); }

    __attribute__((always_inline)) void all(std::int64_t begin, std::int64_t end) const
    {
      const F own = f;  // nobody else can see it change: what it holds stays in registers
      for (std::int64_t i = begin; i < end; ++i) {
        if constexpr (requires { own.prefetch(i); }) {
          if (i + 1 < end) { own.prefetch(i + 1); }
        }
        Call::call(own, i);
      }
    }
  };
#if CUTSDF_HOST_AVX
  template <class Call, class F>
  struct avx2_loop : loop<Call, F> {
    CUTSDF_TARGET_AVX2 void operator()(std::int64_t begin, std::int64_t end) const { this->all(begin, end); }
  };
  template <class Call, class F>
  struct avx512_loop : loop<Call, F> {
    CUTSDF_TARGET_AVX512 void operator()(std::int64_t begin, std::int64_t end) const { this->all(begin, end); }
  };
#endif

  /// Lanes of the packs that a functor computes with, or 1.
  template <class F>
  [[nodiscard]] static constexpr int lanes_with()
  {
    if constexpr (requires { typename F::number; }) {
      return lanes_of<typename F::number>;
    } else {
      return 1;
    }
  }

  /// Whether a functor's loop is compiled a second time, for AVX2.
  template <class F>
  [[nodiscard]] static constexpr bool likes_wide_target()
  {
    return requires { requires F::likes_wide_target; };
  }

  /// Where a functor computes with packs of eight its loop is compiled for AVX2, where with sixteen for AVX-512: it is
  /// only run where there is such a thing.
  template <class Call, class F>
  static void run(const stream_type& stream, std::int64_t count, std::int64_t grain, const F& f)
  {
#if CUTSDF_HOST_AVX
    if constexpr (lanes_with<F>() == 16) {
      stream.pool().run(count, grain, avx512_loop<Call, F>{{f}});
      return;
    } else if constexpr (lanes_with<F>() == 8 || likes_wide_target<F>()) {
      if (lanes_with<F>() == 8 || __builtin_cpu_supports("avx2")) {
        stream.pool().run(count, grain, avx2_loop<Call, F>{{f}});
        return;
      }
    }
    constexpr bool done = lanes_with<F>() >= 8;
#else
    constexpr bool done = false;
#endif
    if constexpr (!done) { stream.pool().run(count, grain, loop<Call, F>{f}); }
  }
};

}  // namespace cutsdf::inline v0::space
