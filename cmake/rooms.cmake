# SPDX-License-Identifier: Apache-2.0
# A room: the sources of one folder of a program, as a target of its own.
#
#   memtrace_room(PROGRAM ROOM USES ROOM...)
#
# makes the object library memtrace_PROGRAM_ROOM of the folder ROOM beside the calling
# CMakeLists.txt. USES names the rooms that it may include and call, as the table of the program's
# README does.
#
# The target memtrace_PROGRAM_ROOM_links links the room with all rooms below it and with nothing
# else, so a call that runs upward is an undefined symbol there. `room-links` builds all of them.
add_custom_target(room-links)

function(memtrace_room program room)
  cmake_parse_arguments(PARSE_ARGV 2 room "" "" "USES")
  set(name memtrace_${program}_${room})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main[.]cpp$")
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.h)
  set(below "")
  foreach(used ${room_USES})
    get_property(its_below GLOBAL PROPERTY memtrace_below_${program}_${used})
    list(APPEND below ${used} ${its_below})
  endforeach()
  list(REMOVE_DUPLICATES below)
  set_property(GLOBAL PROPERTY memtrace_below_${program}_${room} "${below}")
  set_property(GLOBAL APPEND PROPERTY memtrace_rooms_${program} ${room})
  set_property(GLOBAL PROPERTY memtrace_sources_${program}_${room} "${sources}")
  if(NOT sources)  # Headers alone: nothing to compile, and nothing that could call.
    add_library(${name} INTERFACE ${headers})
    return()
  endif()
  add_library(${name} OBJECT ${sources} ${headers})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC memtrace_flags PRIVATE memtrace_strict_flags)
endfunction()

# Every room of a program, to do something with each.
function(memtrace_rooms program variable)
  get_property(rooms GLOBAL PROPERTY memtrace_rooms_${program})
  set(${variable} ${rooms} PARENT_SCOPE)
endfunction()

# The objects of these rooms, as generator expressions; rooms without sources have none.
function(memtrace_room_objects program variable)
  set(objects "")
  foreach(room ${ARGN})
    get_target_property(type memtrace_${program}_${room} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:memtrace_${program}_${room}>)
    endif()
  endforeach()
  set(${variable} ${objects} PARENT_SCOPE)
endfunction()

# The sources of these rooms, with absolute paths, for targets that compile them with flags of their
# own.
function(memtrace_room_sources program variable)
  set(sources "")
  foreach(room ${ARGN})
    get_property(its_sources GLOBAL PROPERTY memtrace_sources_${program}_${room})
    list(APPEND sources ${its_sources})
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# The targets that hold the arrows: one for each room that has sources. Called when the program's
# rooms and their libraries are complete.
#
#   memtrace_room_links(PROGRAM [STUBS SOURCE... OF ROOM])
#
# STUBS define the functions of ROOM that rooms below it may call all the same. They are linked to
# these rooms only.
function(memtrace_room_links program)
  cmake_parse_arguments(PARSE_ARGV 1 links "" "OF" "STUBS")
  memtrace_rooms(${program} rooms)
  set(stubs "")
  if(links_STUBS)
    set(stubs memtrace_${program}_stubs)
    add_library(${stubs} OBJECT EXCLUDE_FROM_ALL ${links_STUBS})
    target_include_directories(${stubs} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${stubs} PRIVATE memtrace_flags)
  endif()
  foreach(room ${rooms})
    set(name memtrace_${program}_${room})
    get_target_property(type ${name} TYPE)
    if(NOT type STREQUAL "OBJECT_LIBRARY")
      continue()
    endif()
    get_property(below GLOBAL PROPERTY memtrace_below_${program}_${room})
    memtrace_room_objects(${program} objects ${room} ${below})
    if(stubs AND NOT links_OF IN_LIST below AND NOT links_OF STREQUAL room)
      list(APPEND objects $<TARGET_OBJECTS:${stubs}>)
    endif()
    add_executable(${name}_links EXCLUDE_FROM_ALL ${objects})
    foreach(used ${room} ${below})
      get_target_property(libraries memtrace_${program}_${used} INTERFACE_LINK_LIBRARIES)
      if(libraries)
        target_link_libraries(${name}_links PRIVATE ${libraries})
      endif()
    endforeach()
    # A program without a main, which never runs. It cannot be a shared library, because the static
    # archives of elfutils are not made for one.
    target_link_options(${name}_links PRIVATE -Wl,--defsym=main=0)
    set_target_properties(${name}_links PROPERTIES LINKER_LANGUAGE CXX
                          RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/room-links)
    add_dependencies(room-links ${name}_links)
  endforeach()
endfunction()
