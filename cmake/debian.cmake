# SPDX-License-Identifier: Apache-2.0
# Debian packages by CPack: memtrace, and memtrace-dbgsym with the debug information.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME memtrace)
set(CPACK_PACKAGE_CONTACT "The memtrace developers <memtrace@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
    "memory profiler: every allocation, every stack, host and GPU")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "memtrace records every allocation of a program, with its call stack and its time,
and reports where the memory went: what held it when most was in use, what was
never given back, and what grows. The program needs no recompiling. CPython's
functions are in the stacks, and so is memory of NVIDIA's GPUs.")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Modes are those of Debian, and not of this process's umask.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
