# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where. Everything finds its neighbours by their place, so the whole
# can be moved. Components:
#
#   programs      memtrace, memtrace-report, libmemtrace.so, man pages, completions
#   development   memtrace.h, and what CMake and pkg-config need to find it
#
# MEMTRACE_PACKAGE adds the licences and the SBOM of what is linked (packaging/sbom.py), and the
# settings of CPack for Debian packages. scripts/package uses it.
include(CMakePackageConfigHelpers)
option(MEMTRACE_PACKAGE "Install the SBOM and licences, and make Debian packages" OFF)
set(MEMTRACE_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
    "Where zsh looks for completions")
set(package_dir lib/cmake/memtrace)

install(FILES include/memtrace/memtrace.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/memtrace
        COMPONENT development)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/memtraceConfigVersion.cmake
                                 COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES cmake/memtraceConfig.cmake cmake/MemtraceTest.cmake
              ${CMAKE_BINARY_DIR}/memtraceConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)
configure_file(cmake/memtrace.pc.in memtrace.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/memtrace.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig
        COMPONENT development)

# The programs write their own man pages and completions. Those built with a sanitizer are not for
# installing.
if(NOT MEMTRACE_SANITIZE)
  find_program(memtrace_gzip gzip REQUIRED)
  set(written "")
  foreach(target memtrace-launcher memtrace-report)
    get_target_property(name ${target} OUTPUT_NAME)
    if(NOT name)
      set(name ${target})
    endif()
    set(folder ${CMAKE_BINARY_DIR}/documents)
    set(page ${folder}/${name}.1)
    set(outputs ${page}.gz ${folder}/bash/${name} ${folder}/zsh/_${name}
                ${folder}/fish/${name}.fish)
    add_custom_command(
      OUTPUT ${outputs}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/bash ${folder}/zsh ${folder}/fish
      COMMAND $<TARGET_FILE:${target}> man > ${page}
      COMMAND ${memtrace_gzip} -9nf ${page}
      COMMAND $<TARGET_FILE:${target}> completion bash > ${folder}/bash/${name}
      COMMAND $<TARGET_FILE:${target}> completion zsh > ${folder}/zsh/_${name}
      COMMAND $<TARGET_FILE:${target}> completion fish > ${folder}/fish/${name}.fish
      DEPENDS ${target} VERBATIM)
    list(APPEND written ${outputs})
    install(FILES ${page}.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
    install(FILES ${folder}/bash/${name}
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs)
    install(FILES ${folder}/zsh/_${name} DESTINATION ${MEMTRACE_ZSH_DIR} COMPONENT programs)
    install(FILES ${folder}/fish/${name}.fish
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs)
  endforeach()
  add_custom_target(memtrace-documents ALL DEPENDS ${written})
endif()

if(MEMTRACE_PACKAGE)
  set(texts ${CMAKE_BINARY_DIR}/texts)
  add_custom_target(memtrace-texts ALL
                    COMMAND ${CMAKE_SOURCE_DIR}/packaging/sbom.py ${PROJECT_VERSION} ${texts})
  install(FILES ${texts}/copyright ${texts}/memtrace.spdx.json
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/memtrace COMPONENT programs)
  include(cmake/debian.cmake)
endif()
