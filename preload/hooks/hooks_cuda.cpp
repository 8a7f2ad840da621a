// SPDX-License-Identifier: Apache-2.0
//
// Hooks of CUDA's driver, one for each row of cuda_entries.def. Programs linked to libcuda reach
// the hooks by name. Programs that request a function from dlsym() or cuGetProcAddress() receive
// the hook. driver_effects.h defines what a call leaves in the dump.
#include "preload/hooks/hooks_cuda.h"
#include "preload/cuda/cuda_library.h"
#include "preload/gpu/cupti_callbacks.h"
#include "preload/gpu/driver_coverage.h"
#include "preload/gpu/driver_effects.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/hooks/hook_support.h"

namespace memtrace::preload::cuda {
namespace {

enum class Stream : uint8_t { any, legacy, thread };

template <Api api, Stream stream, class Real, class... Arguments>
[[gnu::always_inline]] inline Result watched(const void* frame, Real* real,
                                             Arguments... arguments) {
    if (real == nullptr) return stub_library;
    DriverCall call(api, frame);
    if (!call.is_recorded()) return real(arguments...);
    call.is_per_thread = stream == Stream::thread;
    before(Of<api>{}, call, arguments...);
    call.begin();
    const Result result = real(arguments...);
    call.end();
    if (result == success) after(Of<api>{}, call, arguments...);
    if (result == out_of_memory) call.refused(asked(Of<api>{}, arguments...), result);
    return result;
}

// Returns what the program receives instead of a function that cuGetProcAddress() found.
void* hook_instead_of(const char* name, void* function, int version, unsigned long long flags) {
    Entry entry = find_asked(name, version, (flags & per_thread_stream) != 0);
    if (entry != Entry::none && real_entry(entry) == function) return hook_of(entry);
    for (unsigned i = 0; i < entries_count; ++i) {
        entry = static_cast<Entry>(i);
        if (is_asked_as(entry, name) && real_entry(entry) == function) return hook_of(entry);
    }
    // The driver does not export this function. Name and version identify it, up to the newest
    // version that the shim covers.
    entry = find_asked(name, version, (flags & per_thread_stream) != 0);
    if (entry == Entry::none || version > newest_known_version) {
        note_uncovered(name, version);
        return function;
    }
    if (real_entry(entry) == nullptr) set_real_entry(entry, function);
    return hook_of(entry);
}

}  // namespace
}  // namespace memtrace::preload::cuda

using namespace memtrace;
using namespace memtrace::preload;
using namespace memtrace::preload::cuda;

// A hook has a second name besides the exported one. A reference to the exported name would find a
// library loaded in front of the shim that defines it as well.
#define MEMTRACE_CUDA_HOOK(spelling, parameters)                                       \
    extern "C" __attribute__((visibility("hidden"))) Result own_##spelling parameters; \
    extern "C" __attribute__((visibility("default"), alias("own_" #spelling)))         \
    Result spelling parameters;                                                        \
    extern "C" Result own_##spelling parameters

MEMTRACE_CUDA_HOOK(cuInit, (unsigned flags)) {
    auto* const real = reinterpret_cast<Result (*)(unsigned)>(real_entry(Entry::cuInit));
    if (real == nullptr) return stub_library;
    if (is_inside_driver(MEMTRACE_FRAME)) return real(flags);
    note_cuinit_by_program();
    Result result;
    {
        const DriverScope driver(MEMTRACE_FRAME);
        result = real(flags);
    }
    if (result == success) driver_is_ready(cupti::on_callback);
    return result;
}

MEMTRACE_CUDA_HOOK(cuGetProcAddress,
                   (const char* name, void** function, int version, unsigned long long flags)) {
    auto* const real =
        reinterpret_cast<decltype(&cuGetProcAddress)>(real_entry(Entry::cuGetProcAddress));
    if (real == nullptr) return stub_library;
    const Result result = real(name, function, version, flags);
    if (result == success && *function != nullptr && driver_hooks_are_wanted()) {
        *function = hook_instead_of(name, *function, version, flags);
    }
    return result;
}

MEMTRACE_CUDA_HOOK(cuGetProcAddress_v2, (const char* name, void** function, int version,
                                         unsigned long long flags, int* status)) {
    auto* const real =
        reinterpret_cast<decltype(&cuGetProcAddress_v2)>(real_entry(Entry::cuGetProcAddress_v2));
    if (real == nullptr) return stub_library;
    const Result result = real(name, function, version, flags, status);
    if (result == success && *function != nullptr && driver_hooks_are_wanted()) {
        *function = hook_instead_of(name, *function, version, flags);
    }
    return result;
}

#define MEMTRACE_CUDA_ARGUMENTS(...) __VA_OPT__(, ) __VA_ARGS__
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments)                \
    MEMTRACE_CUDA_HOOK(spelling, parameters) {                                                  \
        auto* const real = reinterpret_cast<Result(*) parameters>(real_entry(Entry::spelling)); \
        return watched<Api::api, Stream::stream>(MEMTRACE_FRAME,                                \
                                                 real MEMTRACE_CUDA_ARGUMENTS arguments);       \
    }
#include "preload/cuda/cuda_entries.def"

namespace memtrace::preload::cuda {

void* hook_of(Entry entry) {
    static void* const hooks[] = {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) \
    reinterpret_cast<void*>(&own_##spelling),
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    reinterpret_cast<void*>(&own_##spelling),
#include "preload/cuda/cuda_entries.def"
    };
    return hooks[static_cast<unsigned>(entry)];
}

}  // namespace memtrace::preload::cuda
