# The examples read and write images, parse a command line and write JSON: the library itself needs none of this.

find_package(CLI11 CONFIG QUIET)
find_package(nlohmann_json CONFIG QUIET)
find_package(PNG QUIET)
find_package(JPEG QUIET)

set(missing "")
foreach(dependency CLI11::CLI11=libcli11-dev nlohmann_json::nlohmann_json=nlohmann-json3-dev PNG::PNG=libpng-dev
                   JPEG::JPEG=libjpeg-dev)
  string(REPLACE "=" ";" dependency ${dependency})
  list(GET dependency 0 target)
  list(GET dependency 1 package)
  if(NOT TARGET ${target})
    string(REGEX REPLACE "::.*" "" name ${target})
    list(APPEND missing "${name} (Debian: ${package})")
  endif()
endforeach()
list(JOIN missing ", " missing)

if(NOT missing STREQUAL "" AND CUTSDF_BUILD_EXAMPLES STREQUAL "AUTO")
  message(STATUS "cutsdf: examples skipped, missing: ${missing}")
elseif(NOT missing STREQUAL "")
  message(FATAL_ERROR "CUTSDF_BUILD_EXAMPLES is ${CUTSDF_BUILD_EXAMPLES}, but these are missing: ${missing}")
elseif(EXISTS ${PROJECT_SOURCE_DIR}/examples/CMakeLists.txt)
  add_subdirectory(examples)
endif()
unset(missing)
