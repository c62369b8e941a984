// All headers, under the macros, in a CUDA unit of its own; the kernels of both spaces' volumes are generated here.
#include <hostile.hpp>

template class cutsdf::block_table<cutsdf::space::device>;

bool hostile_unit_has_a_device_space() { return CUTSDF_HAS_CUDA == 1; }
