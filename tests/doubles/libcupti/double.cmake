# Stand-ins for CUPTI, of two versions, under the names by which programs look for them. Their
# symbols have versions, like the real ones.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.cpp)
foreach(major 12 13)
  set(target double-libcupti)
  if(major EQUAL 12)
    set(target double-libcupti-old)
  endif()
  set(versions ${CMAKE_BINARY_DIR}/doubles/libcupti.${major}.map)
  file(WRITE ${versions} "libcupti.so.${major} { global: cupti*; local: *; };\n")
  add_library(${target} SHARED ${sources})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
  target_compile_options(${target} PRIVATE -O1 -g -Wall -Wextra)
  target_compile_definitions(${target} PRIVATE CUPTI_DOUBLE_MAJOR=${major})
  target_link_options(${target} PRIVATE -Wl,-Bsymbolic -Wl,--version-script=${versions})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cupti SOVERSION ${major}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/libcupti.${major})
endforeach()
