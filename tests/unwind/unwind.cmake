# The unwinder, compared with others and with the truth. Each folder is a test of its own kind.
include(${CMAKE_CURRENT_LIST_DIR}/rows/rows.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/truth/truth.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/compare/compare.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/growth/growth.cmake)
