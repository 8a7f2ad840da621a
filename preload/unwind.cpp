// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind.h"

#include <dlfcn.h>

#include "preload/text.h"
#include "preload/thread.h"

namespace memtrace::preload {
namespace {

using Backtrace = int (*)(void** buffer, int size);
Backtrace backtrace_function;
bool looked_in_vain;

void* open_library(const char* name) {
    // Beside the shim first: a folder that holds both can be carried to any machine.
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&open_unwinder), &self) != 0 && self.dli_fname != nullptr) {
        std::string_view path = self.dli_fname;
        const size_t slash = path.rfind('/');
        if (slash != std::string_view::npos) {
            Path beside(path.substr(0, slash + 1));
            beside << name;
            if (void* library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        }
    }
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

bool open_unwinder() {
    const InLibrary guard;
    void* library = open_library("libunwind.so.8");
    const auto found =
        library == nullptr ? nullptr : reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
    dlerror();  // What was not found must not be the program's next error.
    looked_in_vain = found == nullptr;
    if (looked_in_vain) return false;
    // The first call builds libunwind's tables; better now than in the program's first malloc.
    void* frames[16];
    found(frames, 16);
    __atomic_store_n(&backtrace_function, found, __ATOMIC_RELEASE);
    return true;
}

bool unwinder_is_ready() {
    return __atomic_load_n(&backtrace_function, __ATOMIC_ACQUIRE) != nullptr;
}

bool unwinder_is_missing() { return looked_in_vain; }

uint32_t unwind(uint64_t* out, uint32_t max) {
    const Backtrace backtrace = __atomic_load_n(&backtrace_function, __ATOMIC_ACQUIRE);
    if (backtrace == nullptr) return 0;
    const InLibrary guard;
    const int frames = backtrace(reinterpret_cast<void**>(out), static_cast<int>(max));
    return frames > 0 ? static_cast<uint32_t>(frames) : 0;
}

}  // namespace memtrace::preload
