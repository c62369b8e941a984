// Everything on the GPU.
#include "main.hpp"

int main(int argc, char** argv) { return bench::main_program(argc, argv); }
