// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/real_functions.h"

#include "preload/base/hot_data.h"
#include "preload/base/thread_state.h"
#include "preload/loader/next_dlsym.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA Real real;
MEMTRACE_HOT_DATA bool real_is_ready;

void find_real_functions() {
    const LibraryScope guard;  // dlsym may call malloc. No message of the program is there yet.
    const DlsymFunction look_up = real_dlsym();
#define MEMTRACE_REAL(name, result, ...)                                                 \
    if (void* found = look_up(RTLD_NEXT, #name); found != nullptr) {                     \
        __atomic_store_n(reinterpret_cast<void**>(&real.name), found, __ATOMIC_RELAXED); \
    }
#include "preload/loader/real_functions.def"
    dlerror();  // The error of a missing name must not be the program's next error.
    __atomic_store_n(&real_is_ready, true, __ATOMIC_RELEASE);
}

}  // namespace memtrace::preload
