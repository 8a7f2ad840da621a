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
#include <stdlib.h>
#include <unistd.h>

#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/base/thread_state.h"
#include "preload/hooks/hook_support.h"
#include "preload/objects/python_objects.h"
#include "preload/python/python_invalidation.h"
#include "preload/session/coverage.h"
#include "preload/session/session.h"

// Part of libc. C++ calls it to register the destructor of a thread-local variable.
extern "C" int __cxa_thread_atexit_impl(void (*call)(void*), void* argument, void* library);
extern "C" void* __dso_handle;

namespace memtrace::preload {
namespace {

void after_main(void*) { end_work(); }

void at_exit(int status, void*) { finish_recording(EndKind::exit, status); }

__attribute__((constructor)) void start(int, char**, char** environment) {
    if (environ == nullptr) environ = environment;
    find_real_functions();
    start_recording();
    if (recording() != Recording::on && recording() != Recording::asleep) return;
    note_coverage();
    start_python_objects();
    if (options.python) start_python(nullptr);
    const LibraryScope guard;
    on_exit(at_exit, nullptr);
    __cxa_thread_atexit_impl(after_main, nullptr, &__dso_handle);
}

}  // namespace
}  // namespace memtrace::preload
