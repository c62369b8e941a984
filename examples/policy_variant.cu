// policy_variant.cpp, read by a CUDA compiler: there space::preferred is the GPU, and nothing else changes.
#include "policy_variant.cpp"
