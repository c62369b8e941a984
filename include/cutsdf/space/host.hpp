// space::host: data in ordinary memory, loops on all cores.
#pragma once

#include <cutsdf/space/memory_resource.hpp>
#include <cutsdf/space/thread_pool.hpp>

#include <cstring>
#include <new>
#include <numeric>

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

  /// Aligned operator new.
  static resource& default_resource()
  {
    struct heap final : resource {
      void* allocate(std::size_t bytes, stream_type) override
      {
        void* p = ::operator new (bytes, std::align_val_t{256}, std::nothrow);
        if (p == nullptr) { throw out_of_memory("cannot allocate " + std::to_string(bytes) + " bytes of host memory"); }
        return p;
      }
      void deallocate(void* p, std::size_t, stream_type) noexcept override
      {
        ::operator delete (p, std::align_val_t{256});
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
    const auto grain = std::max<std::int64_t>(256, count / (std::int64_t{16} * stream.pool().size()));
    stream.pool().run(count, grain, [&f](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        f(i);
      }
    });
  }

  /// Calls `f(f.prepare(t), lane)` for every tile t in [0, min(*count, limit)) and every lane in [0, Lanes).
  /// `count` lies in this space's memory, so that nobody has to wait for it; without one, all `limit` tiles.
  template <int Lanes, class F>
  static void for_each_tile(const stream_type& stream, const std::uint32_t* count, std::int64_t limit, const F& f)
  {
    const std::int64_t tiles = count != nullptr ? std::min<std::int64_t>(*count, limit) : limit;
    stream.pool().run(tiles, 8, [&f](std::int64_t begin, std::int64_t end) {
      for (std::int64_t tile = begin; tile < end; ++tile) {
        const auto context = f.prepare(tile);
        for (int lane = 0; lane < Lanes; ++lane) {
          f(context, lane);
        }
      }
    });
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

  /// out[i] = in[0] + ... + in[i-1].
  static void exclusive_scan(const stream_type&, resource&, const std::uint32_t* in, std::uint32_t* out,
                             std::int64_t count)
  {
    std::exclusive_scan(in, in + count, out, std::uint32_t{0});
  }
};

}  // namespace cutsdf::inline v0::space
