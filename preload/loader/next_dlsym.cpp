// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/next_dlsym.h"

#include <dlfcn.h>
#include <link.h>

#include "preload/loader/dynamic_symbols.h"

// Jump targets of the stubs in hooks_dlsym.cpp.
extern "C" {
__attribute__((visibility("hidden"))) void* real_dlsym_address = nullptr;
__attribute__((visibility("hidden"))) void* real_dlvsym_address = nullptr;
}

namespace memtrace::preload {
namespace {

struct Search {
    const char* name;
    bool is_behind_us = false;
    void* found = nullptr;
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

uint64_t own_code();

// Objects come in search order, at least the preloaded objects and libc.
int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    if (!search.is_behind_us) {
        search.is_behind_us = contains(*object, own_code());
        return 0;
    }
    search.found = DynamicSymbols(*object).find(search.name);
    return search.found != nullptr;
}

void* find_once(const char* name, void** address) {
    if (void* known = __atomic_load_n(address, __ATOMIC_ACQUIRE)) return known;
    void* const found = find_behind_us(name);
    __atomic_store_n(address, found, __ATOMIC_RELEASE);
    return found;
}

uint64_t own_code() { return reinterpret_cast<uint64_t>(&find_once); }

struct StampOrder {
    uint64_t code;
    bool is_in_front = false;
};

int look_who_comes_first(dl_phdr_info* object, size_t, void* context) {
    auto& order = *static_cast<StampOrder*>(context);
    if (contains(*object, own_code())) return 1;
    order.is_in_front = contains(*object, order.code);
    return order.is_in_front;
}

}  // namespace

void* find_behind_us(const char* name) {
    Search search{name};
    dl_iterate_phdr(look_at_object, &search);
    return search.found;
}

DlsymFunction real_dlsym() {
    return reinterpret_cast<DlsymFunction>(find_once("dlsym", &real_dlsym_address));
}

DlvsymFunction real_dlvsym() {
    return reinterpret_cast<DlvsymFunction>(find_once("dlvsym", &real_dlvsym_address));
}

bool is_own_code(const void* code) {
    dl_find_object own;
    dl_find_object other;
    return _dl_find_object(reinterpret_cast<void*>(own_code()), &own) == 0 &&
           _dl_find_object(const_cast<void*>(code), &other) == 0 &&
           own.dlfo_link_map == other.dlfo_link_map;
}

bool is_in_front_of_us(const void* code) {
    StampOrder order{reinterpret_cast<uint64_t>(code)};
    dl_iterate_phdr(look_who_comes_first, &order);
    return order.is_in_front;
}

}  // namespace memtrace::preload
