// SPDX-License-Identifier: Apache-2.0
//
// Hooks of CUDA's runtime library, the last of the GPU sources. With gpu=runtime, programs receive
// no hooks of the driver, and this source records the calls between libraries that use these names.
// Otherwise each call is passed on as a jump, and the driver's hooks see it later.
//
//   * A runtime inside another library (cuBLAS, NCCL, most C++ programs) does not pass here, nor
//     does a caller that uses dlsym(). So this source is the last, and is never chosen
//     automatically.
//   * Result numbers and pointers mean the same to the runtime and to the driver. So a call leaves
//     the same records as the driver's function with the same effect.
#include "preload/cuda/cuda_library.h"
#include "preload/cuda/cuda_queries.h"
#include "preload/cuda/cudart_types.h"
#include "preload/gpu/driver_effects.h"
#include "preload/gpu/gpu_backend.h"
#include "preload/hooks/hook_support.h"
#include "preload/loader/next_definition.h"

namespace memtrace::preload::cuda {
namespace {

enum class Stream : uint8_t { any, legacy, thread };

DevicePointer* device(void** address) { return reinterpret_cast<DevicePointer*>(address); }
DevicePointer device(void* address) { return reinterpret_cast<DevicePointer>(address); }

// Returns the context, which ends when the runtime resets its device.
Handle current_context_handle() { return reinterpret_cast<Handle>(current_context()); }

template <Api api, Api like, Stream stream, class Real, class... Asked>
[[gnu::noinline]] Result watched(const void* frame, Real real, Asked... asked_for) {
    DriverCall call(api, frame, GpuBackend::runtime);
    if (!call.is_recorded()) return real();
    find_driver();  // For queries to the driver. The runtime loads it at its first call.
    call.is_per_thread = stream == Stream::thread;
    before(Of<like>{}, call, asked_for...);
    call.begin();
    const Result result = real();
    call.end();
    find_driver();
    if (result == success) after(Of<like>{}, call, asked_for...);
    if (result == out_of_memory) call.refused(asked(Of<like>{}, asked_for...), result);
    return result;
}

}  // namespace
}  // namespace memtrace::preload::cuda

using namespace memtrace;
using namespace memtrace::preload;
using namespace memtrace::preload::cuda;

#define MEMTRACE_CUDART_UNPACK(...) __VA_OPT__(, ) __VA_ARGS__
#define MEMTRACE_CUDART_ENTRY(spelling, api, like, stream, parameters, arguments, asked)    \
    MEMTRACE_EXPORT Result spelling parameters {                                            \
        static constinit NextDefinition next(#spelling);                                    \
        auto* const real =                                                                  \
            reinterpret_cast<Result(*) parameters>(next.find(__builtin_return_address(0))); \
        if (real == nullptr) [[unlikely]]                                                   \
            return stub_library;                                                            \
        if (!source_writes(GpuBackend::runtime)) [[likely]]                                 \
            return real arguments;                                                          \
        return watched<Api::api, Api::like, Stream::stream>(                                \
            MEMTRACE_FRAME, [=] { return real arguments; } MEMTRACE_CUDART_UNPACK asked);   \
    }
#include "preload/cuda/cudart_entries.def"
