# How this project compiles its own programs.

# Instruments everything, the test framework included, where it is compiled here.
if(CUTSDF_SANITIZE)
  add_compile_options(-fsanitize=${CUTSDF_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${CUTSDF_SANITIZE})
  if(CUTSDF_SANITIZE STREQUAL "undefined")
    add_compile_options(-fno-sanitize-recover=all)
  endif()
endif()

# cutsdf_developer_flags(target): warnings, and what makes host and device agree to the last bit.
function(cutsdf_developer_flags target)
  set(warnings -Wall -Wextra)
  # Compilers for FMA hardware may round a*b+c once; see grid/arithmetic.hpp.
  set(host ${warnings} -Wconversion -ffp-contract=off)
  list(JOIN warnings "," warnings)
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${host}>")
  if(CUTSDF_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(CUTSDF_CUDA_ENABLED AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
    # Our kernels do without Eigen, and with its device annotations nvcc reports Eigen's own defects (#20012, #20015)
    # from every unit.
    target_compile_definitions(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:EIGEN_NO_CUDA>)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${warnings},-ffp-contract=off>")
    if(CUTSDF_WERROR)
      target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>")
    endif()
  endif()
endfunction()

# For tests that call a compiler themselves and want its opinion, no code: CUTSDF_SYNTAX_FLAGS for any C++ compiler,
# CUTSDF_HOST_COMMAND, and CUTSDF_DEVICE_COMMAND where there is nvcc; a source file follows.
get_target_property(includes Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
list(TRANSFORM includes PREPEND "-isystem;")
set(CUTSDF_SYNTAX_FLAGS -std=c++20 -fsyntax-only -I${PROJECT_SOURCE_DIR}/include ${includes})
set(CUTSDF_HOST_COMMAND ${CMAKE_CXX_COMPILER} ${CUTSDF_SYNTAX_FLAGS})
set(CUTSDF_DEVICE_COMMAND "")
if(CUTSDF_CUDA_ENABLED AND CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")
  set(CUTSDF_DEVICE_COMMAND ${CMAKE_CUDA_COMPILER} -std=c++20 -DEIGEN_NO_CUDA --cuda --output-file /dev/null
                            -I${PROJECT_SOURCE_DIR}/include ${includes})
endif()
unset(includes)

# cutsdf_skipped_test(name what): a test that says what is missing here, and is reported as skipped.
function(cutsdf_skipped_test name what)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: these tests need ${what}")
  set_tests_properties(${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

# cutsdf_listed_tests(prefix script argument ...): each name that `script --list` prints becomes a test that runs the
# script with the arguments and the name; an exit code of 77 means skipped. `CUTSDF_LISTED_TESTS` has the tests' names.
function(cutsdf_listed_tests prefix script)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -B ${script} --list
    OUTPUT_VARIABLE names
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" names "${names}")
  foreach(name IN LISTS names)
    add_test(NAME "${prefix}: ${name}" COMMAND ${Python3_EXECUTABLE} -B ${script} ${ARGN} ${name})
    set_tests_properties("${prefix}: ${name}" PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
  endforeach()
  list(TRANSFORM names PREPEND "${prefix}: ")
  set(CUTSDF_LISTED_TESTS "${names}" PARENT_SCOPE)
endfunction()
