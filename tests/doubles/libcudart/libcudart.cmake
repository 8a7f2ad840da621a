# libcudart.so.12 and .13, and an archive of the same for libraries with a runtime inside.
set(cudart_double_sources driver.cpp devices.cpp memory.cpp streams.cpp)
list(TRANSFORM cudart_double_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

function(cudart_double_settings target version visibility)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE CUDART_DOUBLE_VERSION=${version}
                             CUDART_DOUBLE_VISIBILITY="${visibility}")
  target_compile_options(${target} PRIVATE -O1 -g -Wall -Wextra -fvisibility=hidden)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

foreach(major 12 13)
  set(soname libcudart.so.${major})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/libcudart.map.in
                 ${CMAKE_CURRENT_BINARY_DIR}/libcudart_${major}.map)
  add_library(cudart_double_${major} SHARED ${cudart_double_sources})
  cudart_double_settings(cudart_double_${major} ${major}000 default)
  # The driver's double lies beside it, unless the tester says otherwise.
  set_target_properties(cudart_double_${major} PROPERTIES PREFIX "" OUTPUT_NAME libcudart
                        SUFFIX .so.${major} NO_SONAME ON BUILD_RPATH "$ORIGIN"
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles)
  target_link_options(cudart_double_${major} PRIVATE -Wl,-soname,${soname}
                      -Wl,--version-script=${CMAKE_CURRENT_BINARY_DIR}/libcudart_${major}.map)
endforeach()

add_library(cudart_double_static STATIC ${cudart_double_sources})
cudart_double_settings(cudart_double_static 12080 hidden)
