# SPDX-License-Identifier: Apache-2.0
# Hardening of the programs, in one place. tests/e2e/cases/programs_are_hardened.py reads what came
# of it.
#
#   memtrace_hardened        compile options for memtrace-report and memtrace, which read files of
#                            strangers: checked stack frames and copies, and marked jump targets
#   memtrace_hardened_guest  the same for the shim: marked jump targets alone. A check that aborts
#                            would end a program that is not ours
#   memtrace_harden(TARGET)  link options of a program
#
# A build with a sanitizer has the link options only: the sanitizer checks more.
add_library(memtrace_hardened INTERFACE)
add_library(memtrace_hardened_guest INTERFACE)

if(NOT MEMTRACE_SANITIZE)
  set(fortify 2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(fortify 3)
  endif()
  target_compile_options(memtrace_hardened INTERFACE -fstack-protector-strong -fcf-protection=full)
  # Without optimisation, its checks are warnings only.
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
    target_compile_options(memtrace_hardened INTERFACE -U_FORTIFY_SOURCE
                           -D_FORTIFY_SOURCE=${fortify})
  endif()
  # Some distributions' compilers have the checks by default.
  target_compile_options(memtrace_hardened_guest INTERFACE -fcf-protection=full
                         -fno-stack-protector -U_FORTIFY_SOURCE)
endif()

function(memtrace_harden target)
  target_link_options(${target} PRIVATE -pie -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
endfunction()
