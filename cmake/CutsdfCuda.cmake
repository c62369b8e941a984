# Finds out whether this project's own programs can be compiled for the GPU; sets CUTSDF_CUDA_ENABLED. Users of the
# target need none of this: their CUDA sources see space::device, their C++ sources do not.

set(CUTSDF_CUDA_ENABLED OFF)

if(CUTSDF_SANITIZE)
  if(CUTSDF_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CUTSDF_SANITIZE is for the host space: set CUTSDF_CUDA to OFF or AUTO")
  endif()
elseif(CUTSDF_CUDA)
  # nvcc is often installed but not on the PATH.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(CUTSDF_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
    mark_as_advanced(CUTSDF_NVCC)
    if(CUTSDF_NVCC)
      set(ENV{CUDACXX} ${CUTSDF_NVCC})
    endif()
  endif()

  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    # The GPUs of this machine, or else one recent architecture: each costs a compilation.
    execute_process(
      COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE capabilities
      RESULT_VARIABLE failed
      ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
    if(failed OR NOT capabilities)
      set(capabilities 9.0)
    endif()
    list(TRANSFORM capabilities REPLACE "\\." "")
    list(REMOVE_DUPLICATES capabilities)
    set(CMAKE_CUDA_ARCHITECTURES
        ${capabilities}
        CACHE STRING "Architectures of this project's own CUDA programs")
    unset(capabilities)
    unset(failed)
  endif()

  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA" AND CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
      set(cuda_missing "nvcc ${CMAKE_CUDA_COMPILER_VERSION} does not know C++20, 12.0 or later does")
    else()
      set(CUTSDF_CUDA_ENABLED ON)
    endif()
  else()
    set(cuda_missing "no working CUDA compiler found (set CUDACXX to its path)")
  endif()

  if(CUTSDF_CUDA_ENABLED)
    message(STATUS "cutsdf: host and device, CUDA ${CMAKE_CUDA_COMPILER_VERSION}, sm_${CMAKE_CUDA_ARCHITECTURES}")
  elseif(CUTSDF_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CUTSDF_CUDA is ON, but ${cuda_missing}")
  else()
    message(STATUS "cutsdf: host only, ${cuda_missing}")
  endif()
  unset(cuda_missing)
endif()
