// SPDX-License-Identifier: Apache-2.0
//
// Hooks of the functions that end, replace or copy the process. They change nothing and only record
// the call. A process that dies without calling them (by a signal) loses nothing either.
#include <alloca.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/base/recording_state.h"
#include "preload/hooks/hook_support.h"
#include "preload/session/forked_children.h"
#include "preload/session/session.h"
#include "preload/writer/dump_file.h"

using namespace memtrace;
using namespace memtrace::preload;

MEMTRACE_EXPORT pid_t fork() {
    const bool are_left_out = count_fork();
    const pid_t child = real_functions().fork();
    if (child > 0 && are_left_out) note_children_left_out();
    if (child > 0 && recording() == Recording::on) record_fork(child);
    if (child > 0 && recording() == Recording::asleep) dump_file::count_child();
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

// Calls call(array) with the arguments of a list that a null pointer ends, `first` included.
// `list` is behind that pointer then; `again` is a copy of it. The array lies on the stack, as
// libc's own does, because a child of vfork() may get here.
template <class Call>
int replace_by_list(const char* first, va_list& list, va_list& again, Call&& call) {
    size_t count = 0;
    for (const char* next = first; next != nullptr; next = va_arg(again, const char*)) ++count;
    const auto arguments = static_cast<char**>(alloca((count + 1) * sizeof(char*)));
    size_t i = 0;
    for (const char* next = first; next != nullptr; next = va_arg(list, const char*)) {
        arguments[i++] = const_cast<char*>(next);
    }
    arguments[i] = nullptr;
    return replace_program([&] { return call(arguments); });
}

}  // namespace

// libc's own functions with a list of arguments do not pass the hooks of those with an array.
MEMTRACE_EXPORT int execl(const char* path, const char* first, ...) {
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    const int result = replace_by_list(first, list, again, [&](char* const* arguments) {
        return real_functions().execv(path, arguments);
    });
    va_end(again);
    va_end(list);
    return result;
}

MEMTRACE_EXPORT int execlp(const char* file, const char* first, ...) {
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    const int result = replace_by_list(first, list, again, [&](char* const* arguments) {
        return real_functions().execvp(file, arguments);
    });
    va_end(again);
    va_end(list);
    return result;
}

MEMTRACE_EXPORT int execle(const char* path, const char* first, ...) {
    va_list list, again;
    va_start(list, first);
    va_copy(again, list);
    const int result = replace_by_list(first, list, again, [&](char* const* arguments) {
        char* const* const environment = va_arg(list, char* const*);
        return real_functions().execve(path, arguments, environment);
    });
    va_end(again);
    va_end(list);
    return result;
}

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
