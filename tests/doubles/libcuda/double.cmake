# A stand-in for CUDA's driver, under the name by which programs look for it.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
add_library(double-libcuda SHARED ${sources})
target_include_directories(double-libcuda PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
target_compile_options(double-libcuda PRIVATE -O1 -g -fvisibility=hidden -Wall -Wextra)
# As in the real driver, a call by name reaches the driver's own function, whatever is preloaded.
target_link_options(double-libcuda PRIVATE -Wl,-Bsymbolic)
target_link_libraries(double-libcuda PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(double-libcuda PROPERTIES OUTPUT_NAME cuda SOVERSION 1
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/libcuda)
