// A volume on the device asks for a stream.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
cutsdf::volume<> make(cutsdf::space::device::stream_type stream) { return {{.voxel_size = 0.02f}, stream}; }
#else
cutsdf::volume<> make() { return cutsdf::volume<>(cutsdf::volume_settings{.voxel_size = 0.02f}); }
#endif
