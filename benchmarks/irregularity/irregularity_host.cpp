// The study where there is no CUDA compiler: see main.hpp.
#include "main.hpp"

int main(int argc, char** argv) { return study::run_command(argc, argv, STUDY_REPORT); }
