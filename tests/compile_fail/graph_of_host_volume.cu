#include <cutsdf/cutsdf.hpp>

#if defined(CUTSDF_TEST_RIGHT)
using space = cutsdf::space::device;
#else
using space = cutsdf::space::host;
#endif
template class cutsdf::depth_graph<cutsdf::volume<space>>;
