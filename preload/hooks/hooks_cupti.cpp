// SPDX-License-Identifier: Apache-2.0
//
// Hooks of the functions by which other tools start using CUPTI: torch.profiler, and profilers that
// are loaded into the process. CUPTI becomes theirs, as if the shim had never used it.
//
// Also InitializeInjection(). The driver calls it from cuInit(), in the library named by the
// variable CUDA_INJECTION64_PATH. The shim never sets that variable.
#include "preload/hooks/hooks_cupti.h"

#include <cstring>

#include "preload/base/fixed_text.h"
#include "preload/cuda/cupti_library.h"
#include "preload/cuda/cupti_subscription.h"
#include "preload/gpu/cupti_callbacks.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"

namespace memtrace::preload::cupti {
namespace {

// Gives CUPTI to the caller of this function. The hooks write first, so that they see what comes
// before CUPTI's callbacks end.
void hand_over(const char* function) {
    if (!give_way()) return;
    FixedText<300> text("CUPTI was given to whoever called ");
    text << function << "()";
    if (const uint64_t under_way = calls_under_way()) {
        text << "; what " << under_way << " calls give that were under way may be missing";
    }
    text << '.';
    cupti_was_given_away(text.view());
    unsubscribe();
}

// `next` is the definition that the caller would have reached without the shim.
template <class Function, class... Arguments>
Result forwarded(NextDefinition& next, const char* name, const void* caller,
                 Arguments... arguments) {
    void* const found = next.find(caller);
    if (found == nullptr) return not_initialized;
    hand_over(name);
    return reinterpret_cast<Function*>(found)(arguments...);
}

}  // namespace
}  // namespace memtrace::preload::cupti

using namespace memtrace::preload;
using namespace memtrace::preload::cupti;

#define MEMTRACE_CUPTI_ARGUMENTS(...) __VA_OPT__(, ) __VA_ARGS__
#define MEMTRACE_CUPTI_DOOR(name, parameters, arguments)                                  \
    MEMTRACE_EXPORT cupti::Result name parameters {                                       \
        static constinit NextDefinition next(#name);                                      \
        return forwarded<decltype(name)>(                                                 \
            next, #name, __builtin_return_address(0) MEMTRACE_CUPTI_ARGUMENTS arguments); \
    }
#include "preload/cuda/cupti_functions.def"

MEMTRACE_EXPORT int InitializeInjection() {
    driver_is_initialised(on_callback);
    return 1;
}

namespace memtrace::preload::cupti {

void* hook_named(const char* name) {
#define MEMTRACE_CUPTI_DOOR(door, parameters, arguments) \
    if (std::strcmp(name, #door) == 0) return reinterpret_cast<void*>(&door);
#include "preload/cuda/cupti_functions.def"
    return nullptr;
}

}  // namespace memtrace::preload::cupti
