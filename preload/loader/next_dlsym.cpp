// SPDX-License-Identifier: Apache-2.0
#include "preload/loader/next_dlsym.h"

#include <dlfcn.h>
#include <link.h>

#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/loaded_object.h"

// Jump targets of the stubs in hooks_dlsym.cpp.
extern "C" {
__attribute__((visibility("hidden"))) void* real_dlsym_address = nullptr;
__attribute__((visibility("hidden"))) void* real_dlvsym_address = nullptr;
}

namespace memtrace::preload {
namespace {

uint64_t own_code();

// Returns this library's place in the loader's list of objects. The list is in search order. What
// lies before the shim in it is never unloaded.
const link_map* own_place() {
    dl_find_object own;
    return find_loaded_object(reinterpret_cast<void*>(own_code()), own) ? own.dlfo_link_map
                                                                        : nullptr;
}

struct Search {
    const char* name;
    bool is_behind_us = false;
    void* found = nullptr;
};

// Objects come in search order, at least the preloaded objects and libc.
int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    if (!search.is_behind_us) {
        const link_map* const own = own_place();
        search.is_behind_us = own != nullptr && object->dlpi_addr == own->l_addr;
        return 0;
    }
    search.found = DynamicSymbols(*object).find(search.name);
    return search.found != nullptr;
}

// Does at the start what find_behind_us() does, but without dl_iterate_phdr(): a program that is
// built with a sanitizer has one of its own, which must not be called before the sanitizer starts.
void* find_at_start(const char* name) {
    const link_map* const own = own_place();
    const link_map* next = own == nullptr ? nullptr : own->l_next;
    for (; next != nullptr; next = next->l_next) {
        if (void* const found = DynamicSymbols(*next).find(name)) return found;
    }
    return nullptr;
}

void* find_once(const char* name, void** address) {
    if (void* known = __atomic_load_n(address, __ATOMIC_ACQUIRE)) return known;
    void* const found = find_at_start(name);
    __atomic_store_n(address, found, __ATOMIC_RELEASE);
    return found;
}

uint64_t own_code() { return reinterpret_cast<uint64_t>(&find_once); }

}  // namespace

void* find_behind_us(const char* name) {
    Search search{name};
    dl_iterate_phdr(look_at_object, &search);
    return search.found;
}

const link_map* main_program() {
    const link_map* object = own_place();
    while (object != nullptr && object->l_prev != nullptr) object = object->l_prev;
    return object;
}

bool is_defined_anywhere(const char* name) {
    for (const link_map* object = main_program(); object != nullptr; object = object->l_next) {
        if (DynamicSymbols(*object).find(name) != nullptr) return true;
    }
    return false;
}

bool is_defined_in_front_of_us(const char* name) {
    const link_map* object = own_place();
    while (object != nullptr && (object = object->l_prev) != nullptr) {
        if (DynamicSymbols(*object).find(name) != nullptr) return true;
    }
    return false;
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
    return find_loaded_object(reinterpret_cast<void*>(own_code()), own) &&
           find_loaded_object(code, other) && own.dlfo_link_map == other.dlfo_link_map;
}

bool is_in_front_of_us(const void* code) {
    dl_find_object other;
    const link_map* const own = own_place();
    if (own == nullptr || !find_loaded_object(code, other)) return false;
    for (const link_map* before = own->l_prev; before != nullptr; before = before->l_prev) {
        if (before == other.dlfo_link_map) return true;
    }
    return false;
}

}  // namespace memtrace::preload
