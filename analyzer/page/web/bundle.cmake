# SPDX-License-Identifier: Apache-2.0
# The program of the HTML page: analyzer/page/web, bundled by esbuild and compiled into
# memtrace-report.
#
# With Node and npm the bundle is made from its sources; the packages are those of
# package-lock.json. Without them, the bundle of a source archive is used (dist/). Without either,
# memtrace-report is built all the same, and its command `html` says what is missing.
set(memtrace_web_folder ${CMAKE_CURRENT_LIST_DIR})

# Fetches the packages into FOLDER, unless they are there. Sets RESULT to TRUE if they are.
function(memtrace_page_packages folder result)
  set(web ${memtrace_web_folder})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${web}/package-lock.json)
  file(SHA256 ${web}/package-lock.json wanted)
  set(found "")
  if(EXISTS ${folder}/packages)
    file(READ ${folder}/packages found)
  endif()
  if(NOT found STREQUAL wanted)
    file(COPY ${web}/package.json ${web}/package-lock.json DESTINATION ${folder})
    execute_process(
      COMMAND ${MEMTRACE_NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error
      WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_QUIET)
    if(failed)
      set(${result} FALSE PARENT_SCOPE)
      return()
    endif()
    file(WRITE ${folder}/packages ${wanted})
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

function(memtrace_page_bundle target)
  set(web ${memtrace_web_folder})
  set(output ${CMAKE_BINARY_DIR}/page)
  set(code ${output}/page_bundle.cpp)
  find_program(MEMTRACE_NODE node)
  find_program(MEMTRACE_NPM npm)
  set(version "")
  if(MEMTRACE_NODE)
    execute_process(COMMAND ${MEMTRACE_NODE} --version OUTPUT_VARIABLE version ERROR_QUIET)
  endif()
  set(made "")
  set(has_node FALSE)
  if(MEMTRACE_NPM AND version MATCHES "^v([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 18)
    memtrace_page_packages(${output} has_node)
  endif()
  if(has_node)
    set(made ${output}/page.js ${output}/page.css)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.css)
    add_custom_command(
      OUTPUT ${made}
      COMMAND ${MEMTRACE_NODE} ${web}/build.mjs ${output}
      DEPENDS ${sources} ${web}/build.mjs ${web}/tsconfig.json ${web}/package-lock.json)
  elseif(EXISTS ${web}/dist/page.js AND EXISTS ${web}/dist/page.css)
    message(STATUS "HTML page: with the bundle of this archive, because Node 18 or npm is missing")
    set(made ${web}/dist/page.js ${web}/dist/page.css)
  else()
    message(STATUS "HTML page: left out, because Node 18 or newer, npm or its packages are missing")
  endif()
  add_custom_command(
    OUTPUT ${code}
    COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${code}" "-DFILES=${made}" -P ${web}/embed.cmake
    DEPENDS ${made} ${web}/embed.cmake
    VERBATIM)
  target_sources(${target} PRIVATE ${code})
endfunction()
