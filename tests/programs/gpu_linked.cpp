// run: manual libraries=double-libcuda
// A program that is linked to the driver: `gpu_linked STORY`.
#include "tests/programs/gpu_stories.h"

int main(int, char** arguments) {
    using gpu::cu;
#define MEMTRACE_CUDA_DOOR(spelling, asked, since, parameters) cu.spelling = &gpu::spelling;
#define MEMTRACE_CUDA_ENTRY(spelling, api, since, stream, parameters, arguments) \
    cu.spelling = &gpu::spelling;
#include "preload/cuda/cuda_entries.def"
#define GPU_TAKE(name, parameters) cu.name = &gpu::name;
    GPU_PLAIN_FUNCTIONS(GPU_TAKE)
    return gpu::tell(arguments[1]);
}
