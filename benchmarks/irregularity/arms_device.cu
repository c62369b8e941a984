// The kernels of all arms, for the GPU.
#include "arm_list.hpp"

template std::vector<study::arm<cutsdf::space::device>> study::all_arms<cutsdf::space::device>();
