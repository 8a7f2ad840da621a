// SPDX-License-Identifier: Apache-2.0
#include "preload/base/sys.h"

namespace memtrace::preload::sys {

size_t read_file(const char* path, char* buffer, size_t size) {
    const int fd = open(path, O_RDONLY);
    if (fd < 0) return 0;
    size_t length = 0;
    while (length + 1 < size) {
        const long got = read(fd, buffer + length, size - 1 - length);
        if (got == -4 /* EINTR */) continue;
        if (got <= 0) break;
        length += static_cast<size_t>(got);
    }
    close(fd);
    buffer[length] = 0;
    return length;
}

}  // namespace memtrace::preload::sys
