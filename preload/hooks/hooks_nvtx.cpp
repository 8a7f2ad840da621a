// SPDX-License-Identifier: Apache-2.0
//
// NVTX: the doors by which we become its tool, and the functions of libnvToolsExt.so for programs
// that call it and whose library has another tool, or can have none.
//
// The library is asked first: at its first call it may take us as its tool, and then its function
// tells us of this very call (nvtx_calls.h). What it answers is what the program gets, except where
// it answers nothing and a range or a name needs something to be known by.
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

// What we gave out where the library had nothing means nothing to it.
Domain* to_pass(Domain* domain) { return names.is_own(domain) ? nullptr : domain; }
RangeId to_pass(RangeId range) { return is_own_range(range) ? 0 : range; }
template <class Other>
const Other* to_pass(const Other* other) {
    return other;
}

// A handle or number of another tool's, by which it will be known.
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

// Called by a copy of NVTX that asked for the variable below; 0: this library is of no use.
MEMTRACE_EXPORT int InitializeInjectionNvtx2(ExportTable tables) { return attach(tables); }

// The same in libnvToolsExt.so of before the header had it all.
MEMTRACE_EXPORT int InitializeInjectionNvtx(ExportTable tables) { return attach(tables); }

MEMTRACE_EXPORT char* getenv(const char* name) noexcept {
    char* const value = (*real_functions().getenv)(name);
    return is_about_nvtx(name) ? injection_path(name, value) : value;
}
