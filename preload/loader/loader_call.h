// SPDX-License-Identifier: Apache-2.0
//
// The shim's own calls of the loader (dlopen, dlsym) in the midst of a call of the program. Such a
// call frees the loader's last error message of this thread, which is a block of the program, and
// may leave a message of its own.
#pragma once

#include <dlfcn.h>

#include "preload/base/thread_state.h"

namespace memtrace::preload {

// The first call returns the message, the second frees it. Outside of a LibraryScope, it is freed
// on the program's behalf.
inline void drop_loader_message() {
    if (dlerror() != nullptr) dlerror();
}

// Calls of the loader during its lifetime are the shim's. The program's message is freed on the
// program's behalf before, and no message of ours is the program's next error. What the loader
// allocates in between is ours, also where it is the text of a message.
class LoaderCall {
public:
    LoaderCall() = default;
    ~LoaderCall() { drop_loader_message(); }
    LoaderCall(const LoaderCall&) = delete;
    LoaderCall& operator=(const LoaderCall&) = delete;

private:
    struct Dropped {
        Dropped() { drop_loader_message(); }
    };

    Dropped before_;
    LibraryScope scope_;  // Ends last, after the destructor has dropped our message.
};

}  // namespace memtrace::preload
