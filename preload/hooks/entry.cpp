// SPDX-License-Identifier: Apache-2.0
//
// The constructor. The shim is linked with -z initfirst, so this constructor runs before those of
// all other libraries, and their allocations have stacks. libc has not set `environ` at that time.
// Our dlopen would hand the empty variable to libc's own start, so the constructor sets it to the
// value that libc would set.
//
// The exit handler registered here runs after all destructors. ld.so registers its own handler,
// which runs the destructors, later than the shim does, and handlers run in reverse order.
//
// When main() returns, libc calls its own exit(), which no hook sees. exit() first runs the
// thread's destructors, before exit handlers and static destructors. So the constructor registers
// one more destructor for the main thread. Destructors that the program itself registered run
// before it.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/base/thread_state.h"
#include "preload/hooks/hook_support.h"
#include "preload/objects/python_objects.h"
#include "preload/python/python_invalidation.h"
#include "preload/recording/thread_lane.h"
#include "preload/session/coverage.h"
#include "preload/session/session.h"

// Part of libc. C++ calls it to register the destructor of a thread-local variable.
extern "C" int __cxa_thread_atexit_impl(void (*call)(void*), void* argument, void* library);
extern "C" void* __dso_handle;

namespace memtrace::preload {
namespace {

bool was_after_main;  // in a child that shares this process's memory

void after_main(void*);

void call_after_main() { __cxa_thread_atexit_impl(after_main, nullptr, &__dso_handle); }

void after_main(void*) {
    was_after_main = is_borrowed_memory();
    end_work();
}

void at_exit(int status, void*);

// A child of vfork() that calls exit() runs its parent's handlers, and takes them away: they are in
// the memory that both share. So the shim's are registered again. libc would call a handler that is
// registered now at once, so the child ends here, where exit() would end it.
void give_back_handlers(int status) {
    {
        const LibraryScope guard;
        on_exit(at_exit, nullptr);
        if (was_after_main) call_after_main();
    }
    was_after_main = false;
    fflush(nullptr);
    real_functions()._exit(status);
}

void at_exit(int status, void*) {
    if (has_recording() && is_borrowed_memory()) give_back_handlers(status);
    finish_recording(EndKind::exit, status);
}

__attribute__((constructor)) void start(int, char**, char** environment) {
    if (environ == nullptr) environ = environment;
    find_real_functions();
    start_recording();
    if (recording() != Recording::on && recording() != Recording::asleep) return;
    ThreadLane::prepare_thread_ends();
    note_coverage();
    start_python_objects();
    if (options.python) start_python(nullptr);
    const LibraryScope guard;
    on_exit(at_exit, nullptr);
    call_after_main();
}

}  // namespace
}  // namespace memtrace::preload
