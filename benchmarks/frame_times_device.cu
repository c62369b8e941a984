// Frame times on the GPU: see frame_times.hpp.
#include "frame_times.hpp"

int main(int argc, char** argv)
{
  const cutsdf::space::device::owned_stream stream;
  return bench::frame_times<cutsdf::space::device, bench::stream_clock>(argc, argv, stream.get());
}
