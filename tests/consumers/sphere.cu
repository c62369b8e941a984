#include "sphere.inl"

int main()
{
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("skipped: no CUDA device\n");
    return 77;
  }
  const cutsdf::space::device::owned_stream stream;
  return fuse_sphere<cutsdf::space::device>(stream);
}
