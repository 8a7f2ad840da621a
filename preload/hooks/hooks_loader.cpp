// SPDX-License-Identifier: Apache-2.0
//
// Hook of dlclose. After an unload, other code may come to the same addresses, so everything
// remembered about the unloaded code must go.
#include "preload/base/recording_state.h"
#include "preload/cuda/cuda_library.h"
#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"
#include "preload/nvtx/nvtx_calls.h"
#include "preload/python/python_invalidation.h"
#include "preload/recording/event_scope.h"
#include "preload/session/coverage.h"
#include "preload/stack/code_unload.h"
#include "preload/unwind/unwind_generation.h"

using namespace memtrace;
using namespace memtrace::preload;

MEMTRACE_EXPORT int dlclose(void* library) {
    const bool is_ours = inside_own_code();
    if (!is_ours) {
        if (is_recording()) note_coverage_of(library);
        begin_unload();
        pause_python();
    }
    const int result = real_functions().dlclose(library);
    if (is_ours) return result;
    {
        EventScope event;
        // A process that sleeps remembers what it met before.
        if (event || recording() == Recording::asleep) forget_unloaded_code();
    }
    NextDefinition::forget_all();
    nvtx::forget_attached();
    cuda::forget_what_is_not_held();
    end_unload();
    resume_python();
    return result;
}
