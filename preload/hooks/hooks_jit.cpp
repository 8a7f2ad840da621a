// SPDX-License-Identifier: Apache-2.0
//
// Hooks of __register_frame and its relatives, by which JIT compilers announce the frames of their
// code to the C++ runtime. The shim records them for itself and passes the call on.
//
//   * The receiver is the function that the call would have reached without the shim. That may be
//     in a libgcc that only the caller can see, so the search covers the global scope first and
//     then all loaded objects. It is repeated at each call, because a library found earlier may be
//     unloaded.
//   * If there is no receiver, nothing is passed on, and no library is loaded for it. Without the
//     shim the name would have led nowhere either, for example in old start-up code with a weak
//     reference. A section that was not passed on when it was registered is not passed on when it
//     is deregistered, because libgcc aborts on an unknown section.
//   * libgcc's functions call each other by name and so reach these hooks again. A section that is
//     already present is not added twice.
//   * The call is passed on last, as a jump. So no frame of the shim is in the stacks of what
//     libgcc allocates then.
#include <dlfcn.h>

#include "preload/hooks/hook_support.h"
#include "preload/loader/dynamic_symbols.h"
#include "preload/loader/loaded_object.h"
#include "preload/loader/loader_call.h"
#include "preload/loader/next_dlsym.h"
#include "preload/unwind/registered_frames.h"
#include "preload/unwind/rule_cache.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Returns the definition that the call would have reached in the global scope.
void* find_in_global_scope(const char* name) {
    const LoaderCall call;
    return real_dlsym()(RTLD_NEXT, name);
}

struct Search {
    const char* name;
    void* own;  // the hook, which must not call itself
    uint64_t caller;
    void* found = nullptr;
};

// Chooses the definition in the caller's own object, or else the first that was loaded.
int look_at_object(dl_phdr_info* object, size_t, void* context) {
    auto& search = *static_cast<Search*>(context);
    void* const found = DynamicSymbols(*object).find(search.name);
    if (found == nullptr || found == search.own) return 0;
    dl_find_object holder;
    const bool is_callers = find_loaded_object(found, holder) &&
                            search.caller - reinterpret_cast<uint64_t>(holder.dlfo_map_start) <
                                static_cast<uint64_t>(static_cast<char*>(holder.dlfo_map_end) -
                                                      static_cast<char*>(holder.dlfo_map_start));
    if (search.found == nullptr || is_callers) search.found = found;
    return is_callers ? 1 : 0;
}

void* find_anywhere(const char* name, void* own, void* caller) {
    Search search{name, own, reinterpret_cast<uint64_t>(caller)};
    dl_iterate_phdr(look_at_object, &search);
    return search.found;
}

// True if the last definition was in the global scope. A failed dlsym is not repeated because each
// failure writes an error message.
std::atomic<bool> is_in_global_scope{true};

template <class Function>
Function* find_real(const char* name, Function* own, void* caller) {
    auto* const hook = reinterpret_cast<void*>(own);
    const bool global_first = is_in_global_scope.load(std::memory_order_relaxed);
    void* found = nullptr;
    if (global_first) found = find_in_global_scope(name);
    if (found == nullptr || found == hook) {
        found = find_anywhere(name, hook, caller);
        if (found != nullptr) is_in_global_scope.store(false, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(found);
}

#define MEMTRACE_FIND_REAL(name) find_real(#name, &name, __builtin_return_address(0))

// libgcc treats an empty section as absent.
bool is_empty(const void* begin) {
    return begin == nullptr || *static_cast<const uint32_t*>(begin) == 0;
}

void add_section(const void* begin, bool is_forwarded) {
    if (is_empty(begin) || has_registered_frames(begin)) return;
    add_registered_frames(begin, begin, is_forwarded, forget_unwind_rules);
}

// `begin` is an array of pointers to sections that ends with a null pointer.
void add_sections(const void* begin, bool is_forwarded) {
    if (begin == nullptr || has_registered_frames(begin)) return;
    for (auto* section = static_cast<const void* const*>(begin); *section != nullptr; ++section) {
        add_registered_frames(begin, *section, is_forwarded, forget_unwind_rules);
    }
}

bool remove(const void* begin) {
    return is_empty(begin) || remove_registered_frames(begin, forget_unwind_rules);
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
