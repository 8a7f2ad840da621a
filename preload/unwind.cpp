// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind.h"

#include <dlfcn.h>
#include <time.h>

#include <atomic>

#include "preload/clock.h"
#include "preload/lane.h"
#include "preload/sys.h"
#include "preload/text.h"
#include "preload/thread.h"

namespace memtrace::preload {
namespace {

using Backtrace = int (*)(void** buffer, int size);
Backtrace backtrace_function;
bool looked_in_vain;

std::atomic<uint32_t> forks_running;  // While it is not 0, threads keep out of libunwind.
// Set by the forking thread; the child, a copy, finds it.
int  quiet_fork_of = 0;  // pid of the parent whose fork had nobody inside
constexpr uint64_t fork_patience_ns = 20'000'000;

void* open_library(const char* name) {
    // Beside the shim first: a folder that holds both can be carried to any machine.
    Dl_info self;
    if (dladdr(reinterpret_cast<void*>(&open_unwinder), &self) != 0 && self.dli_fname != nullptr) {
        const std::string_view path = self.dli_fname;
        const size_t slash = path.rfind('/');
        if (slash != std::string_view::npos) {
            Path beside(path.substr(0, slash + 1));
            beside << name;
            if (void* library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
        }
    }
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

struct CodeRange {
    uint64_t begin = 0;
    uint64_t end = 0;
    bool holds(uint64_t address) const { return address >= begin && address < end; }
};
CodeRange unwinder_code;
CodeRange loader_code;

CodeRange module_of(const void* address) {
    dl_find_object found;
    if (_dl_find_object(const_cast<void*>(address), &found) != 0) return {};
    return {reinterpret_cast<uint64_t>(found.dlfo_map_start),
            reinterpret_cast<uint64_t>(found.dlfo_map_end)};
}

bool somebody_is_inside() {
    bool found = false;
    Lane::for_each([&](Lane& lane) {
        found = found || lane.stacks().in_unwinder.load(std::memory_order_seq_cst);
    });
    return found;
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
    // The first call builds libunwind's tables and allocates for them; better now than in the
    // program's first malloc.
    unwinder_code = module_of(reinterpret_cast<const void*>(found));
    loader_code = module_of(dlsym(RTLD_DEFAULT, "__tls_get_addr"));
    void* frames[16];
    looked_in_vain = found(frames, 16) < 2;
    if (looked_in_vain) return false;
    __atomic_store_n(&backtrace_function, found, __ATOMIC_RELEASE);
    return true;
}

bool unwinder_is_ready() {
    return __atomic_load_n(&backtrace_function, __ATOMIC_ACQUIRE) != nullptr;
}

bool unwinder_is_missing() { return looked_in_vain; }

bool is_unwinder_code(uint64_t address) {
    return unwinder_code.holds(address) || loader_code.holds(address);
}

void prepare_unwinder_for_fork() {
    if (!unwinder_is_ready()) return;
    forks_running.fetch_add(1, std::memory_order_seq_cst);
    const uint64_t start = clock_ns(CLOCK_MONOTONIC);
    while (somebody_is_inside() && clock_ns(CLOCK_MONOTONIC) - start < fork_patience_ns) {
        sys::call(SYS_sched_yield);
    }
    quiet_fork_of = somebody_is_inside() ? 0 : sys::pid();
}

void finish_unwinder_after_fork(bool is_child) {
    if (is_child) forks_running.store(0);
    else if (forks_running.load(std::memory_order_relaxed) != 0) forks_running.fetch_sub(1);
}

void check_unwinder_in_child() {
    const bool quiet = quiet_fork_of != 0 && quiet_fork_of == sys::parent_pid();
    quiet_fork_of = 0;
    forks_running.store(0);
    if (!quiet) __atomic_store_n(&backtrace_function, nullptr, __ATOMIC_RELEASE);
}

uint32_t unwind(uint64_t* out, uint32_t max, std::atomic<bool>& inside) {
    const Backtrace backtrace = __atomic_load_n(&backtrace_function, __ATOMIC_ACQUIRE);
    if (backtrace == nullptr) return 0;
    // Announce first, then look: a fork that does not see us is seen by us.
    inside.store(true, std::memory_order_seq_cst);
    uint32_t length = 0;
    if (forks_running.load(std::memory_order_seq_cst) == 0) {
        const InLibrary guard(Inside::unwinder);
        const int frames = backtrace(reinterpret_cast<void**>(out), static_cast<int>(max));
        length = frames > 0 ? static_cast<uint32_t>(frames) : 0;
    }
    inside.store(false, std::memory_order_release);
    return length;
}

}  // namespace memtrace::preload
