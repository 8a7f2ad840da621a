// SPDX-License-Identifier: Apache-2.0
//
// The interface of LeakSanitizer (sanitizer/lsan_interface.h), which many programs already call.
// Its functions mean the same here, except that no search ever ends the program. Where a
// sanitizer's
// runtime is there as well, calls go on to it.
#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"
#include "preload/lost/lost_objects.h"
#include "preload/session/lost_calls.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

uint64_t number_of(const void* address) { return reinterpret_cast<uint64_t>(address); }

// Calls the next function of that name, if there is one.
template <class Result, class... Arguments>
Result pass_on(NextDefinition& next, const void* caller, Arguments... arguments) {
    using Function = Result (*)(Arguments...);
    const auto function = reinterpret_cast<Function>(next.find(caller));
    if (function != nullptr) return function(arguments...);
    return Result();
}

}  // namespace

#define MEMTRACE_CALLER __builtin_return_address(0)

MEMTRACE_EXPORT void __lsan_do_leak_check() {
    static NextDefinition next("__lsan_do_leak_check");
    check_lost();
    pass_on<void>(next, MEMTRACE_CALLER);
}

MEMTRACE_EXPORT int __lsan_do_recoverable_leak_check() {
    static NextDefinition next("__lsan_do_recoverable_leak_check");
    const bool has_lost = check_lost();
    return pass_on<int>(next, MEMTRACE_CALLER) != 0 || has_lost ? 1 : 0;
}

MEMTRACE_EXPORT void __lsan_ignore_object(const void* object) {
    static NextDefinition next("__lsan_ignore_object");
    ignore_lost_object(number_of(object));
    pass_on<void>(next, MEMTRACE_CALLER, object);
}

MEMTRACE_EXPORT void __lsan_disable() {
    static NextDefinition next("__lsan_disable");
    change_lost_scope(1);
    pass_on<void>(next, MEMTRACE_CALLER);
}

MEMTRACE_EXPORT void __lsan_enable() {
    static NextDefinition next("__lsan_enable");
    change_lost_scope(-1);
    pass_on<void>(next, MEMTRACE_CALLER);
}

MEMTRACE_EXPORT void __lsan_register_root_region(const void* begin, size_t bytes) {
    static NextDefinition next("__lsan_register_root_region");
    add_lost_root(number_of(begin), bytes);
    pass_on<void>(next, MEMTRACE_CALLER, begin, bytes);
}

MEMTRACE_EXPORT void __lsan_unregister_root_region(const void* begin, size_t bytes) {
    static NextDefinition next("__lsan_unregister_root_region");
    remove_lost_root(number_of(begin), bytes);
    pass_on<void>(next, MEMTRACE_CALLER, begin, bytes);
}
