# The shim is built without CUDA's headers, from its own declarations. This test compares the two if
# the headers are found: in a toolkit, in the wheels nvidia-cuda-runtime and nvidia-cuda-crt of a
# Python, or in the given folder.
if(MEMTRACE_SANITIZE)
  return()
endif()
set(MEMTRACE_CUDA_HEADERS "" CACHE PATH "Folder of cuda.h, to compare the shim's declarations with")
file(GLOB wheels ${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu*/include)
find_path(cuda_headers cudaTypedefs.h NO_CACHE
          HINTS ${MEMTRACE_CUDA_HEADERS} ENV CUDA_HOME ENV CUDA_PATH
          PATHS ${wheels} /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
if(cuda_headers)
  message(STATUS "CUDA's headers: ${cuda_headers}")
  add_executable(cuda-headers-check ${CMAKE_CURRENT_LIST_DIR}/check.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/check_cudart.cpp)
  target_include_directories(cuda-headers-check PRIVATE ${CMAKE_SOURCE_DIR}
                             ${CMAKE_SOURCE_DIR}/include)
  target_include_directories(cuda-headers-check SYSTEM PRIVATE ${cuda_headers})
  add_test(NAME cuda_headers COMMAND cuda-headers-check)
  # CUPTI's headers are beside them in wheels and packages, and in their own folder in a toolkit.
  find_path(cupti_headers generated_cuda_meta.h NO_CACHE NO_DEFAULT_PATH
            HINTS ${cuda_headers} ${cuda_headers}/../extras/CUPTI/include)
  find_file(cupti_library NAMES libcupti.so.13 libcupti.so.12 libcupti.so NO_CACHE NO_DEFAULT_PATH
            HINTS ${cuda_headers}/../lib64 ${cuda_headers}/../lib
                  ${cuda_headers}/../extras/CUPTI/lib64)
else()
  message(STATUS "CUDA's headers: not found; the shim's declarations are not compared with them")
  add_test(NAME cuda_headers COMMAND ${CMAKE_COMMAND} -E echo
           "skipped: CUDA's headers were not found (MEMTRACE_CUDA_HEADERS)")
  set_tests_properties(cuda_headers PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
endif()
if(cuda_headers AND cupti_headers)
  memtrace_room_sources(preload cuda_rooms base loader cuda)
  add_executable(cupti-headers-check ${CMAKE_CURRENT_LIST_DIR}/check_cupti.cpp ${cuda_rooms})
  target_include_directories(cupti-headers-check PRIVATE ${CMAKE_SOURCE_DIR}
                             ${CMAKE_SOURCE_DIR}/include)
  target_include_directories(cupti-headers-check SYSTEM PRIVATE ${cuda_headers} ${cupti_headers})
  target_link_libraries(cupti-headers-check PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  add_test(NAME cupti_headers COMMAND cupti-headers-check "${cupti_library}")
else()
  add_test(NAME cupti_headers COMMAND ${CMAKE_COMMAND} -E echo
           "skipped: CUPTI's headers were not found (MEMTRACE_CUDA_HEADERS)")
endif()
set_tests_properties(cupti_headers PROPERTIES SKIP_REGULAR_EXPRESSION "skipped:")
