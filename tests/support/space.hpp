// The space under test, and how tests move data in and out of it.
//
// Every test file is compiled twice: by the C++ compiler, where `test_space` is space::host, and by the CUDA compiler,
// where it is space::device.
#pragma once

#include <cutsdf/space/buffer.hpp>

#include <utility>
#include <vector>

namespace cutsdf_test {

using namespace cutsdf;  // NOLINT: tests speak of nothing else

using test_space = space::preferred;

/// The stream that tests run on: on the device one of its own, not ordered with the default stream.
inline test_space::stream_type test_stream()
{
#if CUTSDF_HAS_CUDA
  static const space::device::owned_stream stream;
  return stream;
#else
  return {};
#endif
}

/// A stream of any space.
template <class Space>
typename Space::stream_type stream_of()
{
  if constexpr (std::same_as<Space, test_space>) {
    return test_stream();
  } else {
    return typename Space::stream_type{};
  }
}

/// A copy of host data in a space.
template <class Space = test_space, class T>
buffer<T, Space> upload(const std::vector<T>& data)
{
  return buffer<T, Space>(std::span<const T>(data), stream_of<Space>());
}

/// `count` objects that start at `data`, which lies in the memory of `Space`, copied to the host. Waits.
template <class Space = test_space, class T>
std::vector<T> download(const T* data, std::int64_t count)
{
  std::vector<T> result(static_cast<std::size_t>(count));
  Space::copy_out(stream_of<Space>(), result.data(), data, result.size() * sizeof(T));
  return result;
}

template <class T, class R, class F>
struct apply {
  F f;
  const T* in;
  R* out;
  CUTSDF_HD void operator()(std::int64_t i) const { out[i] = f(in[i]); }
};

/// f(x) for every x of `in`, computed in the space under test. `F` is a functor whose call operator is CUTSDF_HD.
template <class F, class T>
auto map_in_space(const std::vector<T>& in, F f = {})
{
  using R           = decltype(f(in.front()));
  const auto source = upload(in);
  buffer<R, test_space> result(source.size(), test_stream());
  test_space::for_each(test_stream(), source.size(), apply<T, R, F>{f, source.data(), result.data()});
  return result.to_host();
}

}  // namespace cutsdf_test
