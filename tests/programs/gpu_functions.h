// The functions of CUDA's driver as the test programs call them, however they were found.
#pragma once

#include "preload/cuda/cuda_types.h"

namespace gpu {

using namespace memtrace::preload::cuda;

extern "C" {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) Result spelling parameters;
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    Result spelling parameters;
#include "preload/cuda/cuda_entries.def"
// Functions without a hook.
#define GPU_PLAIN_FUNCTIONS(each)                                                           \
    each(cuCtxSetCurrent, (Handle context))                                                 \
        each(cuStreamCreate, (Handle * stream, unsigned flags))                             \
            each(cuStreamBeginCapture_v2, (Handle stream, int mode))                        \
                each(cuStreamEndCapture, (Handle stream, Handle * graph))                   \
                    each(cuGraphCreate, (Handle * graph, unsigned flags))                   \
                        each(cuGraphInstantiateWithFlags,                                   \
                             (Handle * executable, Handle graph, unsigned long long flags)) \
                            each(cuIpcGetMemHandle, (IpcHandle * handle, DevicePointer address))
#define GPU_DECLARE(name, parameters) Result name parameters;
GPU_PLAIN_FUNCTIONS(GPU_DECLARE)
}

struct Functions {
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) Result(*spelling) parameters;
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    Result(*spelling) parameters;
#include "preload/cuda/cuda_entries.def"
#define GPU_MEMBER(name, parameters) Result(*name) parameters;
    GPU_PLAIN_FUNCTIONS(GPU_MEMBER)
};

}  // namespace gpu
