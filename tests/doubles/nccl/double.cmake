# libfakenccl.so, with the runtime's double inside, hidden from all others.
add_library(double-nccl SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_nccl.cpp)
target_include_directories(double-nccl PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_options(double-nccl PRIVATE -O1 -g -Wall -Wextra -fvisibility=hidden)
target_link_libraries(double-nccl PRIVATE double-libcudart-static)
set_target_properties(double-nccl PROPERTIES PREFIX "" OUTPUT_NAME libfakenccl
                      BUILD_RPATH "$ORIGIN/../libcuda"
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/nccl)
