// Frame times on the CPU: see frame_times.hpp.
#include "frame_times.hpp"

int main(int argc, char** argv) { return bench::frame_times<cutsdf::space::host, bench::host_clock>(argc, argv, {}); }
