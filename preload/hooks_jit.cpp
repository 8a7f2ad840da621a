// SPDX-License-Identifier: Apache-2.0
//
// __register_frame and its relatives: how compilers at run time tell the C++ runtime about the
// frames of their code. We listen, and pass it on.
//
//   * To whom: to what the call would have reached without us. That may be a libgcc that only the
//     caller can see, so it is looked for in the global scope, then in the caller's, then among
//     all loaded libraries. It is looked for at each call: what was found may be unloaded later.
//   * Where there is none, nothing is passed on, and nothing is loaded for it: without us the name
//     would have led nowhere, as in old start-up code, which asks for it by a weak reference. What
//     was not passed on when it came is not passed on when it goes: libgcc aborts at a stranger.
//   * libgcc's functions call each other by name and so come here again: what is there already is
//     not added twice.
//   * The passing on is the last thing, and a jump: no frame of ours is in the stacks of what
//     libgcc allocates then.
#include <dlfcn.h>

#include "preload/hooks.h"
#include "preload/registered_frames.h"
#include "preload/rule_table.h"
#include "preload/stack_table.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Where it was found the last time: asking in vain makes the loader write an error message.
enum class Place : unsigned { global, of_caller, libgcc, count };
std::atomic<Place> last_place{Place::global};

void* find_in_library(const char* library, const char* name) {
    void* const handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) return nullptr;
    void* const found = dlsym(handle, name);
    real_functions().dlclose(handle);
    return found;
}

void* find_in_place(Place place, const char* name, void* caller) {
    switch (place) {
        case Place::global: return dlsym(RTLD_NEXT, name);
        case Place::libgcc: return find_in_library("libgcc_s.so.1", name);
        default: break;
    }
    dl_find_object object;
    if (_dl_find_object(caller, &object) != 0) return nullptr;
    const char* const library = object.dlfo_link_map->l_name;
    return library == nullptr || *library == 0 ? nullptr : find_in_library(library, name);
}

// `own`: the hook, which is not to call itself.
template <class Function>
Function* find_real(const char* name, Function* own, void* caller) {
    const InLibrary guard;  // dlopen and dlsym may call malloc.
    const Place first = last_place.load(std::memory_order_relaxed);
    constexpr auto count = static_cast<unsigned>(Place::count);
    for (unsigned i = 0; i <= count; ++i) {
        const Place place = i == 0 ? first : static_cast<Place>(i - 1);
        if (i != 0 && place == first) continue;
        auto* const found = reinterpret_cast<Function*>(find_in_place(place, name, caller));
        if (found == nullptr || found == own) continue;
        if (place != first) {
            last_place.store(place, std::memory_order_relaxed);
            dlerror();  // What was not found must not be the program's next error.
        }
        return found;
    }
    dlerror();
    return nullptr;
}

#define MEMTRACE_FIND_REAL(name) find_real(#name, &name, __builtin_return_address(0))

// libgcc takes an empty section for none.
bool is_empty(const void* begin) {
    return begin == nullptr || *static_cast<const uint32_t*>(begin) == 0;
}

void add_section(const void* begin, bool is_forwarded) {
    if (is_empty(begin) || has_registered_frames(begin)) return;
    add_registered_frames(begin, begin, is_forwarded, forget_nodes);
}

// Pointers to sections, ended by a zero.
void add_sections(const void* begin, bool is_forwarded) {
    if (begin == nullptr || has_registered_frames(begin)) return;
    for (auto* section = static_cast<const void* const*>(begin); *section != nullptr; ++section) {
        add_registered_frames(begin, *section, is_forwarded, forget_nodes);
    }
}

bool remove(const void* begin) {
    return is_empty(begin) || remove_registered_frames(begin, forget_nodes);
}

}  // namespace

MEMTRACE_EXPORT void __register_frame(void* begin) {
    auto* const real = MEMTRACE_FIND_REAL(__register_frame);
    add_section(begin, real != nullptr);
    if (real != nullptr) real(begin);
}

MEMTRACE_EXPORT void __register_frame_info(const void* begin, void* object) {
    auto* const real = MEMTRACE_FIND_REAL(__register_frame_info);
    add_section(begin, real != nullptr);
    if (real != nullptr) real(begin, object);
}

MEMTRACE_EXPORT void __register_frame_info_bases(const void* begin, void* object, void* text,
                                                 void* data) {
    auto* const real = MEMTRACE_FIND_REAL(__register_frame_info_bases);
    add_section(begin, real != nullptr);
    if (real != nullptr) real(begin, object, text, data);
}

MEMTRACE_EXPORT void __register_frame_table(void* begin) {
    auto* const real = MEMTRACE_FIND_REAL(__register_frame_table);
    add_sections(begin, real != nullptr);
    if (real != nullptr) real(begin);
}

MEMTRACE_EXPORT void __register_frame_info_table(void* begin, void* object) {
    auto* const real = MEMTRACE_FIND_REAL(__register_frame_info_table);
    add_sections(begin, real != nullptr);
    if (real != nullptr) real(begin, object);
}

MEMTRACE_EXPORT void __register_frame_info_table_bases(void* begin, void* object, void* text,
                                                       void* data) {
    auto* const real = MEMTRACE_FIND_REAL(__register_frame_info_table_bases);
    add_sections(begin, real != nullptr);
    if (real != nullptr) real(begin, object, text, data);
}

MEMTRACE_EXPORT void __deregister_frame(void* begin) {
    const bool is_forwarded = remove(begin);
    auto* const real = MEMTRACE_FIND_REAL(__deregister_frame);
    if (is_forwarded && real != nullptr) real(begin);
}

MEMTRACE_EXPORT void* __deregister_frame_info(const void* begin) {
    const bool is_forwarded = remove(begin);
    auto* const real = MEMTRACE_FIND_REAL(__deregister_frame_info);
    return is_forwarded && real != nullptr ? real(begin) : nullptr;
}

MEMTRACE_EXPORT void* __deregister_frame_info_bases(const void* begin) {
    const bool is_forwarded = remove(begin);
    auto* const real = MEMTRACE_FIND_REAL(__deregister_frame_info_bases);
    return is_forwarded && real != nullptr ? real(begin) : nullptr;
}
