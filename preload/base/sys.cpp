// SPDX-License-Identifier: Apache-2.0
#include "preload/base/sys.h"

#include <sys/uio.h>

namespace memtrace::preload::sys {

long copy_memory(void* to, const void* from, size_t bytes) {
    iovec here{to, bytes}, there{const_cast<void*>(from), bytes};
    const long copied =
        call(SYS_process_vm_readv, pid(), address_of(&here), 1, address_of(&there), 1);
    if (failed(copied)) return copied;
    return copied == static_cast<long>(bytes) ? 0 : -EFAULT;
}

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
