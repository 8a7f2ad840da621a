# libc10.so and libc10_cuda.so, on the runtime's double; and another tool that listens to them.
function(torch_double target name)
  add_library(${target} SHARED ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -O1 -g -Wall -Wextra -fvisibility=hidden)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name}
                        BUILD_RPATH "$ORIGIN"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/torch)
endfunction()

torch_double(torch_c10_double libc10 ${CMAKE_CURRENT_LIST_DIR}/c10.cpp)
torch_double(torch_cuda_double libc10_cuda ${CMAKE_CURRENT_LIST_DIR}/caching_allocator.cpp)
target_link_libraries(torch_cuda_double PUBLIC torch_c10_double PRIVATE cudart_double_13)
torch_double(torch_listener libtorch_listener ${CMAKE_CURRENT_LIST_DIR}/listener.cpp)
target_link_libraries(torch_listener PRIVATE ${CMAKE_DL_LIBS})
