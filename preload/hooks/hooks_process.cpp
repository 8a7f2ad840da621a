// SPDX-License-Identifier: Apache-2.0
//
// Hooks of the functions that end, replace or copy the process. They change nothing and only record
// the call. A process that dies without calling them (by a signal) loses nothing either.
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/base/recording_state.h"
#include "preload/hooks/hook_support.h"
#include "preload/session/session.h"

using namespace memtrace;
using namespace memtrace::preload;

MEMTRACE_EXPORT pid_t fork() {
    const pid_t child = real_functions().fork();
    if (child > 0 && recording() == Recording::on) record_fork(child);
    return child;
}

// Runs before exit handlers and destructors. entry.cpp detects that main() returned.
MEMTRACE_EXPORT void exit(int status) {
    end_work();
    real_functions().exit(status);
    __builtin_unreachable();
}

MEMTRACE_EXPORT void _exit(int status) {
    finish_recording(EndKind::immediate, status);
    real_functions()._exit(status);
    __builtin_unreachable();
}

MEMTRACE_EXPORT void _Exit(int status) {
    finish_recording(EndKind::immediate, status);
    real_functions()._Exit(status);
    __builtin_unreachable();
}

MEMTRACE_EXPORT void quick_exit(int status) {
    finish_recording(EndKind::immediate, status);
    real_functions().quick_exit(status);
    __builtin_unreachable();
}

namespace {

// Records that the program is being replaced. Takes the record back if the call failed.
template <class Call>
int replace_program(Call&& call) {
    finish_recording(EndKind::exec, 0);
    const int result = call();
    resume_recording();
    return result;
}

}  // namespace

MEMTRACE_EXPORT int execve(const char* path, char* const* arguments, char* const* environment) {
    return replace_program([&] { return real_functions().execve(path, arguments, environment); });
}

MEMTRACE_EXPORT int execv(const char* path, char* const* arguments) {
    return replace_program([&] { return real_functions().execv(path, arguments); });
}

MEMTRACE_EXPORT int execvp(const char* file, char* const* arguments) {
    return replace_program([&] { return real_functions().execvp(file, arguments); });
}

MEMTRACE_EXPORT int execvpe(const char* file, char* const* arguments, char* const* environment) {
    return replace_program([&] { return real_functions().execvpe(file, arguments, environment); });
}

MEMTRACE_EXPORT int fexecve(int fd, char* const* arguments, char* const* environment) {
    return replace_program([&] { return real_functions().fexecve(fd, arguments, environment); });
}

MEMTRACE_EXPORT int execveat(int fd, const char* path, char* const* arguments,
                             char* const* environment, int flags) {
    return replace_program(
        [&] { return real_functions().execveat(fd, path, arguments, environment, flags); });
}
