// SPDX-License-Identifier: Apache-2.0
//
// The constructor. The shim is linked with -z initfirst, so this runs before the constructors of
// all other libraries, and their allocations have stacks. libc has not set `environ` by then; our
// dlopen would hand the empty one to libc's own start, so it is set here to what libc would set.
//
// The handler registered here runs at exit after all destructors: ld.so registers its own, which
// runs them, later than we do, and handlers run in reverse order.
//
// When main() returns, libc calls its own exit(), which no hook sees. The first that this does is
// to run what the thread is to run at its end, before exit handlers and static destructors; so the
// main thread has one thing more to run. What the program itself has put there runs before.
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

// Of libc; what C++ calls for a variable of a thread.
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
    if (recording() != Recording::on) return;
    note_coverage();
    start_python_objects();
    if (options.python) start_python(nullptr);
    const LibraryScope guard;
    on_exit(at_exit, nullptr);
    __cxa_thread_atexit_impl(after_main, nullptr, &__dso_handle);
}

}  // namespace
}  // namespace memtrace::preload
