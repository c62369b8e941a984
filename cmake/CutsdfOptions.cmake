# Every option of the project. A project that adds cutsdf as a subdirectory gets the target and nothing else, unless it
# asks for more.

option(CUTSDF_INSTALL "Add install rules and make the build tree findable" ${PROJECT_IS_TOP_LEVEL})
option(CUTSDF_BUILD_TESTS "Build the unit tests" ${PROJECT_IS_TOP_LEVEL})
option(CUTSDF_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(CUTSDF_WERROR "Treat warnings in this project's own programs as errors" OFF)

set(CUTSDF_SANITIZE
    ""
    CACHE STRING "Sanitizer for everything that is built, host space only: thread, address or undefined")
set_property(CACHE CUTSDF_SANITIZE PROPERTY STRINGS "" thread address undefined)
if(NOT CUTSDF_SANITIZE MATCHES "^(thread|address|undefined|)$")
  message(FATAL_ERROR "CUTSDF_SANITIZE must be thread, address or undefined, but is ${CUTSDF_SANITIZE}")
endif()

# The checks compile header by header and build whole consumer projects: once is enough, and not under a sanitizer.
set(checks OFF)
if(PROJECT_IS_TOP_LEVEL AND CUTSDF_BUILD_TESTS AND NOT CUTSDF_SANITIZE)
  set(checks ON)
endif()
option(CUTSDF_BUILD_CHECKS "Add the tests of the headers, of misuse, of consumer projects and of the format" ${checks})
unset(checks)

set(examples OFF)
if(PROJECT_IS_TOP_LEVEL)
  set(examples AUTO)
endif()
set(CUTSDF_BUILD_EXAMPLES
    ${examples}
    CACHE STRING "Build the examples: AUTO where their libraries are found, ON (fail without them), OFF")
set_property(CACHE CUTSDF_BUILD_EXAMPLES PROPERTY STRINGS AUTO ON OFF)
unset(examples)

set(CUTSDF_CUDA
    AUTO
    CACHE STRING "Compile this project's own programs for the GPU too: AUTO where there is a CUDA compiler, ON, OFF")
set_property(CACHE CUTSDF_CUDA PROPERTY STRINGS AUTO ON OFF)

set(CUTSDF_DEVELOP OFF)
if(CUTSDF_BUILD_TESTS OR CUTSDF_BUILD_CHECKS OR CUTSDF_BUILD_EXAMPLES OR CUTSDF_BUILD_BENCHMARKS)
  set(CUTSDF_DEVELOP ON)
endif()

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE
        Release
        CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(CUTSDF_CCACHE ccache)
  mark_as_advanced(CUTSDF_CCACHE)
  if(CUTSDF_CCACHE)
    foreach(language CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${CUTSDF_CCACHE})
      endif()
    endforeach()
  endif()
endif()
