// Depth frames, ray casts, meshes and growth on the CPU.
#include "main.hpp"

int main(int argc, char** argv) { return bench::main_program(argc, argv); }
