// SPDX-License-Identifier: Apache-2.0
//
// Hooks of NVTX: the entries by which the shim becomes NVTX's tool, and the functions of
// libnvToolsExt.so. The latter serve programs that call the library while it has another tool or
// can have none.
//
// The library is called first. At its first call it may attach the shim as its tool; its function
// then reports this same call through nvtx_calls.h. The program receives the library's result,
// unless that is empty and a range or a name needs an identifier.
#include "preload/nvtx/nvtx_calls.h"

#include <stdlib.h>

#include <type_traits>

#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"
#include "preload/nvtx/nvtx_injection.h"
#include "preload/nvtx/nvtx_names.h"
#include "preload/nvtx/nvtx_text.h"

using namespace memtrace::preload;
using namespace memtrace::preload::nvtx;

namespace {

// Identifiers that the shim gave out in place of the library's mean nothing to the library.
Domain* to_pass(Domain* domain) { return names.is_own(domain) ? nullptr : domain; }
RangeId to_pass(RangeId range) { return is_own_range(range) ? 0 : range; }
template <class Other>
const Other* to_pass(const Other* other) {
    return other;
}

// Records the name of a handle or number that another tool gave out.
template <class Said>
void remember(Domain* theirs, Said said) {
    names.remember(theirs, Message(said).view());
}
template <class Said>
void remember(String* theirs, Domain*, Said said) {
    names.remember(theirs, Message(said).view());
}

Attributes event_of(const char* message) {
    Attributes event{};
    event.size = sizeof event;
    event.message_type = MessageType::ascii;
    event.message.ascii = message;
    return event;
}
Attributes event_of(const wchar_t* message) {
    Attributes event{};
    event.size = sizeof event;
    event.message_type = MessageType::wide;
    event.message.wide = message;
    return event;
}
void remember(RangeId theirs, const Attributes* event) { record_start(theirs, nullptr, event); }
void remember(RangeId theirs, Domain* domain, const Attributes* event) {
    record_start(theirs, domain, event);
}
template <class Character>
void remember(RangeId theirs, const Character* message) {
    const Attributes event = event_of(message);
    record_start(theirs, nullptr, &event);
}

template <class Result, class... Arguments>
Result passed_on(NextDefinition& next, const void* caller, Result (*tell)(Arguments...),
                 Arguments... arguments) {
    auto* const real = reinterpret_cast<Result (*)(Arguments...)>(next.find(caller));
    if (real == nullptr) return tell(arguments...);
    if constexpr (std::is_void_v<Result>) {
        if (is_attached(reinterpret_cast<void*>(real))) return real(arguments...);
        real(to_pass(arguments)...);
        if (!is_attached(reinterpret_cast<void*>(real))) tell(arguments...);
    } else {
        if (is_attached(reinterpret_cast<void*>(real))) return real(arguments...);
        const Result theirs = real(to_pass(arguments)...);
        if (is_attached(reinterpret_cast<void*>(real))) return theirs;
        if constexpr (std::is_same_v<Result, int>) {
            tell(arguments...);
            return theirs;
        } else {
            if (theirs == Result{}) return tell(arguments...);
            remember(theirs, arguments...);
            return theirs;
        }
    }
}

}  // namespace

#define MEMTRACE_NVTX_ARGUMENTS(...) __VA_OPT__(, ) __VA_ARGS__
#define MEMTRACE_NVTX(module, id, name, result, parameters, arguments)    \
    MEMTRACE_EXPORT result nvtx##name parameters {                        \
        static constinit NextDefinition next("nvtx" #name);               \
        return passed_on(next, __builtin_return_address(0),               \
                         &told_##name MEMTRACE_NVTX_ARGUMENTS arguments); \
    }
#include "preload/nvtx/nvtx_functions.def"

// Called by a copy of NVTX that read the variable below. 0 means that this library is of no use to
// it.
MEMTRACE_EXPORT int InitializeInjectionNvtx2(ExportTable tables) { return attach(tables); }

// The same entry for libnvToolsExt.so, the library from before NVTX was all in its header.
MEMTRACE_EXPORT int InitializeInjectionNvtx(ExportTable tables) { return attach(tables); }

MEMTRACE_EXPORT char* getenv(const char* name) noexcept {
    char* const value = (*real_functions().getenv)(name);
    return is_about_nvtx(name) ? injection_path(name, value) : value;
}
