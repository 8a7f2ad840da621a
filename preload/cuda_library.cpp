// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda_library.h"

#include <dlfcn.h>
#include <link.h>

#include <string_view>

#include "preload/look_up.h"
#include "preload/thread.h"

namespace memtrace::preload::cuda {

Questions questions;

namespace {

void* entries[entries_count];
std::atomic<void*> driver{nullptr};

template <class Function>
void set(Function& function, void* found) {
    __atomic_store_n(reinterpret_cast<void**>(&function), found, __ATOMIC_RELAXED);
}

// The loader drops its last error message, which is a block of the program, and is to drop it in
// the program's name: the first call hands it out, the second frees it.
void drop_last_error() {
    dlerror();
    dlerror();
}

int look_for_driver(dl_phdr_info* object, size_t, void*) {
    constexpr std::string_view wanted = "libcuda.so";
    const std::string_view path = object->dlpi_name;
    return path.substr(path.rfind('/') + 1).substr(0, wanted.size()) == wanted;
}

}  // namespace

bool driver_is_loaded() { return dl_iterate_phdr(look_for_driver, nullptr) != 0; }

bool find_driver() {
    if (driver.load(std::memory_order_acquire) != nullptr) return true;
    // Asked first, so that dlopen() does not fail, which leaves an error message behind.
    if (!driver_is_loaded()) return false;
    drop_last_error();
    const InLibrary guard;  // The loader may call malloc.
    void* const handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    const LookUp look_up = real_dlsym();
    if (handle == nullptr || look_up == nullptr) {
        dlerror();  // Must not be the program's next error.
        return false;
    }
    for (unsigned i = 0; i < entries_count; ++i) {
        void* const found = look_up(handle, spelling_of(static_cast<Entry>(i)).data());
        __atomic_store_n(&entries[i], found, __ATOMIC_RELAXED);
    }
#define MEMTRACE_CUDA_QUESTION(name, parameters) set(questions.name, look_up(handle, #name));
#include "preload/cuda_entries.def"
    dlerror();
    driver.store(handle, std::memory_order_release);
    return true;
}

void* real_entry(Entry entry) {
    void** const place = &entries[static_cast<unsigned>(entry)];
    void* found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if (found == nullptr && find_driver()) found = __atomic_load_n(place, __ATOMIC_RELAXED);
    return found;
}

void set_real_entry(Entry entry, void* function) {
    __atomic_store_n(&entries[static_cast<unsigned>(entry)], function, __ATOMIC_RELAXED);
}

bool driver_exports(const char* name) {
    if (!find_driver()) return false;
    drop_last_error();
    const InLibrary guard;
    const bool exports = real_dlsym()(driver.load(std::memory_order_acquire), name) != nullptr;
    if (!exports) dlerror();
    return exports;
}

}  // namespace memtrace::preload::cuda
