# libnvToolsExt.so.1, with an entry for tools and without one, and a tool. The story of
# tests/programs/nvtx_story.h is built on each, and on NVIDIA's own header where it is installed: in
# a toolkit, in a wheel nvidia-nvtx of a Python, or in the given folder.
set(nvtx_story ${CMAKE_SOURCE_DIR}/tests/programs/nvtx_by_copy.c)
function(nvtx_double target folder source)
  add_library(${target} SHARED ${CMAKE_SOURCE_DIR}/tests/doubles/nvtx/${source})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -O1 -g -fvisibility=hidden -Wall -Wextra)
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY
                        ${CMAKE_BINARY_DIR}/doubles/nvtx/${folder})
endfunction()
nvtx_double(double-nvtx with library.c)
nvtx_double(double-nvtx-plain without library.c)
target_compile_definitions(double-nvtx-plain PRIVATE NVTX_COPY_WITHOUT_TOOLS)
set_target_properties(double-nvtx double-nvtx-plain PROPERTIES OUTPUT_NAME nvToolsExt SOVERSION 1)
nvtx_double(double-nvtx-tool tool tool.c)
set_target_properties(double-nvtx-tool PROPERTIES OUTPUT_NAME nvtx_tool)

set(MEMTRACE_NVTX_HEADERS "" CACHE PATH "Folder of nvtx3/nvToolsExt.h, to test on")
file(GLOB nvtx_wheels ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/*/include)
find_path(nvtx_headers nvtx3/nvToolsExt.h NO_CACHE
          HINTS ${MEMTRACE_NVTX_HEADERS} ENV CUDA_HOME ENV CUDA_PATH
          PATHS ${nvtx_wheels} /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
if(nvtx_headers)
  message(STATUS "NVTX's header: ${nvtx_headers}")
  add_executable(nvtx_by_header ${nvtx_story})
  target_compile_definitions(nvtx_by_header PRIVATE NVTX_STORY_BY_HEADER _GNU_SOURCE)
  target_include_directories(nvtx_by_header PRIVATE ${CMAKE_SOURCE_DIR})
  target_include_directories(nvtx_by_header SYSTEM PRIVATE ${nvtx_headers})
  target_compile_options(nvtx_by_header PRIVATE -O1 -g -fno-builtin)
  target_link_libraries(nvtx_by_header PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
  set_target_properties(nvtx_by_header PROPERTIES RUNTIME_OUTPUT_DIRECTORY
                        ${CMAKE_BINARY_DIR}/programs)
  add_executable(nvtx-header-check ${CMAKE_SOURCE_DIR}/tests/doubles/nvtx/check_header.cpp)
  target_include_directories(nvtx-header-check PRIVATE ${CMAKE_SOURCE_DIR})
  target_include_directories(nvtx-header-check SYSTEM PRIVATE ${nvtx_headers})
  target_link_libraries(nvtx-header-check PRIVATE ${CMAKE_DL_LIBS})
  add_test(NAME nvtx_header COMMAND nvtx-header-check)
else()
  message(STATUS "NVTX's header: not found; the stories run on a stand-in of it alone")
  add_test(NAME nvtx_header COMMAND ${CMAKE_COMMAND} -E echo
           "skipped: NVTX's header was not found (MEMTRACE_NVTX_HEADERS)")
  set_tests_properties(nvtx_header PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endif()
