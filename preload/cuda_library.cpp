// SPDX-License-Identifier: Apache-2.0
#include "preload/cuda_library.h"

#include <dlfcn.h>
#include <link.h>

#include "preload/dynamic_symbols.h"
#include "preload/thread.h"

// Where the stubs of hooks_dlsym.cpp jump to.
extern "C" {
__attribute__((visibility("hidden"))) void* real_dlsym_address = nullptr;
__attribute__((visibility("hidden"))) void* real_dlvsym_address = nullptr;
}

namespace memtrace::preload::cuda {

Questions questions;

namespace {

void* entries[entries_count];
std::atomic<void*> driver{nullptr};

struct Search {
    const char* name;
    uint64_t    own;
    bool        is_behind_us = false;
    void*       found = nullptr;
};

bool contains(const dl_phdr_info& object, uint64_t address) {
    for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        if (part.p_type == PT_LOAD && address - object.dlpi_addr - part.p_vaddr < part.p_memsz) {
            return true;
        }
    }
    return false;
}

// Objects come in the order in which they are searched, as far as the preloaded ones and libc go.
int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    if (!search.is_behind_us) {
        search.is_behind_us = contains(*object, search.own);
        return 0;
    }
    search.found = DynamicSymbols(*object).find(search.name);
    return search.found != nullptr;
}

void* find_behind_us(const char* name, void** address) {
    if (void* known = __atomic_load_n(address, __ATOMIC_ACQUIRE)) return known;
    Search search{name, reinterpret_cast<uint64_t>(&find_behind_us)};
    dl_iterate_phdr(look_at_object, &search);
    __atomic_store_n(address, search.found, __ATOMIC_RELEASE);
    return search.found;
}

template <class Function>
void set(Function& function, void* found) {
    __atomic_store_n(reinterpret_cast<void**>(&function), found, __ATOMIC_RELAXED);
}

}  // namespace

LookUp real_dlsym() {
    return reinterpret_cast<LookUp>(find_behind_us("dlsym", &real_dlsym_address));
}

LookUpVersion real_dlvsym() {
    return reinterpret_cast<LookUpVersion>(find_behind_us("dlvsym", &real_dlvsym_address));
}

bool find_driver() {
    if (driver.load(std::memory_order_acquire) != nullptr) return true;
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
    const InLibrary guard;
    const bool exports = real_dlsym()(driver.load(std::memory_order_acquire), name) != nullptr;
    if (!exports) dlerror();
    return exports;
}

}  // namespace memtrace::preload::cuda
