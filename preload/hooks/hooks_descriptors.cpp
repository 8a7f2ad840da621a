// SPDX-License-Identifier: Apache-2.0
//
// Hooks of the functions that close a descriptor or put another file under its number. The program
// never opened the dump's descriptor, so for the program it does not exist: it cannot be closed,
// and if the program wants its number, the dump gets another one.
#include <errno.h>
#include <unistd.h>

#include "preload/hooks/hook_support.h"
#include "preload/session/session.h"
#include "preload/writer/dump_file.h"

using namespace memtrace::preload;

namespace {

int no_such_descriptor() {
    errno = EBADF;
    return -1;
}

// Puts the dump's descriptor elsewhere if the program wants this number. A child of vfork() has a
// table of descriptors of its own.
void make_way(int number) {
    if (number == dump_file::descriptor() && !is_borrowed_memory()) dump_file::leave_descriptor();
}

int close_unless_own(int fd) {
    if (fd >= 0 && fd == dump_file::descriptor()) [[unlikely]]
        return no_such_descriptor();
    return real_functions().close(fd);
}

int put_under(int from, int to) {
    const int own = dump_file::descriptor();
    if (own >= 0 && from == own) return no_such_descriptor();
    if (own >= 0) make_way(to);
    return real_functions().dup2(from, to);
}

// Calls close_some(first, last) for the parts of a range of descriptors that leave the dump's out.
template <class Close>
int around_the_dump(unsigned first, unsigned last, Close&& close_some) {
    const int own = dump_file::descriptor();
    const auto hole = static_cast<unsigned>(own);
    if (own < 0 || hole < first || hole > last) return close_some(first, last);
    if (hole > first && close_some(first, hole - 1) != 0) return -1;
    return hole < last ? close_some(hole + 1, last) : 0;
}

}  // namespace

MEMTRACE_EXPORT int close(int fd) { return close_unless_own(fd); }
MEMTRACE_EXPORT int __close(int fd) { return close_unless_own(fd); }  // libc's other name

MEMTRACE_EXPORT int dup2(int from, int to) { return put_under(from, to); }
MEMTRACE_EXPORT int __dup2(int from, int to) { return put_under(from, to); }

MEMTRACE_EXPORT int dup3(int from, int to, int flags) {
    const int own = dump_file::descriptor();
    if (own >= 0 && from == own) return no_such_descriptor();
    if (own >= 0) make_way(to);
    return real_functions().dup3(from, to, flags);
}

MEMTRACE_EXPORT int close_range(unsigned first, unsigned last, int flags) {
    return around_the_dump(first, last, [&](unsigned from, unsigned to) {
        return real_functions().close_range(from, to, flags);
    });
}

MEMTRACE_EXPORT void closefrom(int low) {
    const int own = dump_file::descriptor();
    const unsigned first = low < 0 ? 0 : static_cast<unsigned>(low);
    if (own < 0 || static_cast<unsigned>(own) < first) {
        real_functions().closefrom(low);
        return;
    }
    const int errno_before = errno;
    const int result = around_the_dump(first, ~0u, [](unsigned from, unsigned to) {
        return real_functions().close_range(from, to, 0);
    });
    // Without close_range(2), libc goes through the list of descriptors. The dump is opened again.
    if (result != 0) real_functions().closefrom(low);
    errno = errno_before;
}
