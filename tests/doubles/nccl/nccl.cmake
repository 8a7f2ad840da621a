# libfakenccl.so, with the runtime's double inside, which nobody else sees.
add_library(fake_nccl SHARED ${CMAKE_CURRENT_LIST_DIR}/fake_nccl.cpp)
target_include_directories(fake_nccl PRIVATE ${CMAKE_SOURCE_DIR})
target_compile_options(fake_nccl PRIVATE -O1 -g -Wall -Wextra -fvisibility=hidden)
target_link_libraries(fake_nccl PRIVATE cudart_double_static)
set_target_properties(fake_nccl PROPERTIES PREFIX "" OUTPUT_NAME libfakenccl BUILD_RPATH "$ORIGIN"
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles)
