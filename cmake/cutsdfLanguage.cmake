# The language level of CUDA sources, decided by the CMake that reads this: the consumer's. Sets cutsdf_language_feature
# or cutsdf_language_option.

set(cutsdf_language_feature "")
set(cutsdf_language_option "")
if(CMAKE_VERSION VERSION_LESS 3.25.2)
  # Does not know that nvcc has C++20.
  set(cutsdf_language_option $<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c++20>)
else()
  set(cutsdf_language_feature cuda_std_20)
endif()
