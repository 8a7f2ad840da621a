# Tests of the unwinder against others and against the truth. Each file is a room of its own.
include(${CMAKE_CURRENT_LIST_DIR}/rows.cmake OPTIONAL)
include(${CMAKE_CURRENT_LIST_DIR}/truth.cmake OPTIONAL)
include(${CMAKE_CURRENT_LIST_DIR}/compare.cmake OPTIONAL)
include(${CMAKE_CURRENT_LIST_DIR}/growth.cmake OPTIONAL)
