// The loops of all arms, for the CPU.
#include "arm_list.hpp"

template std::vector<study::arm<cutsdf::space::host>> study::all_arms<cutsdf::space::host>();
