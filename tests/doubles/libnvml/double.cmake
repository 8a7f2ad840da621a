# A stand-in for NVIDIA's management library, under the name by which programs look for it.
add_library(double-libnvml SHARED ${CMAKE_CURRENT_LIST_DIR}/nvml.cpp)
target_compile_options(double-libnvml PRIVATE -O1 -g -fvisibility=hidden -Wall -Wextra)
set_target_properties(double-libnvml PROPERTIES OUTPUT_NAME nvidia-ml SOVERSION 1
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/doubles/libnvml)
