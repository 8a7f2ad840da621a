# libcudart.so.12 and .13, and an archive of the same code for libraries that contain a runtime.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)

function(cudart_double_settings target version visibility)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE CUDART_DOUBLE_VERSION=${version}
                             CUDART_DOUBLE_VISIBILITY="${visibility}")
  target_compile_options(${target} PRIVATE -O1 -g -Wall -Wextra -fvisibility=hidden)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

foreach(major 12 13)
  set(soname libcudart.so.${major})
  set(map ${CMAKE_CURRENT_BINARY_DIR}/libcudart_${major}.map)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/libcudart.map.in ${map})
  add_library(double-libcudart-${major} SHARED ${sources})
  cudart_double_settings(double-libcudart-${major} ${major}000 default)
  set_target_properties(double-libcudart-${major} PROPERTIES PREFIX "" OUTPUT_NAME libcudart
                        SUFFIX .so.${major} NO_SONAME ON BUILD_RPATH "$ORIGIN/../libcuda"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/libcudart)
  target_link_options(double-libcudart-${major} PRIVATE -Wl,-soname,${soname}
                      -Wl,--version-script=${map})
endforeach()

add_library(double-libcudart-static STATIC ${sources})
cudart_double_settings(double-libcudart-static 12080 hidden)
