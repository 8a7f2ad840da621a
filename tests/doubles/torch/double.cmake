# libc10.so and libc10_cuda.so, on the runtime's double, and another tool that listens to them.
function(torch_double target name source)
  add_library(${target} SHARED ${CMAKE_CURRENT_LIST_DIR}/${source})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -O1 -g -Wall -Wextra -fvisibility=hidden)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} BUILD_RPATH "$ORIGIN"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/torch)
endfunction()

torch_double(double-torch libc10 c10.cpp)
torch_double(double-torch-cuda libc10_cuda caching_allocator.cpp)
target_link_libraries(double-torch-cuda PUBLIC double-torch PRIVATE double-libcudart-13)
torch_double(double-torch-listener libtorch_listener listener.cpp)
