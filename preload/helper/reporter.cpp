// SPDX-License-Identifier: Apache-2.0
#include "preload/helper/reporter.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr int first_kept = 3;

Path shim_folder;

bool is_program(const char* path) {
    struct stat status;
    return sys::stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           sys::call(SYS_access, sys::address_of(path), X_OK) == 0;
}

}  // namespace

void remember_shim_folder() {
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&remember_shim_folder), &self) == 0) return;
    struct Absolute {
        char path[PATH_MAX];
    };
    const sys::MappedItem<Absolute> absolute;
    std::string_view shim = self.dli_fname;
    if (!shim.starts_with('/')) {  // as LD_PRELOAD had it
        if (!absolute || realpath(self.dli_fname, absolute->path) == nullptr) return;
        shim = absolute->path;
    }
    shim_folder.clear();
    shim_folder << shim.substr(0, shim.rfind('/'));
}

void find_reporter(Path& reporter) {
    reporter.clear();
    if (shim_folder.size() == 0) return;
    for (const char* const place :
         {"/memtrace-report", "/../bin/memtrace-report", "/../../bin/memtrace-report",
          "/../../../bin/memtrace-report"}) {
        reporter.clear();
        reporter << shim_folder.view() << place;
        if (!reporter.was_cut() && is_program(reporter.c_str())) return;
    }
    reporter.clear();
}

const char* why_no_reporter() {
    struct stat status;
    if (shim_folder.size() != 0 && sys::stat(shim_folder.c_str(), &status) != 0) {
        return "the folder of libmemtrace.so is out of reach: the program has changed its root "
               "(chroot) or its user";
    }
    return "memtrace-report is not beside libmemtrace.so, nor in ../bin";
}

const char* why_no_child() {
    constexpr const char* of_children = "/proc/thread-self/ns/pid_for_children";
    struct stat status;
    char own[64], children[64];
    const long own_size = sys::readlink("/proc/thread-self/ns/pid", own, sizeof own);
    if (own_size <= 0 || sys::lstat(of_children, &status) != 0) return nullptr;
    // While it has no process, it has no name, either.
    const long size = sys::readlink(of_children, children, sizeof children);
    const bool is_same = size == own_size && std::memcmp(own, children, own_size) == 0;
    return is_same ? nullptr : "children of the program come into another PID namespace (unshare)";
}

void keep_descriptors(std::initializer_list<int> kept) {
    const int above = first_kept + static_cast<int>(kept.size());
    // Duplicates above the numbers that they shall have, so that none overwrites another.
    long copies[8];
    size_t count = 0;
    for (const int fd : kept) copies[count++] = sys::fcntl(fd, F_DUPFD, above);
    for (size_t i = 0; i < count; ++i)
        sys::call(SYS_dup2, copies[i], first_kept + static_cast<int>(i));
    if (sys::failed(sys::call(SYS_close_range, above, ~0U, 0))) {
        constexpr int numbers_max = 65536;  // before Linux 5.9
        for (int fd = above; fd < numbers_max; ++fd) sys::close(fd);
    }
    for (int fd = 0; fd < first_kept; ++fd) {
        sys::close(fd);
        sys::call(SYS_openat, AT_FDCWD, sys::address_of("/dev/null"), O_RDWR);  // takes this number
    }
}

void run_reporter(const char* const* words) {
    const char* const environment[] = {"PATH=/usr/bin:/bin", nullptr};
    sys::call(SYS_execve, sys::address_of(words[0]), sys::address_of(words),
              sys::address_of(environment));
    sys::call(SYS_exit_group, 127);
    __builtin_unreachable();
}

}  // namespace memtrace::preload
