# What the consumers have in common once cutsdf::cutsdf is there: a C++ program, and a CUDA one where the project has
# the language.

add_executable(sphere_host ${CMAKE_CURRENT_LIST_DIR}/sphere.cpp)
target_link_libraries(sphere_host PRIVATE cutsdf::cutsdf)

if(CONSUMER_CUDA)
  enable_language(CUDA)
  add_executable(sphere_device ${CMAKE_CURRENT_LIST_DIR}/sphere.cu)
  target_link_libraries(sphere_device PRIVATE cutsdf::cutsdf)
endif()

# The library imposes its language level, its folder and two libraries, nothing else.
foreach(property OPTIONS DEFINITIONS)
  get_target_property(imposed cutsdf::cutsdf INTERFACE_COMPILE_${property})
  foreach(item IN LISTS imposed)
    if(NOT item MATCHES "COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-std=c[+][+]20>" AND NOT item MATCHES "imposed-NOTFOUND")
      message(FATAL_ERROR "cutsdf::cutsdf imposes ${item}")
    endif()
  endforeach()
endforeach()
