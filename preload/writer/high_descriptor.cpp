// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/high_descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>

#include "preload/base/sys.h"

namespace memtrace::preload {

int duplicate_above(int fd, long wanted) {
    long high = sys::fcntl(fd, F_DUPFD_CLOEXEC, wanted);
    if (sys::failed(high)) high = sys::fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return sys::failed(high) ? -1 : static_cast<int>(high);
}

int to_high_number(int fd) {
    rlimit limit{};
    sys::call(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, sys::address_of(&limit));
    const long wanted = limit.rlim_cur > 4096 ? 4000 : static_cast<long>(limit.rlim_cur) * 3 / 4;
    const long high = sys::fcntl(fd, F_DUPFD_CLOEXEC, wanted);
    if (sys::failed(high)) return fd;
    sys::close(fd);
    return static_cast<int>(high);
}

}  // namespace memtrace::preload
