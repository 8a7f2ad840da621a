# The shim is built without CUDA's headers, on declarations of its own. Where the headers are, the
# two are compared: in a toolkit, in the wheels nvidia-cuda-runtime and nvidia-cuda-crt of a Python,
# or in the folder that is given.
set(MEMTRACE_CUDA_HEADERS "" CACHE PATH "Folder of cuda.h, to compare the shim's declarations with")
file(GLOB wheels ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu*/include)
find_path(cuda_headers cudaTypedefs.h NO_CACHE
          HINTS ${MEMTRACE_CUDA_HEADERS} ENV CUDA_HOME ENV CUDA_PATH
          PATHS ${wheels} /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
if(cuda_headers)
  message(STATUS "CUDA's headers: ${cuda_headers}")
  add_executable(cuda-headers-check ${CMAKE_CURRENT_LIST_DIR}/check.cpp)
  target_include_directories(cuda-headers-check PRIVATE ${CMAKE_SOURCE_DIR}
                             ${CMAKE_SOURCE_DIR}/include)
  target_include_directories(cuda-headers-check SYSTEM PRIVATE ${cuda_headers})
  add_test(NAME cuda_headers COMMAND cuda-headers-check)
else()
  message(STATUS "CUDA's headers: not found; the shim's declarations are not compared with them")
  add_test(NAME cuda_headers COMMAND ${CMAKE_COMMAND} -E echo
           "skipped: CUDA's headers were not found (MEMTRACE_CUDA_HEADERS)")
  set_tests_properties(cuda_headers PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endif()
