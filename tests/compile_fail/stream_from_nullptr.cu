// The default stream cannot slip in as a null pointer.
#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
cutsdf::space::device::stream_type stream_of(cudaStream_t mine) { return mine; }
#else
cutsdf::space::device::stream_type stream_of(cudaStream_t) { return nullptr; }
#endif
